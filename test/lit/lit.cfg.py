# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Configuration of every lit suite in this folder; lit.site.cfg.py, which CMake writes for each LLVM major, comes first.
import os
import subprocess
import sys

import lit.formats

config.name = "nowait-" + config.llvm_major
config.suffixes = [".c", ".cpp", ".ll", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_format = lit.formats.ShTest(execute_external=True)

# A hanging test must end. The programs' own watchdogs come first; this one is for compilers and tools. What a test
# needs on a busy machine is far below it: it compiles a program or two and runs them. lit's own limit needs a Python
# package that few machines have, but lit can put a command before each test's shell, meant for valgrind.
lit_config.useValgrind = True
lit_config.valgrindArgs = ["timeout", "--kill-after=5", os.environ.get("LIT_TEST_TIMEOUT", "1200")]

passed_on = ("OMP_", "KMP_", "LIBOMP", "NOWAIT_", "ASAN_", "LSAN_", "TSAN_", "UBSAN_", "CUDA", "GENERATED_",
             "LD_LIBRARY_PATH")
for name, value in os.environ.items():
    if name.startswith(passed_on):
        config.environment[name] = value
config.environment["NOWAIT_LLVM"] = config.llvm_major

# Another libomp.so.5 than the one that was found when the tree was configured, for programs that the tests run.
other_libomp = os.environ.get("NOWAIT_TEST_LIBOMP")
if other_libomp:
    if not os.path.exists(os.path.join(other_libomp, "libomp.so.5")):
        lit_config.fatal("NOWAIT_TEST_LIBOMP=%s: there is no libomp.so.5 in that folder" % other_libomp)
    paths = [os.path.abspath(other_libomp), config.environment.get("LD_LIBRARY_PATH")]
    config.environment["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, paths))
    lit_config.note("programs run on the libomp.so.5 in " + paths[0])

# The suite can run on GPUs of an emulated driver instead of the CPU devices.
on_cuda = "NOWAIT_CUDA_LIBRARY=%s NOWAIT_HOST_DEVICES=0" % os.path.join(config.cudaemu_dir, "libcuda.so.1")
if os.environ.get("LIT_DEVICE") == "cuda":
    config.environment.update(setting.split("=") for setting in (on_cuda + " CUDAEMU_DEVICES=4").split())
    config.available_features.add("device-cuda")
else:
    config.available_features.add("device-host")

# Programs with rights that their caller may lack, run by nobody.
sys.path.insert(0, config.test_source_root)
import secure_programs  # noqa: E402

if secure_programs.can_be_made(config.test_exec_root):
    config.available_features.add("secure-programs")

# File systems that one test sees alone.
if subprocess.call(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], stderr=subprocess.DEVNULL) == 0:
    config.available_features.add("private-mounts")

config.available_features.add("llvm-" + config.llvm_major)
config.available_features.update("sanitize-" + name for name in config.sanitize.split(",") if name)

cudaemu_source = os.path.join(os.path.dirname(config.test_source_root), "runtime", "cudaemu")
cuda_inputs = os.path.join(config.test_source_root, "endtoend", "cuda", "Inputs")
endtoend_inputs = os.path.join(config.test_source_root, "endtoend", "Inputs")


def in_lib(name):
    return os.path.join(config.lib_dir, name)


def in_bin(name):
    return os.path.join(config.bin_dir, name)


# A clang without an omp.h of its own finds one here, and only that.
omp_include = in_lib(os.path.join("nowait", "include-" + config.llvm_major))
omp_include = "-idirafter " + omp_include if os.path.isdir(omp_include) else ""
offload = "-fopenmp -fopenmp-targets=" + config.host_triple
stock_link = "-L{0} -Wl,-rpath,{0}".format(config.libomp_dir)
plugin = in_lib("nowait-clang-%s.so" % config.llvm_major)
pass_plugin = in_lib("nowait-pass-%s.so" % config.llvm_major)
use_plugin = "-fplugin=%s -fplugin-arg-nowait-verify" % plugin
# The host's code as the plugin leaves it, before anything else has changed it.
host_ir = "--offload-host-only -fno-discard-value-names -Xclang -disable-llvm-passes -S -emit-llvm -o -"

substitutions = {
    # Tools of the LLVM under test. The clangs are stock and bare: no -fopenmp, no plugin.
    "%clang": "%s %s" % (config.clang, omp_include),
    "%clangxx": "%s %s" % (config.clangxx, omp_include),
    "%opt": config.opt,
    "%FileCheck": config.filecheck,
    "%not": config.not_tool,
    "%count": os.path.join(config.llvm_bindir, "count"),
    # For the suite plugin.
    "%plugin": plugin,
    "%pass_plugin": pass_plugin,
    "%use_plugin": use_plugin,
    "%offload": offload,
    "%omp_include": omp_include,
    "%host_ir": " ".join([config.clang, omp_include, offload, use_plugin, host_ir]),
    "%stock_ir": " ".join([config.clang, omp_include, offload, host_ir]),
    # For programs that are run.
    "%nowait-clang": in_bin("nowait-clang"),
    "%nowait-clangxx": in_bin("nowait-clang++"),
    "%nowait-run": in_bin("nowait-run"),
    "%nowait-info": in_bin("nowait-info"),
    "%on-cuda": "env " + on_cuda,
    "%make-cubin": "%s %s" % (sys.executable, os.path.join(cudaemu_source, "make_cubin.py")),
    "%compile-emulated": os.path.join(cudaemu_source, "compile-emulated.sh"),
    "%give-rights": "%s %s" % (sys.executable, secure_programs.__file__),
    "%as-nobody": " ".join(secure_programs.AS_NOBODY),
    "%damage-image": "%s %s" % (sys.executable, os.path.join(endtoend_inputs, "damage_image.py")),
    "%generated-constructs": "%s %s" % (sys.executable, os.path.join(endtoend_inputs, "generated_constructs.py")),
    "%generated-tasks": "%s %s" % (sys.executable, os.path.join(endtoend_inputs, "generated_tasks.py")),
    "%every-setting": "%s %s" % (sys.executable, os.path.join(endtoend_inputs, "every_setting.py")),
    "%fault-everywhere": "%s %s" % (sys.executable, os.path.join(cuda_inputs, "fault_everywhere.py")),
    "%stock-clang": " ".join([config.clang, omp_include, offload, stock_link]),
    "%stock-clangxx": " ".join([config.clangxx, omp_include, offload, stock_link]),
}
for other in config.other_majors:
    if other != config.llvm_major:
        config.available_features.add("both-llvms")
        substitutions["%other_major"] = other
        substitutions["%other_plugin"] = in_lib("nowait-clang-%s.so" % other)
        substitutions["%other_pass_plugin"] = in_lib("nowait-pass-%s.so" % other)
# Names are whole words, so that one may begin like another.
config.substitutions += [(name + r"(?![-\w])", text) for name, text in substitutions.items()]
