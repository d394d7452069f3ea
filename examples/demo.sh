#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# demo.sh BUILD_DIR: compiles the examples with BUILD_DIR/bin/nowait-clang, runs them on the CPU device, and shows what
# non-blocking regions bring: every example runs in turn with NOWAIT_COMPLETION=event and =block, and the runs with the
# median wall times are compared. DEMO_RUNS sets the number of runs a mode (5). Fails if an answer is wrong.
set -euo pipefail
case "${1:-}" in -h | --help) sed -n '4,${/^#/!q;s/^# \{0,1\}//p}' "$0" && exit ;; esac
export LC_ALL=C

fail() {
    printf 'demo: %s\n' "$*" >&2
    exit 1
}

[ $# -eq 1 ] || fail "usage: $0 BUILD_DIR"
build=${1%/}
here=$(dirname "$0")
compiler=$build/bin/nowait-clang
out=$build/examples/demo
runs=${DEMO_RUNS:-5}

case $runs in '' | *[!0-9]* | 0*) fail "DEMO_RUNS=$runs: not a number of runs" ;; esac
[ -x "$compiler" ] || fail "no $compiler: build first (make)"
for tool in awk grep seq sort timeout; do
    command -v "$tool" >/dev/null || fail "$tool is missing"
done
mkdir -p "$out"

# The settings of a user's shell must not decide what is compared.
unset OMP_DEFAULT_DEVICE
export OMP_TARGET_OFFLOAD=MANDATORY NOWAIT_STATS=1

show_and_run() {
    printf '+ %s\n' "$*"
    "$@"
}

# The value of "nowait: KEY VALUE" in a file, or n/a.
statistic() {
    awk -v key="$2" '$1 == "nowait:" && $2 == key { value = $3 } END { print value == "" ? "n/a" : value }' "$1"
}

# The first number of the line "wall time: S s" that every example prints.
wall_time() {
    awk -F'[: ]+' '/^wall time:/ { print $3 }' "$1"
}

# run_once NAME MODE NUMBER COMMAND...: one run, its output in files; adds its wall time to the list of its mode.
run_once() {
    local name=$1 mode=$2 log=$out/$1-$2-$3 status=0 wall
    shift 3
    NOWAIT_COMPLETION=$mode timeout 60 "$@" >"$log.out" 2>"$log.err" || status=$?
    if [ "$status" -ne 0 ] || ! grep -q '^check: *ok' "$log.out"; then
        cat "$log.out" "$log.err" >&2
        case $status in
        0 | 1) fail "$name gave a wrong answer with NOWAIT_COMPLETION=$mode" ;;
        124) fail "$name was not done after 60 s with NOWAIT_COMPLETION=$mode" ;;
        *) fail "$name ended with status $status with NOWAIT_COMPLETION=$mode" ;;
        esac
    fi
    wall=$(wall_time "$log.out")
    [ -n "$wall" ] || fail "$name printed no wall time"
    printf '%s %s\n' "$wall" "$log" >>"$out/$name-$mode.walls"
}

# The line "WALL LOG" of the run with the median wall time.
median_run() {
    sort -g "$1" | awk '{ line[NR] = $0 } END { print line[int((NR + 1) / 2)] }'
}

# demo NAME TITLE SOURCES -- ARGUMENTS: one example from its source to its figures.
demo() {
    local name=$1 title=$2 mode number event_wall event_log block_wall block_log sources=()
    shift 2
    while [ "$1" != -- ]; do
        sources+=("$1")
        shift
    done
    shift

    printf '\n%s: %s\n' "$name" "$title"
    show_and_run "$compiler" -std=c11 -O2 -g1 -o "$out/$name" "${sources[@]}" -lm || fail "$name does not compile"
    rm -f "$out/$name-"*
    printf '+ %s\n' "$out/$name${*:+ $*}"
    for number in $(seq "$runs"); do
        for mode in event block; do
            run_once "$name" "$mode" "$number" "$out/$name" "$@"
        done
    done
    read -r event_wall event_log <<<"$(median_run "$out/$name-event.walls")"
    read -r block_wall block_log <<<"$(median_run "$out/$name-block.walls")"

    grep -v -e '^wall time:' -e '^check:' "$event_log.out" | awk '{ print "    " $0 }'
    awk '/^check:/ { print "    " $0 }' "$event_log.out"
    awk -v event="$event_wall" -v block="$block_wall" -v regions="$(statistic "$event_log.err" regions)" \
        -v in_flight="$(statistic "$event_log.err" max_in_flight)" \
        -v ns="$(statistic "$event_log.err" dispatch_ns_total)" \
        -v block_ns="$(statistic "$block_log.err" dispatch_ns_total)" '
        function milliseconds(ns) { return ns == "n/a" ? ns : sprintf("%.2f ms", ns / 1e6) }
        BEGIN {
            each = ns == "n/a" || regions + 0 == 0 ? "" : sprintf(" (%.2f us a region)", ns / regions / 1e3)
            ratio = event > 0 ? sprintf("%.2f", block / event) : "n/a"
            format = "    %-19s %s\n"
            printf format, "wall time:", sprintf("%.3f s, in block mode %.3f s: block/event %s", \
                                                 event, block, ratio)
            printf format, "dispatched:", regions " regions"
            printf format, "most in flight:", in_flight
            printf format, "launching thread:", milliseconds(ns) " in the runtime" each ", in block mode " \
                                                milliseconds(block_ns)
        }'
    if [ "$name" = hello ]; then
        awk '/^construct returned:/ { print "    (in block mode the construct returned " $3, $4, $5 ")" }' \
            "$block_log.out"
    fi
}

printf 'Medians of %s runs on the CPU device with NOWAIT_COMPLETION=event, and with =block for comparison.\n' "$runs"
demo hello 'a region of 200 ms while the host does something else' "$here/hello/hello.c" --
demo cholesky 'tiled Cholesky factorisation of the covariance matrix of 1679 earthquakes' \
    "$here/cholesky/cholesky.c" "$here/cholesky/events.c" -- "$here/data/earthquakes.csv"
demo image 'pipelined sharpening of a film made from a photograph' \
    "$here/image/image.c" "$here/image/ppm.c" -- --output "$out/sharpened.ppm" "$here/data/coffee.ppm"
printf '\ntimeline: the factorisation once more, traced (open %s in https://ui.perfetto.dev)\n' "$out/cholesky.json"
printf '+ NOWAIT_TRACE=%s %s\n' "$out/cholesky.json" "$out/cholesky $here/data/earthquakes.csv"
NOWAIT_STATS=0 NOWAIT_TRACE="$out/cholesky.json" timeout 60 "$out/cholesky" "$here/data/earthquakes.csv" >/dev/null ||
    fail "cholesky ended badly while it was traced"
"$build/bin/nowait-info" --trace "$out/cholesky.json" | awk '{ print "    " $0 }'
printf '\nAll answers are right. The first sharpened frame is in %s\n' "$out/sharpened.ppm"
