#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tutorial_pictures.sh SOURCE_DIR BUILD_DIR: the tutorial's pictures can be drawn again, those that it shows and no
# other; each shows the program and a kernel.
set -eu
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/pictures"
"$source/scripts/tutorial-pictures.sh" "$build" "$work/pictures"
ls "$work/pictures" >"$work/drawn"
grep -o 'tutorial-[a-z]*\.svg' "$source/docs/tutorial.md" | sort -u >"$work/shown"
diff "$work/shown" "$work/drawn"
for picture in "$work"/pictures/*.svg; do
    grep -q 'class="k[02]"' "$picture" || {
        echo "$(basename "$picture") shows nothing of the program"
        exit 1
    }
    # A stretch of a run may lie between two kernels.
    grep -q 'class="k4" x="[0-9.]*" y="[0-9.]*" width="[0-9.]*" height="14"' "$picture" ||
        [ "$(basename "$picture")" = tutorial-stay.svg ] || {
        echo "$(basename "$picture") shows no kernel"
        exit 1
    }
done
