#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fault_everywhere.py SAMPLE "env SETTING=VALUE..." PROGRAM: runs the program once for each call of the emulated
driver that it makes and each kind of answer, that one call answering so; then once for each of its kernels and each way
in which a kernel can end. SAMPLE faults are drawn of them all; with 0, or CUDAEMU_EVERY_FAULT=1 in the environment,
none is left out.

The program must end by itself and either be right (status 0, its last line "all right") or say with status 1 and in one
line of nowait's what has failed. Whatever it does it must use the driver as it may be used.
"""
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

SECONDS = 300
# A function that is called more often is one that polls: its calls are alike.
MOST_CALLS = 200

# One of each class that a runtime may treat in its own way: out of memory, an illegal address, a launch that failed, a
# driver that is gone, a lost device, something not supported, a wrong argument, nothing known.
ANSWERS = {
    "OUT_OF_MEMORY": 2,
    "ILLEGAL_ADDRESS": 700,
    "LAUNCH_FAILED": 719,
    "DEINITIALIZED": 4,
    "DEVICE_UNAVAILABLE": 46,
    "NOT_SUPPORTED": 801,
    "INVALID_VALUE": 1,
    "UNKNOWN": 999,
}
# Functions whose failure says nothing: what they answer is words.
WITHOUT = {"cuGetErrorString", "cuGetErrorName"}


def run(prefix, program, fault=None, report=None):
    command = prefix.split() + [program]
    environment = dict(os.environ)
    environment.pop("CUDAEMU_EVERY_FAULT", None)
    if fault:
        environment["CUDAEMU_FAIL"] = fault
    if report:
        environment["CUDAEMU_REPORT"] = report
    try:
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=SECONDS, errors="replace", check=False)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as expired:
        return "hangs", (expired.stdout or b"").decode(errors="replace")


def what_is_wrong(status, output):
    """Returns None if the program has kept its promise."""
    lines = output.splitlines()
    ours = [line for line in lines if line.startswith("nowait: ")]
    errors = [line for line in ours if line.startswith("nowait: error: ")]
    if any("check failed" in line for line in lines):
        return "a wrong result"
    # What the driver would not free stays in its pool.
    misuses = [line for line in lines if line.startswith("cudaemu: ") and "cuMemPoolDestroy of a pool with" not in line]
    if misuses:
        return "the driver is misused"
    if status == 0:
        return None if "all right" in lines else "no result"
    if status == 1:
        return None if len(errors) == 1 and len(ours) == 1 else "%d lines, not one" % len(ours)
    return "status %s" % status


def calls(prefix, program):
    with tempfile.NamedTemporaryFile("r", suffix=".report") as report:
        status, output = run(prefix, program, report=report.name)
        if status != 0 or what_is_wrong(status, output):
            sys.exit("without a fault: status %s\n%s" % (status, output))
        found = re.findall(r"^cudaemu: calls (\S+) (\d+) ", report.read(), re.MULTILINE)
    return {name: int(number) for name, number in found if name not in WITHOUT}


def main():
    sample, prefix, program = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    counts = calls(prefix, program)
    faults = []
    for name, most in sorted(counts.items()):
        faults += ["%s@%d=%d" % (name, n, answer)
                   for n in range(1, min(most, MOST_CALLS) + 1) for answer in ANSWERS.values()]
    faults += ["kernel:*@%d=%d" % (n, answer) for n in range(1, counts["cuLaunchKernel"] + 1)
               for answer in (700, 716, 719, 46)]
    everything = len(faults)
    if sample and os.environ.get("CUDAEMU_EVERY_FAULT", "0") in ("", "0"):
        faults = random.Random(19).sample(faults, min(sample, len(faults)))
    failures = ended = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for fault, (status, output) in zip(faults, pool.map(lambda f: run(prefix, program, f), faults)):
            wrong = what_is_wrong(status, output)
            ended += status == 1
            if wrong:
                failures += 1
                print("%s: %s (status %s)\n%s" % (fault, wrong, status, output), flush=True)
    print("%d calls of %d functions; %d of %d faults tried: %d ended the program, %d failures" % (
        sum(counts.values()), len(counts), len(faults), everything, ended, failures))
    return 1 if failures or ended == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
