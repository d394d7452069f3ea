# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the makers of generated programs share: main(program, levels_of) writes the programs program(seed), compiles
each at one level of optimisation and runs it behind each prefix. Its arguments are theirs:

    PROGRAMS COMPILER FOLDER PREFIX...     a prefix is "env SETTING=VALUE..."

The programs are the same every time. GENERATED_PROGRAMS=N in the environment makes N of them, and GENERATED_SEED=S
begins with the S-th. A program that fails stays in FOLDER, and its command is printed.
"""
import os
import shlex
import subprocess
import sys

SECONDS = 600


def run(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, -1, "", f"no end within {SECONDS} s")


def main(program, levels_of):
    """levels_of(seed, every): the levels for a program; `every`: GENERATED_PROGRAMS is set."""
    count, compiler, folder, prefixes = int(sys.argv[1]), sys.argv[2].split(), sys.argv[3], sys.argv[4:]
    every = "GENERATED_PROGRAMS" in os.environ
    count = int(os.environ.get("GENERATED_PROGRAMS", count))
    first = int(os.environ.get("GENERATED_SEED", "1"))
    os.makedirs(folder, exist_ok=True)
    failures = 0
    for seed in range(first, first + count):
        source = os.path.join(folder, f"{seed}.c")
        with open(source, "w", encoding="ascii") as file:
            file.write(program(seed))
        failed = failures
        for level in levels_of(seed, every):
            binary = source[:-2] + level
            commands = [compiler + [level, "-w", source, "-o", binary]]
            commands += [prefix.split() + [binary] for prefix in prefixes]
            for command in commands:
                done = run(command)
                if done.returncode != 0:
                    failures += 1
                    print(f"status {done.returncode}: {shlex.join(command)}\n{done.stdout[:500]}{done.stderr[:500]}",
                          flush=True)
                    break
            else:
                os.remove(binary)
        if failures == failed:
            os.remove(source)
    print(f"{count} programs, {failures} failures")
    return failures != 0
