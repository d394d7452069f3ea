# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: every_setting.py NOWAIT-INFO PROGRAM

Runs the program once for each word and each end of each range in the table of settings, with that setting alone."""
import os
import re
import subprocess
import sys

# These print when the program ends, as they are asked to.
PRINTS = {("NOWAIT_STATS", "1"), ("NOWAIT_LOG", "info"), ("NOWAIT_LOG", "debug"), ("LIBOMPTARGET_INFO", "-1")}
# What the tests themselves have set stays.
LEFT_ALONE = {"NOWAIT_LLVM", "NOWAIT_CLANG"} | set(os.environ)


def values(words, n_devices):
    """The least and the greatest value, or the listed ones; nothing where any text will do."""
    words = re.sub(r" \(units .*", "", words).replace("the number of devices", str(n_devices))
    if "|" in words:
        return words.split("|")
    if words == "a number, or -1 for all bits":
        return ["0", "-1"]
    return words.split(" to ") if " to " in words else []


def complain(setting, result):
    sys.exit("%s: status %d\n%s%s" % (setting, result.returncode, result.stdout, result.stderr))


def main(info, program):
    table = subprocess.run([info, "--markdown"], check=True, capture_output=True, text=True).stdout
    devices = subprocess.run([info, "--devices"], check=True, capture_output=True, text=True).stdout
    rows = re.findall(r"^\| `(\w+)` \| (.*?[^\\]) \| ", table, re.MULTILINE)
    n_devices = len(re.findall(r"^\s*device \d", devices, re.MULTILINE))
    n_runs = 0
    for name, words in rows:
        for value in values(words.replace("\\|", "|"), n_devices) if name not in LEFT_ALONE else []:
            setting = "%s=%s" % (name, value)
            result = subprocess.run([program], env=dict(os.environ, **{name: value}), capture_output=True, text=True)
            unasked = result.stderr and (name, value) not in PRINTS
            if result.returncode or unasked or "is not one of" in result.stderr:
                complain(setting, result)
            n_runs += 1
    if len(rows) < 20 or n_runs < 2 * len(rows) - 20 or n_devices == 0:
        sys.exit("%d runs for %d settings and %d devices: the table has another form" % (n_runs, len(rows), n_devices))


main(*sys.argv[1:])
