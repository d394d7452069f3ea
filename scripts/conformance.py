#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs that others wrote on nowait, and on stock libomptarget for comparison.

Two public suites, both read from where you have unpacked them and never copied:

  LLVM's offload tests  the folder offload/test of LLVM's source (api, mapping, offloading, ompt), run by LLVM's own lit
  OpenMP_VV             the OpenMP validation suite (tests/4.5 to tests/5.2, the C and C++ programs that use target)

Each program is compiled by stock clang, and with the nowait plugin if it has target tasks or updates: the plugin
leaves code without any as it is, so such a program is only linked once more. It runs in five ways:

  stock            built by stock clang, on stock libomptarget: the baseline
  plugin-event     built with the plugin, on libnowait, NOWAIT_COMPLETION=event
  plugin-requeue   the same program, NOWAIT_COMPLETION=requeue
  run-event        the program of the first way under nowait-run, NOWAIT_COMPLETION=event
  run-requeue      the same program, NOWAIT_COMPLETION=requeue

Programs and results are kept in the work folder: what has not changed is neither compiled nor run again, and OpenMP_VV,
where a program runs in all ways before the next one is compiled, goes on where it was stopped.
Exit status: 0 when every program that passes on stock passes in all ways, 1 when one does not, 2 on wrong usage.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time

TRIPLE = "x86_64-pc-linux-gnu"
# LLVM's tests name commands for each of these; all but our own become no-ops.
TRIPLES = [TRIPLE, "aarch64-unknown-linux-gnu", "amdgcn-amd-amdhsa", "nvptx64-nvidia-cuda", "powerpc64-ibm-linux-gnu",
           "powerpc64le-ibm-linux-gnu", "s390x-ibm-linux-gnu", "x86_64-unknown-linux-gnu"]
LLVM_FOLDERS = ("api", "mapping", "offloading", "ompt")
VV_VERSIONS = ("4.5", "5.0", "5.1", "5.2")
# The build of each way, and the completion mode; None: stock libomptarget.
WAYS = {
    "stock": ("stock", None),
    "plugin-event": ("plugin", "event"),
    "plugin-requeue": ("plugin", "requeue"),
    "run-event": ("stock", "event"),
    "run-requeue": ("stock", "requeue"),
}
PASSED = ("PASS", "FLAKYPASS", "XFAIL")


# A linker that makes two programs of one in which the plugin changes nothing, for it has neither target tasks nor
# updates: what it was asked for, and the same with libnowait.
LINK_TWICE = '''#!/bin/sh
# Written by conformance.py.
/usr/bin/ld "$@" || exit
previous= output= objects=
for arg; do
    [ "$previous" != -o ] || output=$arg
    case $arg in
    -shared) exit 0 ;;
    {folders[stock]}*.so | {folders[stock]}*.a | -L{folders[stock]}*) exit 0 ;;
    *.o) objects="$objects $arg" ;;
    esac
    previous=$arg
done
nm -u $objects | grep -Eq '__kmpc_omp_target_task_alloc|__tgt_target_data_update' && exit 0
exec /usr/bin/ld {libnowait} "$@" -o "$output.twin"
'''


# --- compiling once ---------------------------------------------------------------------------------------------------


def digest(*parts):
    """A short name for the contents of files (paths that exist) and for text."""
    total = hashlib.sha256()
    for part in parts:
        if os.path.isfile(part):
            with open(part, "rb") as file:
                total.update(file.read())
        total.update(part.encode() + b"\0")
    return total.hexdigest()[:32]


def is_program(path):
    """True for an ELF file that has an interpreter: a program, not a shared library or an object."""
    with open(path, "rb") as file:
        head = file.read(4096)
    return head.startswith(b"\x7fELF") and b"/lib64/ld-linux" in head


def make_runner(path):
    """Puts a script in a program's place, so that each way's limit and nowait-run stand before it, whoever runs it."""
    real = path + ".real"
    os.replace(path, real)
    with open(path, "w", encoding="ascii") as script:
        script.write('#!/bin/sh\nexec timeout -s KILL "$CONFORMANCE_LIMIT" $CONFORMANCE_RUN "%s" "$@"\n' % real)
    os.chmod(path, 0o755)


