#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# run.sh [--smoke] BUILD_DIR: measures this runtime against stock libomptarget 19 and prints a table; see README.md.
# Figures go to BUILD_DIR/bench/results.csv, profiles beside it. BENCH_ROUNDS sets the rounds of the quick programs (5).
# --smoke runs everything once with tiny counts: it shows that the benchmark works, its figures mean nothing.
set -euo pipefail
export LC_ALL=C

fail() {
    printf 'bench: %s\n' "$*" >&2
    exit 1
}

smoke=
if [ "${1:-}" = --smoke ]; then
    smoke=yes
    shift
fi
[ $# -eq 1 ] || fail "usage: $0 [--smoke] BUILD_DIR"
[ -d "$1" ] || fail "$1: no such folder"
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
clang=${BENCH_CLANG:-/usr/lib/llvm-19/bin/clang}
rounds=${BENCH_ROUNDS:-5}
out=$build/bench
[ -z "$smoke" ] || out=$build/bench/smoke

case $rounds in '' | *[!0-9]* | 0*) fail "BENCH_ROUNDS=$rounds: not a number of rounds" ;; esac
[ -x "$clang" ] || clang=$(command -v clang-19) || fail "no clang 19: scripts/packages.txt lists what is needed"
for tool in awk python3 sort strace timeout valgrind; do
    command -v "$tool" >/dev/null || fail "$tool is missing: scripts/packages.txt lists what is needed"
done
for tool in nowait-clang nowait-run; do
    [ -x "$build/bin/$tool" ] || fail "no $build/bin/$tool: build first (make)"
done
stock_lib=$(dirname "$(readlink -f "$("$clang" -print-file-name=libomptarget.so)")")
[ -e "$stock_lib/libomp.so.5" ] || fail "no stock libomptarget and libomp beside $stock_lib: install libomp-19-dev"
mkdir -p "$out/bin"

# The settings of a user's shell must not decide what is compared.
unset OMP_DEFAULT_DEVICE OMP_NUM_THREADS LIBOMPTARGET_INFO LIBOMP_USE_HIDDEN_HELPER_TASK
for name in $(compgen -e | grep -E '^(NOWAIT|KMP|OMPTARGET)_' || true); do unset "$name"; done
export OMP_TARGET_OFFLOAD=MANDATORY NOWAIT_LLVM=19

# --- programs ---------------------------------------------------------------------------------------------------------

say() { printf '%5d s  %s\n' "$SECONDS" "$*"; }

say "compile, with stock clang and with nowait-clang"
# Two programs at a time; each has a log of its own.
compile() {
    "$@" 2>"$3.log" || { cat "$3.log" >&2; return 1; }
}
for source in launch return independent threads chain mapping idle; do
    flags=(-std=gnu11 -O2 -Wall -Werror "$here/$source.c")
    compile "$clang" -o "$out/bin/$source.stock" -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu "${flags[@]}" &
    compile "$build/bin/nowait-clang" -o "$out/bin/$source.plugin" "${flags[@]}" ||
        fail "$source.c does not compile with the plugin"
    wait $! || fail "$source.c does not compile with stock clang"
done
"$clang" -std=gnu11 -O2 -Wall -Werror -shared -fPIC -fvisibility=hidden -o "$out/bin/count_allocations.so" \
    "$here/count_allocations.c"

# The variants that are compared. All but the last run the same binary.
variants="stock stock-nohelpers run-event run-requeue run-block plugin"
# Those that differ where no construct has nowait.
blocking="stock run-event"

# command VARIANT PROGRAM: sets `prefix` (assignments and wrapper for env) and `binary`.
command_of() {
    binary=$out/bin/$2.stock
    case $1 in
    stock) prefix=(env LD_LIBRARY_PATH="$stock_lib") ;;
    stock-nohelpers) prefix=(env LD_LIBRARY_PATH="$stock_lib" LIBOMP_USE_HIDDEN_HELPER_TASK=0) ;;
    run-*) prefix=(env LD_LIBRARY_PATH="$stock_lib" NOWAIT_COMPLETION="${1#run-}" "$build/bin/nowait-run") ;;
    plugin) prefix=(env) binary=$out/bin/$2.plugin ;;
    esac
}

