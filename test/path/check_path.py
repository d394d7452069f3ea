# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: check_path.py "[WRAPPER] PROGRAM" COUNTER THREADS SHAPE [--system-calls]

Runs region_path with count_calls.so preloaded, and under strace, and checks what ARCHITECTURE.md forbids on a region's
path.
"""
import os
import subprocess
import sys
import tempfile

BATCHES = 20
REGIONS_OF_A_BATCH = 100
# Construct and completion each hold the map table's lock once; the rest is for queues, and for waking who sleeps.
MOST_LOCKS = 8
# The worker queue's list of sleepers, where workers are woken.
MOST_SHARED = 1
# Waking a thread that sleeps, and sleeping; yielding is libomp's.
ALLOWED = {"futex", "sched_yield", "getppid"}
# libomp's heap may grow by a few pieces while regions run; calls for memory of this library's are none of these.
GROWTH = {"brk", "mmap", "mprotect"}
MOST_GROWTH = 4
# The library's pools grow when more is in flight than ever before. The programs' warm-up has had all in flight at once;
# what is left is a matter of chance, rare enough for this: of three runs, two must allocate nothing.
CLEAN_RUNS = 2
SECONDS = 600


def check(condition, complaint):
    if not condition:
        sys.exit(f"check failed: {complaint}")


def run(command, **environment):
    done = subprocess.run(command, env={**os.environ, "NOWAIT_HOST_WORKERS": "4", **environment}, capture_output=True,
                          text=True, timeout=SECONDS)
    if done.returncode:
        sys.exit(f"{command} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_calls(command, counter, threads):
    """Returns the allocations."""
    figures = dict(line.split() for line in run(command, LD_PRELOAD=counter).splitlines())
    figures = {name: int(value) for name, value in figures.items()}
    regions = threads * BATCHES * REGIONS_OF_A_BATCH
    print(f"{regions} regions: {figures}")
    check(figures["library"] == 1, "libnowait.so was not found")
    check(figures["locks"] >= 2 * regions, "the counter counts nothing")
    check(figures["locks"] <= MOST_LOCKS * regions, "too many locks")
    check(figures["formatting"] == 0, "a region formats")
    check(figures["environment"] == 0, "a region reads the environment")
    check(figures["shared"] <= MOST_SHARED, "threads with devices of their own share locks")
    return figures["allocations"]


def check_allocations(command, counter, threads):
    counts = []
    while counts.count(0) < CLEAN_RUNS:
        counts.append(check_calls(command, counter, threads))
        check(len(counts) - counts.count(0) < CLEAN_RUNS, f"regions allocate: {counts}")


def check_system_calls(command, threads):
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        run(["strace", "-f", "-o", log] + command)
        with open(log, encoding="utf-8", errors="replace") as file:
            # "PID name(...": also what is resumed later; that is not counted again.
            lines = [line.split(None, 1)[1] for line in file if " " in line]
    marks = [i for i, line in enumerate(lines) if line.startswith("getppid(")]
    check(len(marks) == 2, f"marks: {marks}")
    names = [line.split("(", 1)[0] for line in lines[marks[0]:marks[1]] if not line.startswith(("<...", "---", "+++"))]
    others = sorted({name for name in names if name not in ALLOWED | GROWTH})
    growth, regions = sum(name in GROWTH for name in names), threads * BATCHES * REGIONS_OF_A_BATCH
    print(f"system calls: {len(names)} on {regions} regions; for memory: {growth}; not allowed: {others}")
    check(not others, "a region makes system calls")
    check(growth <= MOST_GROWTH, "regions ask the system for memory")


program, counter, threads, shape = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
whole = program.split() + [str(threads), str(BATCHES), shape]
check_allocations(whole, counter, threads)
if "--system-calls" in sys.argv:
    check_system_calls(whole, threads)