def restore(kept, output):
    """Puts a kept output where the compiler would have."""
    shutil.copy2(kept, output)
    if is_program(output):
        make_runner(output)


def output_of(command):
    """What a compile command writes."""
    return command[command.index("-o") + 1] if "-o" in command else None


class Cache:
    """What compile commands have written and said, and how one build's commands become another's."""

    def __init__(self, folder):
        self.folder = folder

    def describe(self, description):
        """Leaves word of the builds for those that only know the folder."""
        with open(self.folder + "/builds", "w", encoding="utf-8") as file:
            json.dump(description, file)
        linker = self.folder + "/ld"
        with open(linker, "w", encoding="utf-8") as file:
            file.write(LINK_TWICE.format(**description))
        os.chmod(linker, 0o755)

    def key(self, build, command, folder):
        """Names what a command does."""
        output = output_of(command)
        # The output's name counts, what an earlier command has left there does not.
        inputs = ["-o " + arg if arg == output else arg for arg in command]
        with open(self.folder + "/builds", encoding="utf-8") as file:
            salt = json.load(file)["salt"][build]
        return os.path.join(self.folder, digest(salt, folder, *inputs))

    def repeat(self, key, output, suffix=""):
        """Does what a command did last time; `suffix`: of the program that was made besides. None: there is none."""
        try:
            with open(key + ".json", encoding="utf-8") as file:
                done = json.load(file)
        except OSError:
            return None
        if suffix and not (done["status"] == 0 and os.path.exists(key + suffix)):
            return None
        if output and done["output"]:
            restore(key + suffix, output)
        return done["status"], done["stdout"], done["stderr"]

    def twin(self, command, output):
        """The program of a command with the plugin, if stock's has been linked against libnowait as well."""
        with open(self.folder + "/builds", encoding="utf-8") as file:
            builds = json.load(file)
        here, there = builds["folders"]["plugin"], builds["folders"]["stock"]
        flags, text = "\0".join(builds["flags"]["plugin"]), "\0".join(command)
        if flags not in text:
            return None
        stock = text.replace(flags, "\0".join(builds["flags"]["stock"])).replace(here, there).split("\0")
        return self.repeat(self.key("stock", stock, os.getcwd().replace(here, there)), output, ".twin")

    def compile(self, build, command):
        """Runs a compile command, or repeats what it did last time. Returns (exit status, output, errors)."""
        output = output_of(command)
        key = self.key(build, command, os.getcwd())
        done = self.repeat(key, output) or (self.twin(command, output) if build == "plugin" else None)
        if done:
            return done
        if output and os.path.exists(output):
            os.remove(output)
        # Of what is linked with other things of the suite's a twin would have to be linked with their twins.
        twice = build == "stock" and output and "-c" not in command and "-shared" not in command
        linker = ["--ld-path=" + self.folder + "/ld"] if twice else []
        result = subprocess.run(["timeout", "-s", "KILL", "300"] + command + linker, stdin=subprocess.DEVNULL,
                                capture_output=True, check=False)
        made = bool(output) and os.path.isfile(output) and result.returncode == 0
        if made:
            shutil.copy2(output, key)
            restore(key, output)
            if os.path.exists(output + ".twin"):
                os.replace(output + ".twin", key + ".twin")
        done = {"status": result.returncode, "output": made, "stdout": result.stdout.decode("utf-8", "replace"),
                "stderr": result.stderr.decode("utf-8", "replace")}
        with open(key + ".new", "w", encoding="utf-8") as file:
            json.dump(done, file)
        os.replace(key + ".new", key + ".json")
        return done["status"], done["stdout"], done["stderr"]


def compiler_main(arguments):
    """conformance.py --compile CACHE BUILD COMMAND...: what lit calls in place of clang."""
    status, stdout, stderr = Cache(arguments[0]).compile(arguments[1], arguments[2:])
    sys.stdout.write(stdout)
    sys.stderr.write(stderr)
    return status if status >= 0 else 128 - status


