#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""spack_recipe.py PACKAGE_PY VERSION: runs the recipe's class body with stand-ins for Spack's words that it uses.

An unknown word is an error, as is a version other than the tree's, or an option of CMake's that the tree does not have.
"""
import os
import sys
import types

recipe, version = sys.argv[1:3]
seen = {}


def directive(name):
    return lambda *arguments, **keywords: seen.setdefault(name, []).append(arguments[0])


class CMakePackage:
    """What the recipe uses of Spack's base class."""

    def define(self, name, value):
        return "-D%s=%s" % (name, value)


package = types.ModuleType("spack.package")
for word in ("version", "license", "depends_on", "conflicts", "requires"):
    setattr(package, word, directive(word))
package.CMakePackage = CMakePackage
package.join_path = os.path.join
sys.modules["spack"] = types.ModuleType("spack")
sys.modules["spack.package"] = package


def check(condition, complaint):
    if not condition:
        sys.exit(complaint)


names = {}
with open(recipe) as source:
    exec(compile(source.read(), recipe, "exec"), names)
check(seen["version"] == [version], "the recipe is for %s, the tree is %s" % (seen["version"], version))
instance = names["Nowait"]()
prefix = types.SimpleNamespace(bin="/llvm/bin")
instance.spec = {"llvm": types.SimpleNamespace(prefix=prefix)}
root = os.path.join(os.path.dirname(recipe), "..", "..", "..", "..")
with open(os.path.join(root, "cmake", "NowaitOptions.cmake")) as options, \
        open(os.path.join(root, "cmake", "NowaitLLVM.cmake")) as llvm:
    known = options.read() + llvm.read().replace("${v}", "19")
options = [argument[2:].split("=")[0] for argument in instance.cmake_args()]
check(options, "the recipe gives no options")
for name in options:
    check(name in known, "no option %s in the tree" % name)
print("ok: version %s, %d dependences" % (version, len(seen["depends_on"])))
