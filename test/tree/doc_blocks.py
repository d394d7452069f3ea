#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""doc_blocks.py BUILD_DIR DOCUMENT: compiles and runs what the document shows.

A block ```c is a whole program whose first line names its file; it must compile without warnings and end with status 0
on the CPU device and on a GPU of the emulated driver. A block ```sh is run, in the folder with the programs before it.
"""
import os
import re
import subprocess
import sys
import tempfile


def blocks(path):
    """Yields (line, language, text) of each fenced block."""
    with open(path) as document:
        text = document.read()
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        yield text.count("\n", 0, match.start()) + 1, match.group(1), match.group(2)


def main():
    build, document = os.path.abspath(sys.argv[1]), sys.argv[2]
    environment = dict(os.environ, OMP_TARGET_OFFLOAD="mandatory")
    environment["PATH"] = os.path.join(build, "bin") + os.pathsep + environment["PATH"]
    on_cuda = dict(environment, NOWAIT_HOST_DEVICES="0",
                   NOWAIT_CUDA_LIBRARY=os.path.join(build, "cudaemu", "libcuda.so.1"))
    failed, count = 0, 0

    with tempfile.TemporaryDirectory() as folder:
        def run(what, command, env):
            nonlocal failed
            result = subprocess.run(["timeout", "-s", "KILL", "60"] + command, cwd=folder, env=env, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if result.returncode != 0:
                failed += 1
                print("%s: status %d\n%s" % (what, result.returncode, result.stdout))

        for line, language, text in blocks(document):
            place = "%s:%d" % (document, line)
            if language == "c":
                name = re.match(r"// (\w+)\.c\n", text)
                if not name:
                    sys.exit("%s: the first line is not // NAME.c" % place)
                name = name.group(1)
                with open(os.path.join(folder, name + ".c"), "w") as source:
                    source.write(text)
                run(place, ["nowait-clang", "-O2", "-Wall", "-Wextra", "-Werror", name + ".c", "-o", name], environment)
                run(place + " on the CPU device", ["./" + name], environment)
                run(place + " on an emulated GPU", ["./" + name], on_cuda)
            elif language == "sh":
                run(place, ["sh", "-e", "-c", text], environment)
            else:
                continue
            count += 1
    print("%s: %d blocks, %d failures" % (document, count, failed))
    sys.exit(failed != 0 or count == 0)


main()