# --- what is tested ---------------------------------------------------------------------------------------------------


class Setting:
    """Where the compilers and libraries are, and how a way's programs are built and run."""

    def __init__(self, options):
        self.options = options
        self.llvm = "/usr/lib/llvm-%s" % options.llvm
        self.clang = {"c": self.llvm + "/bin/clang", "cpp": self.llvm + "/bin/clang++"}
        nowait = os.path.abspath(options.nowait)
        self.lib = os.path.join(nowait, "lib")
        self.bin = os.path.join(nowait, "bin")
        self.plugin = os.path.join(self.lib, "nowait-clang-%s.so" % options.llvm)
        self.runtime = os.path.realpath(os.path.join(self.lib, "libnowait.so"))
        nowaits = [self.plugin, self.runtime, os.path.join(self.bin, "nowait-run")]
        for path in [self.clang["c"]] + (nowaits if options.ways != ["stock"] else []):
            if not os.path.exists(path):
                sys.exit("conformance.py: no %s: is LLVM %s installed, and nowait built?" % (path, options.llvm))
        self.work = os.path.join(os.path.abspath(options.work), options.llvm)
        version = subprocess.run([self.clang["c"], "--version"], capture_output=True, check=True).stdout.decode()
        self.salt = {"stock": digest(version), "plugin": digest(version, self.plugin, self.bin + "/nowait-clang")}
        # clang's own include folder may hold no omp.h, when another LLVM's OpenMP is installed.
        self.include = ["-idirafter", options.omp_include] if options.omp_include else []
        self.objects = {build: os.path.join(self.work, "programs-" + build) for build in self.salt}
        cache = os.path.join(self.work, "cache")
        os.makedirs(cache, exist_ok=True)
        self.cache = Cache(cache)
        compat = self.lib + "/nowait/compat"
        libnowait = ["-L" + compat, "-L" + self.lib, "--push-state", "--no-as-needed", "-lnowait", "--pop-state",
                     "-rpath", compat, "-rpath", self.lib]
        self.cache.describe({
            "salt": self.salt, "flags": {build: self.link_flags(build) for build in self.salt},
            "folders": self.objects,
            "libnowait": " ".join(map(shlex.quote, libnowait))})

    def libraries(self):
        """Folders with stock libomp and stock libomptarget."""
        return self.options.stock_lib or [self.llvm + "/lib"]

    def link_flags(self, build):
        """Flags for a build, as README.md gives them."""
        paths = list(self.libraries())
        flags = []
        if build == "plugin":
            paths = [self.lib + "/nowait/compat", self.lib] + paths
            flags = ["-fplugin=" + self.plugin, "-Wl,--push-state,--no-as-needed", "-L" + paths[0], "-L" + paths[1],
                     "-lnowait", "-Wl,--pop-state"]
        return flags + ["-L" + path for path in paths] + ["-Wl,-rpath," + path for path in paths]

    def environment(self, way):
        """The environment of a way's programs."""
        build, mode = WAYS[way]
        values = {"CONFORMANCE_LIMIT": str(self.options.timeout), "CONFORMANCE_RUN": ""}
        if mode:
            values["NOWAIT_COMPLETION"] = mode
            # Tests of what cannot be done look for LLVM's lines and its SIGABRT.
            values["NOWAIT_FATAL"] = "abort"
            if build == "stock":
                values["CONFORMANCE_RUN"] = os.path.join(self.bin, "nowait-run")
        return values

    def state(self, way):
        """Names all that a way's results depend on, apart from the tests."""
        if not WAYS[way][1]:
            return self.salt["stock"]
        mine = (self.runtime, os.path.join(self.bin, "nowait-run"))
        return digest(self.salt["plugin"], *mine, json.dumps(self.environment(way)))


