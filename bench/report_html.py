#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: report_html.py RESULTS [TIMELINE...] >REPORT

Draws what report.py has written to RESULTS: bars with ratios, scaling curves, and timelines (timeline-VARIANT.csv, as
timeline.c prints them), in one HTML file that needs nothing else and can be read in light and in dark.
"""
import csv
import html
import math
import os
import re
import sys

VARIANTS = {
    "stock": ("stock, hidden helper threads", 0), "stock-nohelpers": ("stock, no helper threads", 1),
    "stock22": ("stock of LLVM 22", 6),
    "run-event": ("nowait-run", 2), "run-requeue": ("nowait-run, requeue", 4), "run-block": ("nowait-run, block", 5),
    "plugin": ("plugin and libnowait", 3), "gpu-stock": ("stock, hidden helper threads", 0),
    "gpu-stock22": ("stock of LLVM 22", 1), "gpu-run": ("nowait-run", 2),
    "gpu-plugin": ("plugin and libnowait", 3), "gpu-block": ("nowait-run, block", 5),
    "gpu-driver": ("by hand on the driver", 6), "gpu-path": ("sum on the critical path", 4),
}
TOO_WIDE = 0.5
CPU, GPU = "On the CPU device", "On the emulated GPU"

CONSTRUCTS = ["target", "enter", "exit", "update_to", "update_from"]

# Title, what is asked, and figures: ("bars", pattern) or ("curve", pattern with one group: x, x's name).
SECTIONS = [
    ("What does one region cost?",
     "Empty kernels that map data which is present, launched in batches of 100 that end with taskwait.",
     [("curve", r"launch_(\d+)_maps?", "maps"), ("curve", r"launch_1_map_(\d+)_threads", "threads"),
      ("bars", r"cpu_(1_map|16_maps)"), ("bars", r"launch_(1_map|16_maps)")]),
    ("Do threads get in each other's way?",
     "Each thread launches sixteen tiny regions and waits for them.", [("curve", r"threads_(\d+)", "threads")]),
    ("When does the construct return?",
     "On the CPU device for a region of 200 ms; on the GPU for constructs that copy so much. (Stock gives the "
     "construct to a helper thread before anything of it is done.)",
     [("bars", r"return(_first)?"),
      *[("curve", rf"return_{construct}_{memory}_(\d+)KiB", "KiB") for memory in ("pageable", "pinned")
        for construct in CONSTRUCTS]]),
    ("Do independent regions overlap?",
     "CPU: sixteen regions of 100 ms on eight workers, 200 ms at best. GPU: 64 and 2000 kernels of 1 ms, 1 ms at best.",
     [("bars", r"independent"), ("bars", r"independent_\d+")]),
    ("What do dependences cost?",
     "Graphs of kernels, named by their shape, their width and their kernels' time; the limit is the same graph "
     "written by hand with streams and events, and below it is the sum of the kernels' times on the "
     "critical path. CPU: time of one step of a chain of spinning kernels.",
     [("bars", r"chain_\d+us"), ("bars", r"chain_\d+_\d+us"), ("bars", r"(diamond|mixed)_\d+_\d+us"),
      ("bars", r"(cholesky|stencil)_\d+_\d+us"), ("bars", r"cpu_(chain|diamond|mixed|cholesky|stencil)_\d+_\d+us")]),
    ("How much is hidden?", "The host computes beside a kernel of 10 ms (10 ms at best); eight regions with copies and "
     "kernels of 10 ms each (100 ms at best). 100 % hidden is the best, 0 % one after the other.",
     [("bars", r"overlap_\w+"), ("bars", r"hidden_\w+")]),
    ("What do the first region, a release and many regions take?",
     "The program's first region, until its construct returns; the end of a kernel until a host task that depends on "
     "it runs (from the construct's return, less the kernel's time); memory that 10000 regions with data of their own "
     "take in flight, and by how much 9000 regions one after the other let it grow.",
     [("bars", r"first_region(_cpu)?"), ("bars", r"construct_returns(_cpu)?"), ("bars", r"release(_p99)?"),
      ("bars", r"(flight|sequence)_\w+")]),
    ("What does the host burn meanwhile?",
     "Processor time of the process during one region of 1 s, while its main thread is in taskwait, or asleep.",
     [("bars", r"idle_\w+")]),
    ("Applications", "The demo's tiled Cholesky factorisation, by the rows of a tile, and its film that is sharpened, "
     "by the bands of a frame.", [("bars", r"cholesky_tiles_of_\d+"), ("bars", r"image_bands_\d+")]),
    ("What does mapping cost?", "One operation on a table of so many entries; lookups, and entering and leaving, by "
     "several threads.",
     [("curve", r"lookup_(\d+)", "entries"), ("curve", r"insert_(\d+)", "entries"),
      ("curve", r"erase_(\d+)", "entries"),
      ("curve", r"lookup_100_(\d+)_threads", "threads"), ("curve", r"map_own_(\d+)_threads", "threads")]),
    ("What does a trace cost?", "NOWAIT_TRACE: a region's time with it less that without, for each event in the file.",
     [("bars", r"trace_event")]),
    ("What does a region use?", "Instructions (callgrind), allocations, and system calls of the steady state; each is "
     "the difference of a long and a short run.",
     [("bars", r"instructions_\w+"), ("bars", r"allocations_\w+"), ("bars", r"system_calls_\w+|switches_.*")]),
]

# What the project has set itself: name, figure, variant, and the most of its ratio to stock in the same run; or, with a
# fifth field, which is its unit, of the figure itself.
TARGETS = [
    ("launch, one map: 4 times cheaper", "launch_1_map", "gpu-run", 1 / 4),
    ("launch, 16 maps: 3 times cheaper", "launch_16_maps", "gpu-run", 1 / 3),
    ("64 independent kernels of 1 ms: 8 times shorter", "independent", "gpu-run", 1 / 8),
    ("eight threads: 10 times shorter", "threads_8", "gpu-run", 1 / 10),
    ("idle: a fiftieth of the processor time", "idle_taskwait", "gpu-run", 1 / 50),
    *[(f"{width} chains of {time} us kernels: no slower", f"chain_{width}_{time}us", "gpu-run", 1)
      for width in (1, 4, 16) for time in (5, 50)],
    *[(f"{width} chains of {time} us kernels: half the processor time", f"cpu_chain_{width}_{time}us", "gpu-run", 1 / 2)
      for width in (1, 4, 16) for time in (5, 50)],
    *[(f"an event of a trace, {device}: under 200 ns", "trace_event", variant, 200, "ns")
      for device, variant in (("GPU", "gpu-plugin"), ("CPU device", "plugin"))],
    ("a construct returns within 0.9 us", "construct_returns", "gpu-run", 0.9, "us"),
    ("the first region returns within 2 ms", "first_region", "gpu-run", 2, "ms"),
    ("2000 independent kernels of 1 ms: under 6 ms", "independent_2000", "gpu-run", 6, "ms"),
    ("a kernel that is waited for: under 20 ms of processor time", "idle_cpu", "gpu-run", 20, "ms"),
    ("end of a kernel to what depends on it: under 20 us", "release", "gpu-run", 20, "us"),
    ("99 of 100 of these: under 100 us", "release_p99", "gpu-run", 100, "us"),
    # Does not grow with the size. A ratio to 1 MiB says less: that takes a microsecond if the caches are warm.
    *[(f"return, pageable, {construct.replace('_', ' ')} of 16 MiB: within a tenth of the copy's 1400 us",
       f"return_{construct}_pageable_16384KiB", "gpu-run", 140, "us") for construct in CONSTRUCTS],
]

STYLE = """
:root { color-scheme: light dark; --ground: #ffffff; --text: #1d2126; --faint: #6a737d; --line: #d5dae0;
        --c0: #b5483a; --c1: #d99a6c; --c2: #2f6fae; --c3: #1f8a70; --c4: #8a6fb8; --c5: #9aa2ab; --c6: #c2a400; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14171a; --text: #e4e7ea; --faint: #98a1ab; --line: #363c43;
          --c0: #e07565; --c1: #e0b48c; --c2: #6aa9e6; --c3: #4cc3a3; --c4: #b39ae0; --c5: #7d8690; --c6: #e2c93b; } }
body { margin: 2em auto; max-width: 62em; padding: 0 1em; background: var(--ground); color: var(--text);
       font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.7em; } h2 { font-size: 1.25em; margin: 2.2em 0 .3em; } h3 { font-size: 1em; margin: 1.4em 0 .4em; }
p { margin: .4em 0 .8em; } .faint, figcaption { color: var(--faint); font-size: .9em; }
figure { margin: .8em 0 1.4em; } svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--text); font: 12px system-ui, sans-serif; } svg text.faint { fill: var(--faint); }
svg .line { stroke: var(--line); } table { border-collapse: collapse; font-size: .9em; }
td, th { padding: .15em .8em .15em 0; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
td:first-child, th:first-child { text-align: left; } .wide { overflow-x: auto; }
""" + "".join(f".f{i} {{ fill: var(--c{i}); }} .s{i} {{ stroke: var(--c{i}); fill: none; }} "
              f"svg text.f{i} {{ fill: var(--c{i}); }} .k{i} {{ color: var(--c{i}); }}\n" for i in range(7))


def number(value):
    """Three digits that matter."""
    if value == 0:
        return "0"
    if value == int(value) and abs(value) < 1e5:
        return f"{value:.0f}"
    if abs(value) >= 1e5:
        return f"{value:.3g}".replace("e+0", "e").replace("e+", "e")
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2g}"


class Row:
    def __init__(self, fields):
        self.metric, self.variant, self.unit = fields["metric"], fields["variant"], fields["unit"]
        self.least, self.median, self.most = (float(fields[n]) for n in ("least", "median", "most"))
        self.ratio, self.low, self.high = (float(fields[n]) if fields[n] else None
                                           for n in ("ratio", "ratio_least", "ratio_most"))
        self.rounds = int(fields["rounds"])
        self.gpu = self.variant.startswith("gpu-")

    def is_noisy(self):
        return self.ratio is not None and self.high - self.low > TOO_WIDE * self.ratio

    def words(self):
        text = f"{number(self.median)} {self.unit if self.unit != 'each' else ''}".strip()
        if self.ratio is None or self.variant in ("stock", "gpu-stock"):
            return text
        return f"{text}   {number(self.ratio)}x" + (" ~ too noisy" if self.is_noisy() else "")


def read(path):
    with open(path, encoding="utf-8") as file:
        lines = file.readlines()
    notes = [line[1:].strip() for line in lines if line.startswith("#")]
    rows = [Row(fields) for fields in csv.DictReader(line for line in lines if not line.startswith("#"))]
    return notes, rows


def colour(variant):
    return VARIANTS.get(variant, (variant, 5))[1]


def legend(variants):
    items = "".join(f'<span class="k{colour(v)}">&#9632;</span> {html.escape(VARIANTS.get(v, (v, 5))[0])} &#160; '
                    for v in variants)
    return f"<figcaption>{items}</figcaption>"


def ordered(rows):
    return [v for v in VARIANTS if any(row.variant == v for row in rows)]


def bars(rows):
    """A group of bars for each metric, each group on a scale of its own; `~`: too noisy to be trusted."""
    parts, y = [], 4
    for metric in dict.fromkeys(row.metric for row in rows):
        group = [row for v in VARIANTS for row in rows if row.metric == metric and row.variant == v]
        most = max(row.median for row in group) or 1
        parts.append(f'<text x="0" y="{y + 11}">{html.escape(metric)}</text>')
        for row in group:
            width = max(1, 340 * row.median / most)
            opacity = ' opacity="0.45"' if row.is_noisy() else ""
            parts.append(f'<rect class="f{colour(row.variant)}"{opacity} x="250" y="{y}" width="{width:.1f}" '
                         f'height="12" rx="2"/><text x="{256 + width:.1f}" y="{y + 10}">'
                         f"{html.escape(row.words())}</text>")
            y += 16
        y += 8
    return f'<figure><svg viewBox="0 0 820 {y}" role="img">{"".join(parts)}</svg>{legend(ordered(rows))}</figure>'


def ticks(low, high):
    """Powers of ten within the range, and the ends if there are too few."""
    inside = [10.0 ** e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    inside = [t for t in inside if low * 0.999 <= t <= high * 1.001]
    return inside if len(inside) >= 2 else sorted({low, high})


def curve(rows, pattern, x_name):
    """Both axes logarithmic; x of 0 stands at the left end."""
    points = {}
    for row in rows:
        x = float(re.fullmatch(pattern, row.metric).group(1))
        points.setdefault(row.variant, []).append((x, row))
    every = [(x, row.median) for line in points.values() for x, row in line if row.median > 0]
    xs = sorted({x for x, _ in every})
    if len(xs) < 2:
        return bars(rows)
    place = {x: i for i, x in enumerate(xs)}
    low, high = min(y for _, y in every), max(y for _, y in every)
    low, high = low / 1.3, high * 1.3

    def at(x, y):
        return (70 + 500 * place[x] / (len(xs) - 1),
                190 - 170 * (math.log(max(y, low)) - math.log(low)) / (math.log(high) - math.log(low)))

    parts, labels = [], []
    for tick in ticks(low * 1.3, high / 1.3):
        _, y = at(xs[0], tick)
        parts.append(f'<line class="line" x1="70" x2="570" y1="{y:.1f}" y2="{y:.1f}"/>'
                     f'<text class="faint" x="62" y="{y + 4:.1f}" text-anchor="end">{number(tick)}</text>')
    for x in xs:
        parts.append(f'<text class="faint" x="{at(x, low)[0]:.1f}" y="208" text-anchor="middle">{number(x)}</text>')
    unit = rows[0].unit
    name = re.sub(r"\(\\d\+\)", "N", pattern).replace("?", "")
    parts.append(f'<text class="faint" x="570" y="224" text-anchor="end">{x_name}</text>'
                 f'<text class="faint" x="0" y="12">{unit}</text>')
    for variant in VARIANTS:
        line = sorted(((x, row) for x, row in points.get(variant, []) if row.median > 0), key=lambda point: point[0])
        if not line:
            continue
        path = " ".join(f"{'L' if i else 'M'}{at(x, row.median)[0]:.1f},{at(x, row.median)[1]:.1f}"
                        for i, (x, row) in enumerate(line))
        parts.append(f'<path class="s{colour(variant)}" stroke-width="2" d="{path}"/>')
        for x, row in line:
            px, py = at(x, row.median)
            noisy = row.is_noisy()
            parts.append(f'<circle class="{"s" if noisy else "f"}{colour(variant)}" cx="{px:.1f}" cy="{py:.1f}" '
                         f'r="{4 if noisy else 3.5}"><title>{html.escape(f"{row.metric}: {row.words()}")}</title>'
                         f"</circle>")
        last = line[-1][1]
        if last.ratio is not None and variant not in ("stock", "gpu-stock"):
            labels.append((at(line[-1][0], last.median)[1] + 4, f"{number(last.ratio)}x"
                           f'{" ~ too noisy" if last.is_noisy() else ""}', variant))
    below = 0
    for y, words, variant in sorted(labels):
        below = max(y, below + 13)
        parts.append(f'<text class="f{colour(variant)}" x="580" y="{below:.1f}">{words}</text>')
    return (f'<figure><svg viewBox="0 0 700 230" role="img">{"".join(parts)}</svg>'
            f"{legend(ordered(rows))}<figcaption>{html.escape(name)}</figcaption></figure>")


def timeline(paths):
    """One run of each variant, one above the other on the same scale."""
    runs = {}
    for path in paths:
        variant = re.sub(r"^timeline-|\.csv$", "", os.path.basename(path))
        with open(path, encoding="utf-8") as file:
            runs[variant] = [(track, name, float(begin), float(end))
                             for mark, track, name, begin, end in csv.reader(file) if mark == "timeline"]
    runs = {v: runs[v] for v in VARIANTS if runs.get(v)}
    if not runs:
        return ""
    span = max(end for run in runs.values() for *_, end in run)
    shades = {"construct": 0, "work": 1, "taskwait": 5, "kernel": 2}
    parts, y = [], 0
    for variant, run in runs.items():
        last = max(end for *_, end in run)
        parts.append(f'<text x="0" y="{y + 14}" font-weight="bold">{html.escape(VARIANTS[variant][0])}: '
                     f"{last:.0f} ms</text>")
        y += 22
        tracks = list(dict.fromkeys(track for track, *_ in run))
        for track in tracks:
            label = "program" if track == "host" else f"region {int(track) + 1}"
            parts.append(f'<text class="faint" x="0" y="{y + 11}">{label}</text>')
            for _, name, begin, end in (event for event in run if event[0] == track):
                parts.append(f'<rect class="f{shades[name]}" x="{80 + 700 * begin / span:.1f}" y="{y}" '
                             f'width="{max(1.0, 700 * (end - begin) / span):.1f}" height="13" rx="1.5">'
                             f"<title>{name}: {begin:.2f} to {end:.2f} ms</title></rect>")
            y += 17
        y += 12
    names = "".join(f'<span class="k{shade}">&#9632;</span> {name} &#160; ' for name, shade in shades.items())
    return (f'<figure><svg viewBox="0 0 800 {y}" role="img">{"".join(parts)}</svg><figcaption>{names}</figcaption>'
            f"</figure>")


def targets(rows):
    found = {(row.metric, row.variant): row for row in rows}
    lines = []
    for name, metric, variant, most, *units in TARGETS:
        row = found.get((metric, variant))
        if row is None or (row.ratio is None and not units):
            lines.append(f"<tr><td>{name}</td><td></td><td></td><td>not measured</td></tr>")
            continue
        value, low, high = (row.median, row.least, row.most) if units else (row.ratio, row.low, row.high)
        unit = f" {units[0]}" if units else "x"
        word = "met" if value <= most else "not met"
        if high - low > TOO_WIDE * value and low <= most < high:
            word = "too noisy to say"
        lines.append(f"<tr><td>{name}</td><td>{number(most)}{unit}</td><td>{number(value)}{unit} "
                     f"({number(low)} to {number(high)})</td><td>{word}</td></tr>")
    return ('<div class="wide"><table><tr><th>target, on the emulated GPU</th><th>at most</th><th>measured</th>'
            f'<th></th></tr>{"".join(lines)}</table></div>')


def section(title, question, figures, rows):
    parts = []
    for device in (CPU, GPU):
        drawn = []
        for figure in figures:
            chosen = [row for row in rows if row.gpu == (device == GPU) and re.fullmatch(figure[1], row.metric)]
            if chosen:
                drawn.append(bars(chosen) if figure[0] == "bars" else curve(chosen, figure[1], figure[2]))
        if drawn:
            parts.append(f"<h3>{device}</h3>" + "".join(drawn))
    return f"<h2>{html.escape(title)}</h2><p>{html.escape(question)}</p>{''.join(parts)}" if parts else ""


def whole_table(rows):
    lines = "".join(f"<tr><td>{html.escape(row.metric)}</td><td>{row.variant}</td><td>{number(row.median)} {row.unit}"
                    f"</td><td>{'' if row.ratio is None else number(row.ratio)}</td><td>"
                    f"{'' if row.ratio is None else f'{number(row.low)} to {number(row.high)}'}</td>"
                    f"<td>{row.rounds}</td><td>{'too noisy' if row.is_noisy() else ''}</td></tr>" for row in rows)
    return ('<details><summary>All figures</summary><div class="wide"><table><tr><th>figure</th><th>variant</th>'
            "<th>median</th><th>ratio</th><th>from, to</th><th>rounds</th><th></th></tr>"
            f"{lines}</table></div></details>")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    notes, rows = read(sys.argv[1])
    body = [f"<h1>nowait beside stock LLVM</h1><p class='faint'>{'<br/>'.join(map(html.escape, notes))}</p>",
            "<p>Each program ran in turn on stock libomptarget and on libnowait, several rounds; bars and points are "
            "medians, <b>x</b> is the ratio to stock, taken within each round (less is better), <b>~</b> and pale or "
            "hollow marks are figures whose ratios spread by more than half: too noisy to be trusted. Times on the "
            "emulated GPU are those of a model of the driver, not of any hardware.</p>",
            "<h2>What it looks like</h2><p>Six regions of 20 ms, the last two of which depend on the first two, and "
            "some work of the program's own after each construct; on the CPU device.</p>", timeline(sys.argv[2:]),
            "<h2>Targets</h2>", targets(rows)]
    body += [section(*entry, rows) for entry in SECTIONS]
    body.append("<h2>Everything</h2>" + whole_table(rows))
    print('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/><title>nowait: benchmark</title>'
          '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
          f"<style>{STYLE}</style></head><body>{''.join(body)}</body></html>")


if __name__ == "__main__":
    main()