# --- timed runs -------------------------------------------------------------------------------------------------------

raw=$out/raw.csv
echo "round,variant,metric,unit,least,median,most,repetitions" >"$raw"

# Seconds after which no program gets another round, so that a busy machine makes the benchmark less sure, not longer.
patience=120

# measure ROUNDS PROGRAM OPTION...: runs every variant in turn, and all of them again in the next round, so that what
# disturbs the machine for a while disturbs all of them.
measure() {
    local n=$1 program=$2 round variant status
    shift 2
    say "$program $*"
    for round in $(seq "$n"); do
        if [ "$round" -gt 1 ] && [ "$SECONDS" -gt "$patience" ]; then
            say "  the machine is busy: no more rounds of this one"
            break
        fi
        for variant in $variants; do
            command_of "$variant" "$program"
            status=0
            timeout -s KILL 60 "${prefix[@]}" "$binary" "$@" >"$out/last.out" 2>"$out/last.err" || status=$?
            if [ "$status" -ne 0 ]; then
                # Stock may crash or hang where this runtime does not: that is a result too.
                case $variant in
                stock*) say "  $program with $variant ended with status $status, no figure" && continue ;;
                esac
                cat "$out/last.out" "$out/last.err" >&2
                fail "$program with $variant ended with status $status"
            fi
            sed "s/^/$round,$variant,/" "$out/last.out" >>"$raw"
        done
    done
}

if [ -n "$smoke" ]; then
    measure 1 launch --batches 1 --batch 10 --repetitions 2
    measure 1 launch --maps 16 --batches 1 --batch 10 --repetitions 2
    measure 1 return --repetitions 1 --milliseconds 5
    measure 1 independent --regions 4 --milliseconds 2
    measure 1 threads --repetitions 1 --regions 2
    measure 1 chain --steps 10 --repetitions 2
    variants=$blocking measure 1 mapping --entries 100 --operations 10 --pairs 10 --repetitions 2
    measure 1 idle --milliseconds 10
else
    measure "$rounds" launch
    measure 3 launch --maps 16 --repetitions 5
    measure 2 return
    measure 2 independent
    measure 3 threads
    measure "$rounds" chain --microseconds 5
    measure "$rounds" chain --microseconds 50 --repetitions 5
    variants=$blocking measure 3 mapping
    measure 1 idle
fi

# --- counted runs -----------------------------------------------------------------------------------------------------

counted=$out/counted.csv
: >"$counted"

# What a long run counts beyond a short one, divided by the regions between them, is the steady state: starting and
# warming up are the same in both.
short=10 long=30 batch=100
[ -z "$smoke" ] || { short=2 long=4 batch=20; }
regions=$(((long - short) * batch))

# count_run VARIANT BATCHES OPTIONS [TOOL...]: runs launch, under a tool if there is one. `preset`: variables for it.
preset=()
count_run() {
    local variant=$1 batches=$2 options=$3
    shift 3
    command_of "$variant" launch
    # shellcheck disable=SC2086 # several words
    timeout -s KILL 120 env "${preset[@]}" "${prefix[@]}" "$@" "$binary" --warmup 0 --repetitions 1 \
        --batch "$batch" --batches "$batches" $options >"$out/last.out" 2>"$out/last.err" ||
        { tail -n 20 "$out/last.err" >&2; fail "launch with $variant ${1:+under ${1##*/} }failed"; }
}