def clean_environment():
    """This process's environment without what steers OpenMP."""
    steering = ("OMP_", "KMP_", "LIBOMP", "NOWAIT_", "LD_PRELOAD", "LD_LIBRARY_PATH")
    return {name: value for name, value in os.environ.items() if not name.startswith(steering)}


# --- LLVM's own tests -------------------------------------------------------------------------------------------------

SITE = '''# Written by conformance.py.
import os
config.bin_llvm_tools_dir = "{llvm}/bin"
config.test_c_compiler = "{compile} {clang}"
config.test_cxx_compiler = "{compile} {clang}++"
config.test_fortran_compiler = ""
config.test_compiler_features = {features}
config.test_openmp_flags = "-fopenmp"
config.test_extra_flags = "{flags}"
config.cuda_path = config.cuda_libdir = config.cuda_test_arch = config.amdgpu_test_arch = ""
config.libomptarget_obj_root = "{objects}"
config.library_dir = config.llvm_library_dir = config.llvm_library_intdir = config.llvm_lib_directory = "{stock}"
config.omp_header_directory = "{header}"
config.omp_host_rtl_directory = "{stock}"
config.operating_system = "Linux"
config.libomptarget_all_targets = {targets}
config.libomptarget_current_target = "{triple}"
config.libomptarget_filecheck = "{llvm}/bin/FileCheck"
config.libomptarget_not = "{llvm}/bin/not"
config.libomptarget_debug = False
config.has_libomptarget_ompt = True
config.libomptarget_has_libc = False
config.libomptarget_test_pgo = False
config.offload_device_info = config.offload_tblgen = "false"
lit_config.load_config(config, "{tests}/lit.cfg")
config.environment.update({environment})
config.test_retry_attempts = {retries}
# A folder for all tests, which lit has done away with.
config.substitutions.append(("%T", "{objects}"))
'''


class LlvmSuite:
    """offload/test of LLVM's source, run by lit with this script in the compiler's place."""

    name = "llvm"

    def __init__(self, setting, tests):
        self.setting = setting
        self.tests = os.path.abspath(tests)
        if not os.path.isfile(self.tests + "/lit.cfg"):
            sys.exit("conformance.py: no lit.cfg in %s: --llvm-tests names LLVM's folder offload/test" % self.tests)

    def write_site(self, way):
        """Writes lit's site configuration for a way. Returns its folder."""
        setting = self.setting
        build = WAYS[way][0]
        site = os.path.join(setting.work, "lit", way)
        # One folder for all ways of a build: the compile commands are the same then.
        objects = os.path.join(setting.objects[build], "lit")
        os.makedirs(site, exist_ok=True)
        os.makedirs(objects, exist_ok=True)
        script = os.path.abspath(__file__)
        major = setting.options.llvm
        text = SITE.format(
            llvm=setting.llvm, clang=setting.clang["c"], objects=objects, stock=setting.libraries()[0], triple=TRIPLE,
            compile="%s %s --compile %s %s" % (sys.executable, script, setting.cache.folder, build),
            targets=TRIPLES, features=["clang", "clang-" + major, "not-gcc"],
            flags=" ".join(setting.link_flags(build) + setting.include),
            header=setting.options.omp_include or setting.llvm + "/lib/clang/%s/include" % major,
            tests=self.tests, environment=setting.environment(way), retries=setting.options.retries)
        with open(site + "/lit.site.cfg", "w", encoding="utf-8") as file:
            file.write(text)
        return site

    def selection(self):
        """What of the suite a file of results is about: lit writes its results when it is through."""
        return self.setting.options.filter or ""

    def selected(self, results):
        """The results of what --filter selects."""
        return results

    def run(self, progress, table, save):
        """Runs each way that has no results yet as a whole. Fills {way: {test: result}}."""
        for way in table:
            if not table[way]:
                table[way] = self.run_way(way, progress)
                save(way)

    def run_way(self, way, progress):
        """Returns {test: {code, output}}."""
        options = self.setting.options
        site = self.write_site(way)
        results = os.path.join(site, "results.json")
        pattern = " :: (%s)/.*%s" % ("|".join(LLVM_FOLDERS), options.filter or "")
        command = [sys.executable, options.lit, "-j%d" % options.jobs, "--filter", pattern, "-o", results, "-v", site]
        progress("%s: %s" % (way, " ".join(command)))
        with open(os.path.join(site, "log"), "wb") as log:
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, check=False,
                           env=clean_environment())
        with open(results, encoding="utf-8") as file:
            tests = json.load(file)["tests"]
        return {test["name"].split(" :: ")[-1]: {"code": test["code"], "output": test["output"][-6000:]}
                for test in tests if test["code"] != "EXCLUDED"}


