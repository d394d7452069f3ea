# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: check-trace.py FILE REGIONS [--cut]

The file must be JSON, and tell of at least so many regions from construct to end, in the right order. --cut: of regions
that the end of the program has cut off, less may be told.
"""
import collections
import json
import sys


def check(condition, about):
    if not condition:
        sys.exit("the trace is wrong about %s" % (about,))


with open(sys.argv[1], encoding="utf-8") as file:
    events = json.load(file)
cut = "--cut" in sys.argv
threads = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
regions = collections.defaultdict(dict)
edges = set()
for event in events:
    kind = event["ph"]
    if kind == "M":
        continue
    check(event["ts"] >= 0, event)
    check(cut or (event["pid"], event["tid"]) in threads, event)
    op = event["args"]["op"]
    if kind == "X":
        check(event["dur"] >= 0, event)
        if op:
            regions[op][event["cat"] if event["cat"] != "copy" else event["name"][:9]] = event
    elif kind in "be":
        check(event["id"] == str(op), event)
        name = event["name"].split()[0]
        other = regions[op].get("b" + name)
        regions[op][kind + name] = event
        # The viewers find the two ends of a state by its name.
        if kind == "e" and other:
            check(other["name"] == event["name"] and other["ts"] <= event["ts"], event)
    elif kind == "i":
        check(op != event["args"]["next"], event)
        edges.add((op, event["args"]["next"]))
over = 0
for op, has in regions.items():
    if "eregion" not in has or "bregion" not in has:
        check(cut, (op, has))
        continue
    over += 1
    begin, end = has["bregion"]["ts"], has["eregion"]["ts"]
    kernel = has.get("kernel")
    if kernel:
        check(begin <= kernel["ts"] and kernel["ts"] + kernel["dur"] <= end + 0.002, (op, has))
        check(kernel["flow_in"] and kernel["flow_out"] and kernel["bind_id"] == str(op), kernel)
        check(kernel["pid"] > 10000000, kernel)
    if "copies in" in has and kernel:
        check(has["copies in"]["ts"] <= kernel["ts"] and has["copies in"]["args"]["bytes"] > 0, has)
    check(cut or ("post" in has and "construct" in has), has)
    if "post" in has:
        check(has["post"]["flow_in"] and has["post"]["ts"] <= end, has)
    if "construct" in has:
        check(has["construct"]["flow_out"] and has["construct"]["ts"] <= end, has)
check(over >= int(sys.argv[2]), (over, sys.argv[2]))
for op, after in edges:
    if "kernel" in regions[op] and "kernel" in regions[after]:
        first, then = regions[op]["kernel"], regions[after]["kernel"]
        check(first["ts"] + first["dur"] <= then["ts"] + 0.002, (first, then))
