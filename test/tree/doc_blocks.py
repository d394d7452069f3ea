#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""doc_blocks.py SOURCE_DIR BUILD_DIR DOCUMENT LLVM_MAJOR...: compiles and runs what the document shows.

Every fenced block has a language, and stands for something that works:

c, cpp   a whole program whose first line names its file. It compiles without warnings by each LLVM, and ends with
         status 0 on the CPU device and on a GPU of the emulated driver.
sh       is run, in a folder that looks like the top of the tree and has the programs before it, and app.c, app and
         app.json of a program with one region.
cmake    is the end of a CMakeLists.txt that has an executable app; the project is built against an installed tree, and
         app runs.
console  is not run, since it needs the network, a real GPU, root or an hour; the shell must be able to read it.
text     is no code.
"""
import os
import re
import subprocess
import sys
import tempfile

APP = """#include <stdio.h>
int main(void)
{
    int x = 1;
#pragma omp target map(tofrom : x) nowait
    x = 0;
#pragma omp taskwait
    return x;
}
"""
PROJECT = "cmake_minimum_required(VERSION 3.21)\nproject(app C)\nadd_executable(app app.c)\n"


def blocks(path):
    """Yields (line, language, text) of each fenced block; what is indented in a list is a block, too."""
    with open(path) as document:
        text = document.read()
    for match in re.finditer(r"^( *)```(.*)\n((?:.*\n)*?)\1```$", text, re.M):
        yield text.count("\n", 0, match.start()) + 1, match.group(2), match.group(3)


class Folder:
    """Where a document's blocks run, and how."""

    def __init__(self, source, build, majors, path):
        self.source, self.build, self.majors, self.path = source, build, majors, path
        self.failed = 0
        self.has_app = False
        self.environment = dict(os.environ, OMP_TARGET_OFFLOAD="mandatory", OMPI_ALLOW_RUN_AS_ROOT="1",
                                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
        self.environment["PATH"] = os.path.join(build, "bin") + os.pathsep + self.environment["PATH"]
        self.on_cuda = dict(self.environment, NOWAIT_HOST_DEVICES="0",
                            NOWAIT_CUDA_LIBRARY=os.path.join(build, "cudaemu", "libcuda.so.1"))
        for name in os.listdir(source):
            if not name.startswith((".", "build")):
                os.symlink(os.path.join(source, name), self.inside(name))
        os.symlink(build, self.inside("build"))

    def inside(self, name):
        return os.path.join(self.path, name)

    def write(self, name, text):
        with open(self.inside(name), "w") as file:
            file.write(text)

    def run(self, what, command, environment=None):
        result = subprocess.run(["timeout", "-s", "KILL", "1200"] + command, cwd=self.path, text=True,
                                env=environment or self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if result.returncode != 0:
            self.failed += 1
            print("%s: %s: status %d\n%s" % (what, " ".join(command)[:200], result.returncode, result.stdout))

    def commands(self, place, text):
        if not self.has_app:
            self.has_app = True
            self.write("app.c", APP)
            self.run("app", ["nowait-clang", "-O2", "app.c", "-o", "app"])
            self.run("app", ["./app"], dict(self.environment, NOWAIT_TRACE="app.json"))
        self.run(place, ["sh", "-e", "-c", text])

    def program(self, place, language, text):
        name = re.match(r"// (\w+)\.%s\n" % language, text)
        if not name:
            sys.exit("%s: the first line is not // NAME.%s" % (place, language))
        name = name.group(1)
        self.write(name + "." + language, text)
        wrapper = {"c": "nowait-clang", "cpp": "nowait-clang++"}[language]
        for major in self.majors:
            self.run(place, [wrapper, "-O2", "-Wall", "-Wextra", "-Werror", name + "." + language, "-o", name],
                     dict(self.environment, NOWAIT_LLVM=major))
            self.run("%s, LLVM %s, on the CPU device" % (place, major), ["./" + name])
            self.run("%s, LLVM %s, on an emulated GPU" % (place, major), ["./" + name], self.on_cuda)

    def project(self, place, text):
        os.mkdir(self.inside("project"))
        self.write("project/CMakeLists.txt", PROJECT + text)
        self.write("project/app.c", APP)
        installed, built = self.inside("installed"), self.inside("project/build")
        self.run(place, ["cmake", "--install", self.build, "--prefix", installed])
        self.run(place, ["cmake", "-S", "project", "-B", built, "-DCMAKE_PREFIX_PATH=" + installed,
                         "-DCMAKE_C_COMPILER=clang-" + self.majors[0]])
        self.run(place, ["cmake", "--build", built])
        self.run(place, [os.path.join(built, "app")])


def main():
    source, build, document = (os.path.abspath(path) for path in sys.argv[1:4])
    found = [block for block in blocks(document) if block[1] != "text"]
    if not found:
        print("%s: no blocks" % document)
        return
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(source, build, sys.argv[4:], path)
        for line, language, text in found:
            place = "%s:%d" % (document, line)
            if language in ("c", "cpp"):
                folder.program(place, language, text)
            elif language == "sh":
                folder.commands(place, text)
            elif language == "cmake":
                folder.project(place, text)
            elif language == "console":
                folder.run(place, ["sh", "-n", "-c", text])
            else:
                folder.failed += 1
                print("%s: a block of no known language: '%s'" % (place, language))
        failed = folder.failed
    print("%s: %d blocks, %d failures" % (document, len(found), failed))
    sys.exit(failed != 0)


main()
