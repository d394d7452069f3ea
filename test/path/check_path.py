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
# This library's pools and libomp's grow when more is in flight than ever before, which is a matter of chance that the
# programs' warm-up makes rare. In one of so many runs nothing grows.
GROWTH = {"brk", "mmap", "mprotect"}
RUNS = 6


def run(command, **environment):
    done = subprocess.run(command, env={**os.environ, "NOWAIT_HOST_WORKERS": "4", **environment}, capture_output=True,
                          text=True, timeout=150)
    if done.returncode:
        sys.exit(f"{command} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def once_zero(count, complaint):
    """Counts until nothing grows."""
    counts = []
    while not counts or counts[-1] > 0:
        assert len(counts) < RUNS, f"{complaint}: {counts}"
        counts.append(count())


def check_calls(command, counter, threads):
    """Returns the allocations."""
    figures = dict(line.split() for line in run(command, LD_PRELOAD=counter).splitlines())
    figures = {name: int(value) for name, value in figures.items()}
    regions = threads * BATCHES * REGIONS_OF_A_BATCH
    print(f"{regions} regions: {figures}")
    assert figures["library"] == 1, "libnowait.so was not found"
    assert figures["locks"] >= 2 * regions, "the counter counts nothing"
    assert figures["locks"] <= MOST_LOCKS * regions, "too many locks"
    assert figures["formatting"] == 0, "a region formats"
    assert figures["environment"] == 0, "a region reads the environment"
    assert figures["shared"] <= MOST_SHARED, "threads with devices of their own share locks"
    return figures["allocations"]


def check_system_calls(command, threads):
    """Returns those for memory."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        run(["strace", "-f", "-o", log] + command)
        with open(log, encoding="utf-8", errors="replace") as file:
            # "PID name(...": also what is resumed later; that is not counted again.
            lines = [line.split(None, 1)[1] for line in file if " " in line]
    marks = [i for i, line in enumerate(lines) if line.startswith("getppid(")]
    assert len(marks) == 2, marks
    names = [line.split("(", 1)[0] for line in lines[marks[0]:marks[1]] if not line.startswith(("<...", "---", "+++"))]
    others = sorted({name for name in names if name not in ALLOWED | GROWTH})
    growth, regions = sum(name in GROWTH for name in names), threads * BATCHES * REGIONS_OF_A_BATCH
    print(f"system calls: {len(names)} on {regions} regions; for memory: {growth}; not allowed: {others}")
    assert not others, "a region makes system calls"
    return growth


program, counter, threads, shape = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
whole = program.split() + [str(threads), str(BATCHES), shape]
once_zero(lambda: check_calls(whole, counter, threads), "regions allocate")
if "--system-calls" in sys.argv:
    once_zero(lambda: check_system_calls(whole, threads), "regions ask the system for memory")
