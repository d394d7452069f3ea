#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""smooth.py LIBRARY: uses regions from Python through ctypes, and again in a child process that has its own runtime."""
import ctypes
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
    assert meanwhile == COUNT * (COUNT - 1) // 2
    return list(result)


def right(values, result):
    padded = [values[0]] + values + [values[-1]]
    return all(abs(sum(padded[i:i + 3]) / 3 - result[i]) < 1e-12 for i in range(len(values)))


def main():
    library = ctypes.CDLL(os.path.abspath(sys.argv[1]))
    values = [float((i * 37) % 101) for i in range(COUNT)]

    # A child from before the first region is a process like any other.
    child = os.fork()
    ok = right(values, smooth(library, values))
    if child == 0:
        os._exit(0 if ok else 1)
    _, status = os.waitpid(child, 0)
    print("check: %s, in the child %s" % ("ok" if ok else "WRONG", "ok" if status == 0 else "WRONG (%d)" % status))
    sys.exit(0 if ok and status == 0 else 1)


main()
