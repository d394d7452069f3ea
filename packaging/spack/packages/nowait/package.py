# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from spack.package import *


class Nowait(CMakePackage):
    """Non-blocking OpenMP target regions on stock Clang and libomp: a Clang plugin and a runtime library that stands in
    for libomptarget."""

    license("Apache-2.0 WITH LLVM-exception")

    # No release has been published: point spack at a checkout (spack dev-build nowait@0.1.0).
    version("0.1.0")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.21:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("libffi")
    depends_on("libbsd", type="build")
    depends_on("llvm@19 +clang +llvm_dylib openmp=runtime", type=("build", "link", "run"))

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
