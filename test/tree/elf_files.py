# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: elf_files.py [--fortified] FOLDER...
       elf_files.py --try COMPILER

Looks at every ELF file in the folders. None has a run path with an element that is empty or relative, which is the
folder that a user happens to be in, or where others may put a library. What is installed (nowait-*, libnowait*) has its
table of addresses bound at the start and read-only then, no executable stack and no code that the loader writes to, and
checks its stack; with --fortified its calls of libc's formatting functions are checked.

--try makes files with each of these faults and sees that they are found.
"""
import os
import re
import stat
import subprocess
import sys
import tempfile

# Functions with a checked form that glibc's headers choose where they know a buffer's size, or always.
ALWAYS_CHECKED = {"printf", "fprintf", "vfprintf", "asprintf", "vasprintf"}


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments], capture_output=True, text=True, check=False).stdout


def others_may_write(folder):
    """True if not only its owner can put a file there, or make the folder if there is none."""
    while True:
        try:
            mode = os.stat(folder).st_mode
        except FileNotFoundError:
            parent = os.path.dirname(folder)
            # Who may write there makes the rest.
            if os.path.exists(parent):
                return bool(os.stat(parent).st_mode & stat.S_IWOTH)
            folder = parent
            continue
        break
    if mode & stat.S_IWOTH:
        return True
    while folder != "/":
        folder = os.path.dirname(folder)
        mode = os.stat(folder).st_mode
        # In a sticky folder nobody can replace what another has made.
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            return True
    return False


def run_path_faults(path, dynamic):
    for element in re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", dynamic):
        for folder in element.split(":"):
            if not folder:
                yield "an empty element in its run path %r" % element
            elif not folder.startswith(("/", "$ORIGIN/", "${ORIGIN}/")) and folder not in ("$ORIGIN", "${ORIGIN}"):
                yield "a relative element in its run path: " + folder
            else:
                origin = os.path.dirname(os.path.realpath(path))
                real = os.path.realpath(re.sub(r"\$(ORIGIN|\{ORIGIN\})", lambda _: origin, folder))
                if others_may_write(real):
                    yield "an element of its run path where others may write: " + folder


def hardening_faults(path, dynamic, fortified):
    segments = readelf("-l", path)
    imports = set(re.findall(r"UND (\w+)", readelf("--dyn-syms", path)))
    if "GNU_RELRO" not in segments:
        yield "no read-only table of addresses (-z relro)"
    if not re.search(r"\((FLAGS|BIND_NOW)\).*BIND_NOW|\(FLAGS_1\).*\bNOW\b", dynamic) and not is_plugin(path):
        yield "addresses bound late (-z now)"
    stack = re.search(r"GNU_STACK.*\s([RWE]+)\s+0x", segments)
    if not stack or "E" in stack.group(1):
        yield "an executable stack (-z noexecstack)"
    if "TEXTREL" in dynamic:
        yield "code that the loader writes to (not compiled with -fPIC)"
    if "__stack_chk_fail" not in imports:
        yield "no check of the stack (-fstack-protector-strong)"
    if fortified and imports & ALWAYS_CHECKED:
        yield "unchecked %s (_FORTIFY_SOURCE)" % ", ".join(sorted(imports & ALWAYS_CHECKED))


def faults_of(path, fortified, product):
    dynamic = readelf("-d", path)
    yield from run_path_faults(path, dynamic)
    if product:
        yield from hardening_faults(path, dynamic, fortified)


def elf_files(folder):
    for where, folders, names in os.walk(folder):
        # What other tests are making just now.
        folders[:] = [name for name in folders if name != "Output"]
        for name in sorted(names):
            path = os.path.join(where, name)
            if os.path.islink(path) or not os.path.isfile(path) or name.endswith(".o"):
                continue
            try:
                with open(path, "rb") as file:
                    if file.read(4) == b"\x7fELF":
                        yield path
            except FileNotFoundError:
                pass


def is_product(path):
    return re.match(r"(lib)?nowait\b", os.path.basename(path)) is not None


def is_plugin(path):
    """A compiler of another LLVM lacks some of the functions that a plugin calls, and it is the plugin that says so."""
    return re.match(r"nowait-(clang|pass)-\d+\.so$", os.path.basename(path)) is not None


def check(folders, fortified):
    n_files = n_products = n_faults = 0
    for folder in folders:
        for path in elf_files(folder):
            n_files += 1
            n_products += is_product(path)
            for fault in faults_of(path, fortified, is_product(path)):
                n_faults += 1
                print("%s: %s" % (path, fault))
    print("%d ELF files, %d of them installed, %d faults" % (n_files, n_products, n_faults))
    return n_faults == 0 and n_products > 0


GOOD = ["-fPIC", "-O2", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2", "-fstack-protector-strong", "-Wl,-z,relro",
        "-Wl,-z,now", "-Wl,-z,noexecstack"]
TRIED = [
    ([], None),
    (["-Wl,-rpath,/usr/lib:"], "empty element"),
    (["-Wl,-rpath,:$ORIGIN"], "empty element"),
    (["-Wl,-rpath,lib"], "relative element"),
    (["-Wl,-rpath,$ORIGIN/open"], "others may write"),
    (["-Wl,-rpath,$ORIGIN/open/not-there"], "others may write"),
    (["-Wl,-rpath,$ORIGIN/closed:$ORIGIN"], None),
    (["-Wl,-z,norelro"], "relro"),
    (["-Wl,-z,lazy"], "-z now"),
    (["-Wl,-z,execstack"], "executable stack"),
    (["-fno-stack-protector"], "stack-protector"),
    (["-U_FORTIFY_SOURCE"], "unchecked printf"),
]
SOURCE = """
#include <stdio.h>
#include <string.h>
int f(const char *text) { char copy[99]; strncpy(copy, text, 98); return printf("%s", copy); }
"""


def try_faults(compiler):
    good = True
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o755)
        for name, mode in ("open", 0o777), ("closed", 0o755):
            os.mkdir(os.path.join(work, name))
            os.chmod(os.path.join(work, name), mode)
        source, library = os.path.join(work, "f.c"), os.path.join(work, "f.so")
        with open(source, "w", encoding="ascii") as file:
            file.write(SOURCE)
        for options, expected in TRIED:
            subprocess.run([compiler, "-shared", source, "-o", library] + GOOD + options, check=True)
            found = list(faults_of(library, True, True))
            if (len(found), expected and expected in found[0]) not in ((0, None), (1, True)):
                good = False
                print("%s: expected %s, found %s" % (" ".join(options), expected, found))
    return good


if __name__ == "__main__":
    if sys.argv[1] == "--try":
        sys.exit(not try_faults(sys.argv[2]))
    sys.exit(not check([a for a in sys.argv[1:] if a != "--fortified"], "--fortified" in sys.argv))
