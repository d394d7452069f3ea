#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""smooth.py LIBRARY: uses regions from Python through ctypes, also in child processes.

A child that is forked before the first region is a process like any other. One that is forked later can't use the GPUs
that its parent has used: from then on children are started afresh, which multiprocessing calls "spawn".
"""
import ctypes
import multiprocessing
import os
import sys

COUNT = 1000


def smooth(library, values):
    """Returns the smoothed values; the device works while Python goes on."""
    array = ctypes.c_double * len(values)
    source, result = array(*values), array()
    library.smooth_start(source, result, ctypes.c_size_t(len(values)))
    meanwhile = sum(range(COUNT))
    library.smooth_wait()
    if meanwhile != COUNT * (COUNT - 1) // 2:
        sys.exit("Python's own sum is wrong")
    return list(result)


def right(values, result):
    padded = [values[0]] + values + [values[-1]]
    return all(abs(sum(padded[i:i + 3]) / 3 - result[i]) < 1e-12 for i in range(len(values)))


def check(path):
    """Loads the library and uses it; returns whether the values are right."""
    library = ctypes.CDLL(path)
    values = [float((i * 37) % 101) for i in range(COUNT)]
    return right(values, smooth(library, values))


def check_and_exit(path):
    sys.exit(0 if check(path) else 1)


def child(method, path):
    process = multiprocessing.get_context(method).Process(target=check_and_exit, args=(path,))
    process.start()
    return process


def main():
    path = os.path.abspath(sys.argv[1])
    before = child("fork", path)
    ok = check(path)
    after = child("spawn", path)
    for process in (before, after):
        process.join()
    print("check: %s, in the child from before %s, in the one from after %s" %
          tuple("ok" if good else "WRONG" for good in (ok, before.exitcode == 0, after.exitcode == 0)))
    sys.exit(0 if ok and before.exitcode == after.exitcode == 0 else 1)


if __name__ == "__main__":
    main()
