#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""debugging_lists_messages.py SOURCE_DIR [--print]: docs/debugging.md explains every line that can meet a user.

The lines are what the sources of the runtime and the plugin give to those functions that print errors, warnings and
missed rewrites, or that keep the reason for one. A line is explained by a code span in the first column of a table
whose header begins with "line says"; there a single capital letter and `...` stand for what is filled in. What the
document explains and the sources do not say is a fault, too. --print shows the lines.
"""
import glob
import os
import re
import sys

STRING = r'"(?:[^"\\\n]|\\.)*"'
JOINED = re.compile(rf"{STRING}(?:\s*(?:PRI\w+|NOWAIT_VERSION|NW_INFO_ADDRESS)?\s*{STRING})*", re.S)
# Calls that print a line or keep the reason for one, by folder; what stands in their brackets may hold several strings.
RUNTIME = (r"\b(?:nw_fatal|nw_log|nw_log_at|refuse|nw_decision_fail|nw_reason_set|nw_reason_take|nw_cuda_failed|foreign"
           r"|note_refusal)\s*\(")
PLUGIN = r"\b(?:fprintf|fputs|getCustomDiagID)\s*\("
# Reasons that are returned or kept, and the table of omp_target_associate_ptr's.
REASON = rf"(?:\breturn\b|->failure =|\b(?:reason\[256\]|why|refusal) =|\bfault_t \w+ = \{{)[^;\"{{}}]*(?={STRING})"
QUIET = re.compile(r"NW_LOG_(?:INFO|DEBUG)\b")
CONVERSION = re.compile(r"%(?:\d|[-+ #0]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j|t)?[a-zA-Z])")


def arguments(text, start):
    """The text from start to the bracket or semicolon that ends it; brackets in strings don't count."""
    depth = 0
    for match in re.compile(rf"{STRING}|[(){{}};]").finditer(text, start):
        token = match.group()
        if token in "({":
            depth += 1
        elif token in ")};":
            if depth == 0 or token == ";":
                return text[start:match.start()]
            depth -= 1
    return text[start:]


def pieces(line):
    """What of a line stands fast, in order; none if that is less than two words."""
    fast = [re.sub(r"\s+", " ", piece).strip() for piece in re.split("\0", line)]
    fast = [piece for piece in fast if re.search(r"\w", piece)]
    return fast if len(re.findall(r"(?:^|\s)\W*[A-Za-z]{2,}", " ".join(fast))) >= 2 else []


def strings(text):
    for joined in JOINED.finditer(text):
        # A macro between two strings ends a conversion (PRIx64) or fills in.
        literal = "".join(part[1:-1] if part[0] == '"' else "d" if part.startswith("PRI") else "%s"
                          for part in re.findall(rf"{STRING}|\w+", joined.group()))
        yield CONVERSION.sub("\0", literal.replace('\\"', '"').replace("\\n", "").replace("%%", "%"))


def lines_of(source):
    """Yields (file:line, text) of each line that the file can print or keep."""
    for folder, calls in (("runtime", RUNTIME), ("clang-plugin", PLUGIN)):
        for path in sorted(glob.glob(os.path.join(source, folder, "**", "*.[ch]*"), recursive=True)):
            text = open(path).read()
            # What OpenMP's routines for interop objects return are words that the program has asked for.
            reasons = not path.endswith(("_api.c", "log.c"))
            for match in re.finditer(rf"{calls}|{REASON}" if reasons else calls, text):
                inside = arguments(text, match.end())
                if QUIET.match(inside):
                    continue
                place = "%s:%d" % (os.path.relpath(path, source), text.count("\n", 0, match.start()) + 1)
                # Of an association's faults the second string is LLVM's.
                found = list(strings(inside))[:1 if match.group().startswith("fault_t") else None]
                yield from ((place, string) for string in found if pieces(string))
    statuses = open(os.path.join(source, "runtime", "support", "status.def")).read()
    for value, text in re.findall(rf"NW_STATUS\(\w+, (-?\d+), ({STRING})\)", statuses):
        if int(value) < 0:
            yield "runtime/support/status.def", text[1:-1]


def spans_of(document):
    """Yields (line, span) of the first columns of the tables that explain lines."""
    inside = False
    for number, line in enumerate(open(document), 1):
        inside = line.startswith("|") and (inside or line.startswith("| line says"))
        if inside and "|---" not in line:
            cell = line.replace("\\|", "\1").split("|")[1].replace("\1", "|")
            yield from ((number, span) for _, span in re.findall(r"(`+)(.+?)\1(?!`)", cell))


def in_order(parts, text):
    at = 0
    for part in parts:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def explains(span, line):
    filled = re.sub(r"\.\.\.|\b[A-Z]\b", "\0", span)
    return in_order(pieces(filled) or [filled], line) or in_order(pieces(line), filled)


def main():
    source = sys.argv[1]
    document = os.path.join(source, "docs", "debugging.md")
    lines, spans = list(lines_of(source)), list(spans_of(document))
    if "--print" in sys.argv:
        for place, line in lines:
            print("%s: %s" % (place, line.replace("\0", "...")))
        return
    faults = ["%s: docs/debugging.md does not explain: %s" % (place, line.replace("\0", "..."))
              for place, line in lines if not any(explains(span, line) for _, span in spans)]
    faults += ["docs/debugging.md:%d: no line of the sources says: %s" % (number, span)
               for number, span in spans if not any(explains(span, line) for _, line in lines)]
    print("\n".join(faults + ["%d lines, %d explanations, %d faults" % (len(lines), len(spans), len(faults))]))
    sys.exit(1 if faults or not lines else 0)


main()
