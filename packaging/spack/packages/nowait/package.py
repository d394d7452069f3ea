# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os

from spack.package import *


class Nowait(CMakePackage):
    """Non-blocking OpenMP target regions on stock Clang and libomp: a Clang plugin and a runtime library that stands in
    for libomptarget."""

    license("Apache-2.0 WITH LLVM-exception")

    # No release has been published: the archive lies in the current folder or in a mirror.
    manual_download = True
    url = f"file://{os.getcwd()}/nowait-0.1.0.tar.gz"

    version("0.1.0")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.21:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("libffi")
    depends_on("libbsd", type="build")
    # The plugin takes LLVM's functions from the clang that loads it; one that is linked statically lacks some.
    depends_on("llvm@19 +clang +link_llvm_dylib openmp=runtime", type=("build", "link", "run"))

    conflicts("platform=darwin")
    conflicts("platform=windows")
    requires("target=x86_64:")

    def cmake_args(self):
        llvm = self.spec["llvm"].prefix
        return [
            self.define("NOWAIT_LLVM_VERSIONS", "19"),
            self.define("NOWAIT_LLVM_19_CONFIG", join_path(llvm.bin, "llvm-config")),
            self.define("NOWAIT_BUILD_TESTS", False),
            self.define("NOWAIT_BUILD_EXAMPLES", False),
            self.define("NOWAIT_BUILD_BENCH", False),
        ]

    def test_deferred_region(self):
        """compile a deferred region and run it on the CPU device"""
        with open("region.c", "w") as source:
            source.write(
                "int main(void)\n{\n    int x = 1;\n"
                "#pragma omp target map(tofrom : x) nowait\n    x = 0;\n"
                "#pragma omp taskwait\n    return x;\n}\n"
            )
        Executable(self.prefix.bin.join("nowait-clang"))("region.c", "-o", "region")
        region = Executable("./region")
        region.add_default_env("OMP_TARGET_OFFLOAD", "mandatory")
        region()