# --- OpenMP_VV --------------------------------------------------------------------------------------------------------

USES_TARGET = re.compile(r"pragma\s+omp[^\n]*(\\\n[^\n]*)*\btarget\b|omp_target_|OMPVV_TEST_\w*(OFFLOADING|SHARED)")


class VvSuite:
    """The OpenMP validation suite, compiled by nowait-clang or stock clang and judged by the exit status."""

    name = "ompvv"

    def __init__(self, setting, root):
        self.setting = setting
        self.root = os.path.abspath(root)
        self.programs = []
        for version in VV_VERSIONS:
            for folder, _, files in sorted(os.walk(os.path.join(self.root, "tests", version))):
                for file in sorted(files):
                    path = os.path.join(folder, file)
                    if file.endswith((".c", ".cpp")) and self.wanted(path):
                        self.programs.append(os.path.relpath(path, self.root + "/tests"))
        if not self.programs:
            sys.exit("conformance.py: no tests below %s/tests: --ompvv names the suite's root" % self.root)

    def wanted(self, path):
        """True for a program that uses target, and that --filter selects."""
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        return USES_TARGET.search(text) and re.search(self.setting.options.filter or "", path)

    def build(self, test, build):
        """Compiles a test. Returns (program, None) or (None, why not)."""
        setting = self.setting
        language = test.rsplit(".", 1)[1]
        program = os.path.join(setting.objects[build], "ompvv", test + ".bin")
        os.makedirs(os.path.dirname(program), exist_ok=True)
        compiler = [setting.clang[language], "-fopenmp", "-fopenmp-targets=" + TRIPLE] + setting.link_flags(build)
        rest = setting.include + [
            "-fopenmp-version=" + ("52" if test.startswith("5.2") else "51"), "-O2", "-w", "-I" + self.root + "/ompvv",
            os.path.join(self.root, "tests", test), "-o", program, "-lm"]
        done = setting.cache.twin(compiler + rest, program) if build == "plugin" else None
        if build == "plugin":
            compiler = ["env", "NOWAIT_LLVM=" + setting.options.llvm,
                        setting.bin + ("/nowait-clang" if language == "c" else "/nowait-clang++")]
        status, _, stderr = done or setting.cache.compile(build, compiler + rest)
        return (program, None) if status == 0 else (None, stderr)

    def run_once(self, test, program, way):
        """Runs a program once. Returns (code, output)."""
        environment = dict(clean_environment(), **self.setting.environment(way))
        if self.setting.options.stock_lib:
            environment["LD_LIBRARY_PATH"] = ":".join(self.setting.options.stock_lib)
        # As the suite's makefile does: test_<name>_env_<value> runs with the variable NAME=<value>.
        variable = re.match(r"test_(.*)_env_(.*)\.", os.path.basename(test))
        if variable:
            environment[variable[1].upper()] = variable[2]
        start = time.monotonic()
        result = subprocess.run([program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                env=environment, check=False, cwd=os.path.dirname(program))
        seconds = time.monotonic() - start
        output = result.stdout.decode("utf-8", "replace")[-6000:]
        if result.returncode == 0:
            # A region that has quietly run on the host proves nothing; a few tests mean to (stock's column tells).
            return "HOSTPASS" if "passed on the host" in output else "PASS", output
        # Exit status -667, as the system keeps it, is the suite's way to say that a test was skipped.
        if result.returncode == -667 & 0xff and "skipped" in output:
            return "UNSUPPORTED", output
        if result.returncode in (137, -9) and seconds >= self.setting.options.timeout:
            return "TIMEOUT", output
        return "FAIL", "exit status %d\n%s" % (result.returncode, output)

    def run_test(self, test, way):
        """Compiles and runs a test, again if it fails. Returns {code, output}."""
        program, errors = self.build(test, WAYS[way][0])
        if not program:
            return {"code": "NOCOMPILE", "output": errors[-3000:]}
        first = None
        for attempt in range(self.setting.options.retries + 1):
            code, output = self.run_once(test, program, way)
            if code in ("PASS", "HOSTPASS", "UNSUPPORTED"):
                if attempt == 0:
                    return {"code": code, "output": output}
                return {"code": "FLAKYPASS", "output": "failed %d times: %s" % (attempt, first)}
            first = first or code + " " + output
        return {"code": code, "output": first}

    def selection(self):
        """A file of results grows by whatever is selected."""
        return ""

    def selected(self, results):
        """The results of what --filter selects."""
        return {test: results[test] for test in self.programs}

    def run(self, progress, table, save):
        """Runs what a way has no result of yet, a program in all ways before the next. Fills {way: {test: result}}."""
        lock = threading.Lock()

        def one(test):
            for way in table:
                if test in table[way]:
                    continue
                result = self.run_test(test, way)
                with lock:
                    table[way][test] = result
                    save(way)
                    if result["code"] not in PASSED + ("HOSTPASS",):
                        progress("%s: %s %s" % (way, result["code"], test))
                if way == list(table)[-1] and len(table[way]) % 10 == 0:
                    progress("%d programs of %d" % (len(table[way]), len(self.programs)))

        with concurrent.futures.ThreadPoolExecutor(self.setting.options.jobs) as pool:
            list(pool.map(one, self.programs))


# --- results ----------------------------------------------------------------------------------------------------------


def read_results(path, state):
    """What a file has of this state: {test: result}."""
    try:
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
    except OSError:
        return {}
    return kept["results"] if kept["state"] == state else {}


def write_results(path, state, results):
    """Puts results into a file, at once or not at all."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump({"state": state, "results": results}, file, indent=1)
    os.replace(path + ".new", path)


def run_suite(suite, setting, progress):
    """Runs a suite in every way that is asked for; goes on where it was stopped. Returns {way: {test: result}}."""
    options = setting.options
    paths = {way: os.path.join(setting.work, "results-%s-%s.json" % (suite.name, way)) for way in options.ways}
    states = {way: digest(setting.state(way), suite.selection(), str(options.timeout)) for way in options.ways}
    table = {way: {} if options.rerun else read_results(paths[way], states[way]) for way in options.ways}
    start = time.monotonic()
    suite.run(progress, table, lambda way: write_results(paths[way], states[way], table[way]))
    progress("done in %d s" % (time.monotonic() - start))
    return {way: suite.selected(results) for way, results in table.items()}


def report(title, table):
    """Prints a suite's counts and its differences from stock. Returns how many programs are worse than on stock."""
    codes = ("PASS", "HOSTPASS", "FLAKYPASS", "XFAIL", "FAIL", "TIMEOUT", "UNSUPPORTED", "NOCOMPILE")
    print("\n## %s\n\n| way | %s |\n|---|%s" % (title, " | ".join(codes), "---|" * len(codes)))
    for way, results in table.items():
        all_codes = [result["code"] for result in results.values()]
        others = len([code for code in all_codes if code not in codes])
        print("| %s | %s |%s" % (way, " | ".join(str(all_codes.count(code)) for code in codes),
                                 " %d others" % others if others else ""))
    baseline = table.get("stock", {})
    tests = sorted({test for results in table.values() for test in results})
    worse = 0
    for test in tests:
        stock = baseline.get(test, {}).get("code", "-")
        ours = {way: results.get(test, {}).get("code", "-") for way, results in table.items() if way != "stock"}
        # What passes on stock's host passes here wherever it runs.
        good = PASSED if stock in PASSED else PASSED + ("HOSTPASS",)
        bad = ["%s %s" % (way, code) for way, code in ours.items() if code not in good]
        if stock in PASSED + ("HOSTPASS",) and bad:
            worse += 1
            print("worse   %s: %s" % (test, ", ".join(bad)))
    for test in tests:
        stock = baseline.get(test, {}).get("code", "-")
        ours = {way: results.get(test, {}).get("code", "-") for way, results in table.items() if way != "stock"}
        if stock not in PASSED + ("HOSTPASS", "UNSUPPORTED", "NOCOMPILE"):
            good = [way for way, code in ours.items() if code in PASSED]
            if ours:
                print("stock %s %s: %s" % (stock, test, "passes in all ways here" if len(good) == len(ours) else
                                           "passes here in " + ", ".join(good) if good else "fails here too"))
        flaky = [way for way, results in table.items() if results.get(test, {}).get("code") == "FLAKYPASS"]
        if flaky:
            print("flaky   %s: %s" % (test, ", ".join(flaky)))
    return worse


def find_lit():
    """lit of whichever LLVM has it."""
    for major in (22, 19):
        for name in ("bin/lit", "build/utils/lit/lit.py"):
            path = "/usr/lib/llvm-%d/%s" % (major, name)
            if os.path.exists(path):
                return path
    return shutil.which("lit") or "lit"


def parse(arguments):
    """The command line."""
    head, rest = __doc__.split("\n", 1)
    parser = argparse.ArgumentParser(prog="conformance.py", description=head, epilog=rest,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nowait", default="build", help="build folder, or where nowait is installed (build)")
    parser.add_argument("--work", default="build/conformance", help="programs and results (build/conformance)")
    parser.add_argument("--llvm", default="19", choices=("19", "22"), help="LLVM that compiles (19)")
    parser.add_argument("--llvm-tests", metavar="DIR", help="offload/test of that LLVM's source")
    parser.add_argument("--ompvv", metavar="DIR", help="root of OpenMP_VV")
    parser.add_argument("--stock-lib", metavar="DIR", action="append",
                        help="folder of stock libomp or libomptarget, if not /usr/lib/llvm-N/lib; may be repeated")
    parser.add_argument("--omp-include", metavar="DIR", help="folder with omp.h, if clang has none of its own")
    parser.add_argument("--ways", metavar="W,W", default=",".join(WAYS), help="which ways (all)")
    parser.add_argument("--filter", metavar="REGEX", help="only tests whose path matches")
    parser.add_argument("--jobs", "-j", type=int, default=2, help="tests at a time (2)")
    parser.add_argument("--timeout", type=int, default=60, help="seconds a program may run before it is killed (60)")
    parser.add_argument("--retries", type=int, default=2, help="how often a failing test is run again (2)")
    parser.add_argument("--rerun", action="store_true", help="run again although nothing has changed")
    parser.add_argument("--lit", default=find_lit(), help="lit's path")
    options = parser.parse_args(arguments)
    options.ways = options.ways.split(",")
    for way in options.ways:
        if way not in WAYS:
            parser.error("no way %s; there are %s" % (way, ", ".join(WAYS)))
    if not options.llvm_tests and not options.ompvv:
        parser.error("give --llvm-tests or --ompvv or both")
    return options


def main():
    if sys.argv[1:2] == ["--compile"]:
        return compiler_main(sys.argv[2:])
    options = parse(sys.argv[1:])
    setting = Setting(options)
    suites = []
    if options.llvm_tests:
        suites.append((LlvmSuite(setting, options.llvm_tests), "LLVM %s offload/test" % options.llvm))
    if options.ompvv:
        suites.append((VvSuite(setting, options.ompvv), "OpenMP_VV, compiled by LLVM %s" % options.llvm))
    worse = 0
    for suite, title in suites:

        def progress(text, name=suite.name):
            print("%s %s %s" % (time.strftime("%H:%M:%S"), name, text), file=sys.stderr, flush=True)

        worse += report(title, run_suite(suite, setting, progress))
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
