#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: report.py RAW COUNTED RESULTS

Appends to RESULTS (CSV, see the header below) what the rounds of RAW and the counts of COUNTED come to, and prints it
as a table.

The ratio of a variant to stock is taken within each round, between runs that came one after the other, and the
median of these ratios is what counts. A figure whose ratios spread by more than half of their median is marked: the
machine was too busy to trust it.
"""
import collections
import csv
import statistics
import sys

CPU = ["stock", "stock22", "stock-nohelpers", "run-event", "run-requeue", "run-block", "plugin"]
GPU = ["gpu-stock", "gpu-stock22", "gpu-run", "gpu-plugin", "gpu-block", "gpu-driver", "gpu-path"]
TOO_WIDE = 0.5


def timed(path):
    """Yields a row for each metric and variant of the timed runs; parts (%) have no ratio."""
    rounds = collections.defaultdict(dict)
    least = collections.defaultdict(list)
    units = {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = (row["metric"], row["variant"])
            rounds[key][row["round"]] = float(row["median"])
            least[key].append(float(row["least"]))
            units[row["metric"]] = row["unit"]
    for metric, unit in units.items():
        for variant in CPU + GPU:
            stock = rounds.get((metric, "gpu-stock" if variant in GPU else "stock"), {})
            values = rounds.get((metric, variant))
            if not values:
                continue
            ratios = [value / stock[n] for n, value in values.items() if stock.get(n) and unit != "%"]
            yield {"metric": metric, "variant": variant, "unit": unit, "least": min(least[(metric, variant)]),
                   "median": statistics.median(values.values()), "most": max(values.values()),
                   "rounds": len(values), "ratio": statistics.median(ratios) if ratios else None,
                   "ratio_least": min(ratios, default=None), "ratio_most": max(ratios, default=None)}


def counts(path):
    """Yields a row for each count; of a count there is one round."""
    rows = collections.OrderedDict()
    with open(path, encoding="utf-8") as file:
        for variant, metric, unit, value in csv.reader(file):
            rows[(metric, variant)] = (unit, float(value))
    for (metric, variant), (unit, value) in rows.items():
        yield {"metric": metric, "variant": variant, "unit": unit, "least": value, "median": value, "most": value,
               "rounds": 1, "ratio": None, "ratio_least": None, "ratio_most": None}


def text(number):
    """A number with three digits that matter."""
    if number is None:
        return ""
    if abs(number) >= 100:
        return f"{number:.0f}"
    return f"{number:.1f}" if abs(number) >= 10 else f"{number:.2f}"


def cell(row):
    """What the table says of a row: the median and, against stock, the ratio."""
    if row is None:
        return "-"
    if row["ratio"] is None or row["variant"] in ("stock", "gpu-stock"):
        return text(row["median"])
    wide = row["ratio_most"] - row["ratio_least"] > TOO_WIDE * row["ratio"]
    return f"{text(row['median'])} ({text(row['ratio'])}x{'~' if wide else ''})"


def least_cell(row):
    return "-" if row is None else text(row["least"])


def print_table(rows, variants, cell_of):
    variants = [variant for variant in variants if any(row["variant"] == variant for row in rows)]
    rows = [row for row in rows if row["variant"] in variants]
    metrics = list(collections.OrderedDict((row["metric"], row["unit"]) for row in rows).items())
    table = {(row["metric"], row["variant"]): row for row in rows}
    lines = [["", *variants]]
    for metric, unit in metrics:
        lines.append([f"{metric} [{unit}]", *(cell_of(table.get((metric, variant))) for variant in variants)])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        print("  ".join([line[0].ljust(widths[0]), *(field.rjust(width) for field, width in
                                                    zip(line[1:], widths[1:]))]).rstrip())
    return any("~" in field for line in lines for field in line[1:])


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    rows = [*timed(sys.argv[1]), *counts(sys.argv[2])]
    with open(sys.argv[3], "a", encoding="utf-8", newline="") as file:
        names = ["metric", "variant", "unit", "least", "median", "most", "rounds", "ratio", "ratio_least", "ratio_most"]
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()})
    print("Medians of the rounds; in parentheses the median of the ratios to stock, round by round (less is better).\n"
          "On the CPU device:\n")
    wide = print_table(rows, CPU, cell)
    print("\nOn the emulated GPU:\n")
    if print_table(rows, GPU, cell) or wide:
        print("\n~ the ratios spread by more than half of their median: the machine was busy, do not trust the figure.")
    print("\nThe least of all repetitions, which other work on the machine disturbs least:\n")
    timed_rows = [row for row in rows if row["unit"] != "each" and row["ratio"] is not None]
    print_table(timed_rows, CPU, least_cell)
    print()
    print_table(timed_rows, GPU, least_cell)


if __name__ == "__main__":
    main()
