#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""doc_links.py SOURCE_DIR: every file, picture and section that a document links to is there."""
import glob
import os
import re
import sys


def without_code(text):
    return re.sub(r"^( *)```.*?^\1```$|`[^`\n]*`", "", text, flags=re.M | re.S)


def anchors(path):
    """What GitHub and other viewers call the sections: small letters, no punctuation, hyphens for spaces."""
    with open(path) as document:
        titles = re.findall(r"^#+ +(.*)$", re.sub(r"^```.*?^```$", "", document.read(), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def main():
    source = sys.argv[1]
    faults, count = [], 0
    documents = [path for pattern in ("*.md", "*/*.md", "*/*/*.md") for path in glob.glob(os.path.join(source, pattern))
                 if not os.path.relpath(path, source).startswith("build")]
    for path in documents:
        with open(path) as document:
            text = without_code(document.read())
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            name, _, anchor = target.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if not os.path.exists(file):
                faults.append("%s: there is no %s" % (path, target))
            elif anchor and anchor not in anchors(file):
                faults.append("%s: there is no section %s" % (path, target))
    print("\n".join(faults + ["%d documents, %d links, %d faults" % (len(documents), count, len(faults))]))
    sys.exit(1 if faults or not count else 0)


main()
