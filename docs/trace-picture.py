#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: trace-picture.py TRACE [FROM [TO]] >PICTURE.svg

Draws a trace that NOWAIT_TRACE has written, or a stretch of it: one row for each thread and each track of a device.
FROM and TO are milliseconds from the first construct, or with % behind them a part of the whole; FROM may be the word
dispatch: what comes before the first of these is set-up. For documents; to look into a trace, open it in
https://ui.perfetto.dev.
"""
import html
import json
import sys

WIDTH, LEFT, ROW = 900, 180, 18
COLOURS = {"construct": 0, "dispatch": 1, "taskwait": 2, "copy": 3, "kernel": 4, "post": 5, "release": 6}
STYLE = """
svg { background: #fff; font: 12px system-ui, sans-serif; } text { fill: #1d2126; } .g { fill: #f1f3f5; }
.k0 { fill: #b5483a; } .k1 { fill: #e6a48e; } .k2 { fill: #9aa2ab; } .k3 { fill: #c2a400; } .k4 { fill: #2f6fae; }
.k5 { fill: #1f8a70; } .k6 { fill: #8a6fb8; }
@media (prefers-color-scheme: dark) {
  svg { background: #14171a; } text { fill: #e4e7ea; } .g { fill: #1e2226; } .k0 { fill: #e07565; }
  .k1 { fill: #b5796a; } .k2 { fill: #59626b; } .k3 { fill: #e2c93b; } .k4 { fill: #6aa9e6; } .k5 { fill: #4cc3a3; }
  .k6 { fill: #b39ae0; } }
"""


def read(path):
    """The slices by track, and the tracks' names, those of the program first."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)
    processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    tracks = {}
    for event in events:
        if event["ph"] == "X" and event["cat"] in COLOURS:
            tracks.setdefault((event["pid"], event["tid"]), []).append(event)
    order = sorted(tracks, key=lambda track: (track[0], "initial" not in threads[track], track[1]))
    program = min(processes)
    names, numbers = {}, {}
    for track in order:
        words = threads[track].split()
        # Threads are numbered as they come: their real numbers differ from run to run.
        if words[-1].isdigit() and words[-2] != "stream":
            words[-1] = str(numbers.setdefault(words[-1], len(numbers) + 1))
        names[track] = " ".join(words) if track[0] == program else f"{processes[track[0]]}, {' '.join(words[-2:])}"
    return {track: sorted(tracks[track], key=lambda e: (e["ts"], -e["dur"])) for track in order}, names


def draw(tracks, names, begin, end):
    scale = (WIDTH - LEFT - 10) / (end - begin)
    parts, y = [], 24
    for track, events in tracks.items():
        shown = [e for e in events if e["ts"] < end and e["ts"] + e["dur"] > begin]
        if not shown:
            continue
        parts.append(f'<rect class="g" x="{LEFT}" y="{y}" width="{WIDTH - LEFT - 10}" height="{ROW - 4}"/>'
                     f'<text x="{LEFT - 8}" y="{y + 11}" text-anchor="end">{html.escape(names[track])}</text>')
        for e in shown:
            left, right = max(e["ts"], begin), min(e["ts"] + e["dur"], end)
            inner = e["cat"] == "dispatch"
            parts.append(f'<rect class="k{COLOURS[e["cat"]]}" x="{LEFT + (left - begin) * scale:.1f}" '
                         f'y="{y + (4 if inner else 0)}" width="{max(0.6, (right - left) * scale):.1f}" '
                         f'height="{ROW - (12 if inner else 4)}"><title>{html.escape(e["name"])}</title></rect>')
        y += ROW
    words = {"post": "post-process", "copy": "copies"}
    x = LEFT
    for category, number in COLOURS.items():
        word = words.get(category, category)
        parts.append(f'<rect class="k{number}" x="{x}" y="6" width="10" height="10"/>'
                     f'<text x="{x + 14}" y="15">{word}</text>')
        x += 30 + 7 * len(word)
    parts.append(f'<text x="{WIDTH - 10}" y="{y + 14}" text-anchor="end">{(end - begin) / 1e3:.2f} ms</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 22}" width="{WIDTH}">'
            f"<style>{STYLE}</style>{''.join(parts)}</svg>")


def moment(text, every):
    """The time in the trace, microseconds, that an argument stands for."""
    origin, last = min(e["ts"] for e in every), max(e["ts"] + e["dur"] for e in every)
    if text == "dispatch":
        return min(e["ts"] for e in every if e["cat"] == text)
    return origin + (last - origin) * float(text[:-1]) / 100 if text.endswith("%") else origin + float(text) * 1e3


def main():
    if sys.argv[1:] in (["-h"], ["--help"]):
        sys.exit(print(__doc__.strip()))
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    tracks, names = read(sys.argv[1])
    every = [e for events in tracks.values() for e in events]
    if not every:
        sys.exit(f"{sys.argv[1]}: no regions")
    begin, end = (moment(text, every) for text in (sys.argv[2:] + ["0%", "100%"][len(sys.argv) - 2:]))
    print(draw(tracks, names, begin, end))


if __name__ == "__main__":
    main()
