#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: instructions.py SHORT LONG REGIONS [LEAST]

Reads what callgrind (--separate-threads=yes) wrote of two runs of one program, files SHORT-01, SHORT-02, ... and
LONG-..., of which the second did REGIONS more regions. Prints instructions per region: of each thread, summed over all,
and of every function with LEAST (5) or more, by thread. Functions of libraries without symbols come out as addresses.

The loop in which a worker of the CPU device looks for work is counted apart, as "searching": how often it turns is a
matter of timing, not of the work that a region makes.
"""
import collections
import glob
import re
import sys


SEARCHING = "worker_main"


def read(path):
    """Returns the instructions and the calls of each (function, library) in a callgrind file."""
    names = {"fn": {}, "ob": {}}
    cost, calls = collections.Counter(), collections.Counter()
    here = there = None
    library = called_library = "?"
    call_line = False

    def name(kind, text):
        match = re.match(r"\((\d+)\)(?: (.*))?$", text)
        if not match:
            return text
        if match.group(2) is not None:
            names[kind][match.group(1)] = match.group(2)
        return names[kind].get(match.group(1), "?")

    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            line = line.rstrip("\n")
            key, _, value = line.partition("=")
            if key == "ob":
                library = name("ob", value)
            elif key == "cob":
                called_library = name("ob", value)
            elif key == "fn":
                here = (name("fn", value), library)
            elif key == "cfn":
                there = (name("fn", value), called_library or library)
            elif key == "calls":
                # The next line is the call's inclusive cost, which the called function counts itself.
                calls[there] += int(value.split()[0])
                call_line, called_library = True, ""
            elif line[:1].isdigit() or line[:1] in ("+", "-", "*"):
                fields = line.split()
                if not call_line and len(fields) > 1 and here:
                    cost[here] += int(fields[-1])
                call_line = False
    return cost, calls


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    short, long, regions = sys.argv[1], sys.argv[2], float(sys.argv[3])
    least = float(sys.argv[4]) if len(sys.argv) == 5 else 5.0
    threads = sorted(path[len(long):] for path in glob.glob(glob.escape(long) + "-[0-9][0-9]"))
    if not threads:
        sys.exit(f"no files {long}-NN")
    total, searching, report = 0.0, 0.0, []
    for thread in threads:
        try:
            cost_before, calls_before = read(short + thread)
        except FileNotFoundError:
            cost_before, calls_before = collections.Counter(), collections.Counter()
        cost, calls = read(long + thread)
        each = {f: (cost[f] - cost_before[f]) / regions for f in set(cost) | set(cost_before)}
        mine = sum(n for function, n in each.items() if function[0] != SEARCHING)
        searching += sum(n for function, n in each.items() if function[0] == SEARCHING)
        total += mine
        print(f"thread {int(thread[1:])} {mine:.1f}")
        report.append(f"\nthread {int(thread[1:])}: {mine:.1f} instructions per region")
        libraries = collections.Counter()
        for function, n in each.items():
            libraries[function[1].rsplit("/", 1)[-1]] += n
        report += [f"{n:10.1f}  in {library}" for library, n in libraries.most_common() if n >= least]
        report.append(f"{'each':>10}  {'calls':>7}  function")
        for function, n in sorted(each.items(), key=lambda item: -item[1]):
            if n >= least:
                called = (calls[function] - calls_before[function]) / regions
                report.append(f"{n:10.1f}  {called:7.2f}  {function[0]} [{function[1].rsplit('/', 1)[-1]}]")
    print(f"searching {searching:.1f}")
    print(f"total {total:.1f}")
    print("\n".join(report))


if __name__ == "__main__":
    main()