# Instructions. The device finishes before each taskwait, and its worker sleeps at once (NOWAIT_SPIN=0), so that nothing
# polls: what remains is work. Stock's helper threads always poll, so only stock without them can be compared.
preset=(NOWAIT_SPIN=0 NOWAIT_HOST_WORKERS=1)
for variant in stock-nohelpers run-event plugin; do
    say "instructions of a region, $variant (callgrind)"
    rm -f "$out/callgrind-$variant-"*
    for batches in "$short" "$long"; do
        count_run "$variant" "$batches" "--settle 40" valgrind --tool=callgrind --separate-threads=yes \
            --callgrind-out-file="$out/callgrind-$variant-$batches"
    done
    python3 "$here/instructions.py" "$out/callgrind-$variant-$short" "$out/callgrind-$variant-$long" "$regions" \
        >"$out/instructions-$variant.txt"
    awk -v variant="$variant" '
        $1 == "thread" && NF == 3 && $2 == 1 { printf "%s,instructions_launching_thread,each,%s\n", variant, $3 }
        $1 == "thread" && NF == 3 && $2 > 1 { others += $3 }
        $1 == "total" { printf "%s,instructions_other_threads,each,%.1f\n", variant, others
                        printf "%s,instructions_all_threads,each,%s\n", variant, $2 }
        ' "$out/instructions-$variant.txt" >>"$counted"
done

# Allocations, by the library that asks for them.
for maps in 1 16; do
    say "allocations of a region with $maps maps (a counting library is preloaded)"
    for variant in stock stock-nohelpers run-event plugin; do
        for batches in "$short" "$long"; do
            preset=(LD_PRELOAD="$out/bin/count_allocations.so" ALLOCATIONS_FILE="$out/allocations-$batches.txt")
            count_run "$variant" "$batches" "--maps $maps"
        done
        awk -v variant="$variant" -v maps="$maps" -v regions="$regions" '
            BEGIN { n["runtime"] = n["libomp"] = n["other"] = 0 }
            { who = $2 ~ /^lib(nowait|omptarget)/ ? "runtime" : $2 ~ /^libomp/ ? "libomp" : "other"
              n[who] += FNR == NR ? -$3 : $3 }
            END { for (who in n)
                      printf "%s,allocations_%s_%s_maps,each,%.3f\n", variant, who, maps, n[who] / regions }' \
            "$out/allocations-$short.txt" "$out/allocations-$long.txt" >>"$counted"
    done
done

# System calls of all threads. Tracing slows each of them, which itself makes threads sleep and wake more often.
preset=()
for variant in stock stock-nohelpers run-event plugin; do
    say "system calls of a region, $variant (strace)"
    for batches in "$short" "$long"; do
        count_run "$variant" "$batches" "" strace -f -c -U calls,name -o "$out/strace-$variant-$batches.txt"
    done
    awk -v variant="$variant" -v regions="$regions" '
        BEGIN { n["futex"] = n["sched_yield"] = n["other"] = 0 }
        NF == 2 && $1 ~ /^[0-9]+$/ && $2 != "total" {
            n[$2 in n ? $2 : "other"] += FNR == NR ? -$1 : $1
        }
        END { for (name in n) printf "%s,system_calls_%s,each,%.3f\n", variant, name, n[name] / regions }' \
        "$out/strace-$variant-$short.txt" "$out/strace-$variant-$long.txt" >>"$counted"
done

# --- results ----------------------------------------------------------------------------------------------------------

processor=$(awk -F': *' '/^model name/ { print $2; exit }' /proc/cpuinfo)
commit=$(git -C "$here" -c safe.directory='*' describe --always --dirty 2>/dev/null || echo unknown)
{
    echo "# machine: $(nproc) of ${processor:-unknown processor}, Linux $(uname -r)"
    echo "# load: $(cut -d' ' -f1-3 /proc/loadavg)"
    echo "# nowait: commit $commit, $("$build/bin/nowait-clang" --nowait-version)"
    echo "# stock: $("$clang" --version | head -n 1), $stock_lib"
    echo "# date: $(date -u +%Y-%m-%dT%H:%MZ)${smoke:+, SMOKE RUN: the figures mean nothing}"
} >"$out/results.csv"
printf '\n'
cat "$out/results.csv"
printf '\n'
python3 "$here/report.py" "$raw" "$counted" "$out/results.csv"
printf '\nFigures: %s\nWhere the instructions go: %s\n' "$out/results.csv" "$out/instructions-plugin.txt"
say done
