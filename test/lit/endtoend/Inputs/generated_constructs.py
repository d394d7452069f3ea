#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""generated_constructs.py PROGRAMS COMPILER FOLDER PREFIX...: writes C programs of target constructs drawn by chance,
compiles each at one level of optimisation, with GENERATED_PROGRAMS at every one, and runs it behind each prefix. What a
program's regions must compute and leave alone is known from how it was made; it says what is wrong and ends with 1.
See generated_programs.py.
"""
import dataclasses
import random
import sys

import generated_programs

REGIONS = 6
LEVELS = ["-O0", "-O1", "-O2", "-O3"]
TYPES = ["char", "unsigned char", "short", "int", "long", "long long", "float", "double"]
# Elements; 0: no array. Sizes of odd alignment, on both sides of what is packed, and of a few pages.
LENGTHS = [0, 0, 1, 2, 3, 4, 5, 7, 8, 10, 13, 16, 17, 31, 33, 64, 100, 257, 700, 3000]
KINDS = ["firstprivate"] * 3 + ["to", "tofrom", "from", "private", "alloc", "section", "pointer", "member", "struct",
                                "matrix"]
DIRECTIVES = ["target"] * 4 + ["target teams", "target parallel", "target parallel for",
                               "target teams distribute parallel for"]

HEAD = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

#define CHECK_EQ(a, b) \\
    do { \\
        if ((double)(a) != (double)(b)) { \\
            printf("line %d: " #a " is %g, expected %g\\n", __LINE__, (double)(a), (double)(b)); \\
            wrong++; \\
        } \\
    } while (0)
"""


@dataclasses.dataclass
class Text:
    """What one variable adds to a function."""

    before: list  # declaration, first value, what is added to `expected`
    clauses: list
    region: list  # on the device: first and end of a range of i, and a statement that adds to `sum`
    after: list  # on the host, right behind the construct
    checks: list  # when the region is over


def each(n, statement, first=0):
    return f"for (int i = {first}; i < {n}; i++) {{ {statement} }}"


def initial(kind):
    """The value of element i, as C. It fits every type."""
    return f"(({kind})((i * 3 + seed) % 50))"


def declaration(draw, kind, name, length):
    storage = "static " if draw.random() < 0.3 else ""
    alignment = draw.choice(["", "", "", "", "_Alignas(16) ", "_Alignas(32) ", "_Alignas(64) "])
    return [f"{storage}{alignment}{kind} {name}[{max(length, 1)}];",
            each(max(length, 1), f"{name}[i] = {initial(kind)};")]


def plain(draw, what, kind, name, length):
    """A whole variable. One without length is declared as an array of one and used as a scalar by its copy."""
    before = declaration(draw, kind, name, length)
    n, element, variable = length, f"{name}[i]", name
    if length == 0:
        n, element, variable = 1, f"{name}_s", f"{name}_s"
        before += [f"{kind} {variable} = {name}[0];"]
    read, text = f"sum += (long){element};", Text(before, [], [], [], [])
    add = each(n, f"expected += (long){element};")
    unchanged = each(n, f"CHECK_EQ({element}, {initial(kind)});")
    if what == "firstprivate":
        text.before.append(add)
        text.clauses.append(f"firstprivate({variable})")
        text.region += [(0, n, read), (0, n, f"{element} = 1;")]
        text.after.append(each(n, f"{element} = 9;"))
        text.checks.append(each(n, f"CHECK_EQ({element}, 9);"))
    elif what in ("to", "tofrom"):
        text.before.append(add)
        text.clauses.append(f"map({what} : {variable})")
        text.region.append((0, n, f"{read} {element} += 2;"))
        text.checks.append(unchanged if what == "to" else each(n, f"CHECK_EQ({element}, {initial(kind)} + 2);"))
    elif what == "from":
        text.clauses.append(f"map(from : {variable})")
        text.region.append((0, n, f"{element} = ({kind})(i % 40);"))
        text.checks.append(each(n, f"CHECK_EQ({element}, i % 40);"))
    else:
        text.before.append(each(n, "expected += i % 30;"))
        text.clauses.append(f"private({variable})" if what == "private" else f"map(alloc : {variable})")
        text.region.append((0, n, f"{element} = ({kind})(i % 30); {read}"))
        text.checks.append(unchanged)
    return text


def part(draw, what, kind, name, length):
    """A section of an array, of what a pointer points at, or of a structure's member with another member behind it."""
    length = max(length, 3)
    first = draw.randrange(length)
    end = draw.randint(first + 1, length)
    base = f"{name}.x" if what == "member" else name
    text = Text([], [f"map(tofrom : {base}[{first} : {end - first}])"], [], [], [])
    if what == "section":
        text.before = declaration(draw, kind, name, length)
    elif what == "pointer":
        text.before = [f"{kind} *{name} = malloc({length} * sizeof *{name});",
                       each(length, f"{name}[i] = {initial(kind)};")]
    else:
        text.before = [f"struct {{ char a; {kind} x[{length}]; char b; double y; {kind} z; }} {name};",
                       f"memset(&{name}, 0, sizeof {name});", each(length, f"{base}[i] = {initial(kind)};"),
                       f"{name}.y = 3;", f"{name}.z = 7;", "expected += 7;"]
        text.clauses.append(f"map(tofrom : {name}.z)")
        text.region.append((0, 1, f"sum += (long){name}.z; {name}.z = 8;"))
        text.checks.append(f"CHECK_EQ({name}.y, 3); CHECK_EQ({name}.z, 8);")
    text.before.append(each(end, f"expected += (long){base}[i];", first))
    text.region.append((first, end, f"sum += (long){base}[i]; {base}[i] += 3;"))
    inside = f"(i >= {first} && i < {end} ? 3 : 0)"
    text.checks.append(each(length, f"CHECK_EQ({base}[i], {initial(kind)} + {inside});"))
    if what == "pointer":
        text.checks.append(f"free({name});")
    return text


def whole(draw, what, kind, name, length):
    """A structure, or an array of two dimensions with a row before and behind what is mapped of it."""
    length = max(length, 2)
    if what == "struct":
        element, firstprivate = f"{name}.x[i]", draw.random() < 0.6
        text = Text([f"struct {{ char a; {kind} x[{length}]; short b; }} {name};",
                     f"memset(&{name}, 0, sizeof {name});", f"{name}.b = 4;"],
                    [f"firstprivate({name})" if firstprivate else f"map(tofrom : {name})"], [], [], [])
        text.region.append((0, 1, f"sum += {name}.b;"))
        text.before.append("expected += 4;")
    else:
        element, firstprivate = f"{name}[1][i]", False
        text = Text([f"{kind} {name}[3][{length}];", f"memset({name}, 0, sizeof {name});"],
                    [f"map(tofrom : {name}[1 : 1][0 : {length}])"], [], [], [])
        text.checks.append(each(length, f"CHECK_EQ({name}[0][i], 0); CHECK_EQ({name}[2][i], 0);"))
    text.before.append(each(length, f"{element} = {initial(kind)}; expected += (long){element};"))
    text.region.append((0, length, f"sum += (long){element}; {element} += 5;"))
    if firstprivate:
        text.after.append(f"memset(&{name}, 0, sizeof {name});")
    text.checks.append(each(length, f"CHECK_EQ({element}, " + ("0" if firstprivate else f"{initial(kind)} + 5") + ");"))
    return text


def makes_of(what):
    return part if what in ("section", "pointer", "member") else whole if what in ("struct", "matrix") else plain


def region(directive, steps):
    """One thread does the steps one after the other; in a loop's region each i is one thread's, for all of them."""
    if directive.endswith("for"):
        most = max((end for _, end, _ in steps), default=1)
        body = " ".join(f"if (i >= {first} && i < {end}) {{ {statement} }}" for first, end, statement in steps)
        return [each(most, body)]
    return ["{"] + [each(end, statement, first) for first, end, statement in steps] + ["}"]


def function(draw, number):
    texts = []
    for i in range(draw.randint(1, 9)):
        what, kind, length = draw.choice(KINDS), draw.choice(TYPES), draw.choice(LENGTHS)
        texts.append(makes_of(what)(draw, what, kind, f"v{i}", length))
    nowait, depend, directive = draw.random() < 0.7, draw.random() < 0.4, draw.choice(DIRECTIVES)
    clauses = [clause for text in texts for clause in text.clauses]
    # Where there could be several threads that are not a loop's, there is one of each.
    clauses += {"target": ["map(tofrom : sum)"], "target teams": ["num_teams(1)", "reduction(+ : sum)"],
                "target parallel": ["num_threads(1)", "reduction(+ : sum)"]}.get(directive, ["reduction(+ : sum)"])
    draw.shuffle(clauses)
    lines = [f"static __attribute__((noinline)) void region_{number}(int seed)", "{",
             "long sum = 0, expected = 0, order = 0;", "(void)order;"]
    lines += [line for text in texts for line in text.before]
    lines.append(f"#pragma omp {directive} " + " ".join(clauses) + (" nowait" if nowait else "") +
                 (" depend(inout : order)" if depend else ""))
    lines += region(directive, [step for text in texts for step in text.region])
    lines += [line for text in texts for line in text.after]
    if nowait:
        lines.append("#pragma omp taskwait")
    lines += ["CHECK_EQ(sum, expected);"] + [line for text in texts for line in text.checks] + ["}"]
    return "\n".join(lines)


def program(seed):
    draw = random.Random(seed)
    calls = " ".join(f"region_{i}(k);" for i in range(REGIONS))
    main = f"int main(void)\n{{\nfor (int k = 0; k < 3; k++) {{ {calls} }}\nreturn wrong != 0;\n}}"
    return "\n\n".join([HEAD] + [function(draw, i) for i in range(REGIONS)] + [main]) + "\n"


def levels_of(seed, every):
    return LEVELS if every else [LEVELS[seed % len(LEVELS)]]


if __name__ == "__main__":
    sys.exit(generated_programs.main(program, levels_of))
