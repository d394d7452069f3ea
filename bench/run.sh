#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# run.sh [--smoke] BUILD_DIR: measures this runtime against stock libomptarget 19, on the CPU device and on the emulated
# GPU, and writes a report; see README.md. Figures go to BUILD_DIR/bench/: report.html, results.csv, profiles.
# BENCH_ROUNDS sets the rounds of the quick programs (5). If LLVM 22's libomptarget is there too, beside clang 22 or in
# the folder BENCH_STOCK_22, with its libomp if it needs another one, it is compared too.
# --smoke runs everything once with tiny counts: it shows that the benchmark works, its figures mean nothing.
set -euo pipefail
case "${1:-}" in -h | --help) sed -n '4,${/^#/!q;s/^# \{0,1\}//p}' "$0" && exit ;; esac
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
cudaemu=$build/cudaemu/libcuda.so.1
emulated=$here/../test/runtime/cudaemu
[ -e "$cudaemu" ] || fail "no $cudaemu: the emulated GPU belongs to the tests; configure with NOWAIT_BUILD_TESTS=ON"
[ -e "$stock_lib/libomp.so.5" ] || fail "no stock libomptarget and libomp beside $stock_lib: install libomp-19-dev"
stock_22=${BENCH_STOCK_22:-}
clang_22=/usr/lib/llvm-22/bin/clang
if [ -z "$stock_22" ] && [ -x "$clang_22" ]; then
    library=$("$clang_22" -print-file-name=libomptarget.so)
    [ ! -e "$library" ] || stock_22=$(dirname "$(readlink -f "$library")")
fi
[ -z "$stock_22" ] || [ -e "$stock_22/libomptarget.so" ] || fail "BENCH_STOCK_22: no libomptarget.so in $stock_22"
[ -z "$stock_22" ] || [ -x "$clang_22" ] || fail "BENCH_STOCK_22 is set, and there is no $clang_22"
mkdir -p "$out/bin"

# The settings of a user's shell must not decide what is compared.
unset OMP_DEFAULT_DEVICE OMP_NUM_THREADS LIBOMPTARGET_INFO LIBOMP_USE_HIDDEN_HELPER_TASK
for name in $(compgen -e | grep -E '^(NOWAIT|KMP|OMPTARGET|CUDAEMU)_' || true); do unset "$name"; done
export OMP_TARGET_OFFLOAD=MANDATORY NOWAIT_LLVM=19

# --- programs ---------------------------------------------------------------------------------------------------------

say() { printf '%5d s  %s\n' "$SECONDS" "$*"; }

say "compile, with stock clang and with nowait-clang, for the CPU device and for the emulated GPU"
# Two programs at a time; each has a log of its own.
compile() {
    local log=$1.log
    shift
    "$@" 2>"$log" || { cat "$log" >&2; return 1; }
}
flags=(-std=gnu11 -O2 -Wall -Werror)
compile_stock() {
    compile "$out/bin/$1.stock" "$clang" -o "$out/bin/$1.stock" -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu \
        "${flags[@]}" "${@:2}" -lm || fail "$1 does not compile with stock clang"
    [ -z "$stock_22" ] || compile "$out/bin/$1.stock22" "$clang_22" -idirafter "$build/lib/nowait/include-22" \
        -o "$out/bin/$1.stock22" -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu "-L$stock_22" "-L$stock_lib" \
        "${flags[@]}" "${@:2}" -lm || fail "$1 does not compile with stock clang 22"
    case " $on_gpu " in *" $1 "*) ;; *) return 0 ;; esac
    compile "$out/bin/$1.gpu" sh "$emulated/compile-emulated.sh" 7 90 "$out/bin/$1.gpu" "$2" "$clang" "${flags[@]}" \
        -L"$stock_lib" -lomptarget || fail "$1 does not compile for the emulated GPU"
    [ -z "$stock_22" ] || compile "$out/bin/$1.gpu22" sh "$emulated/compile-emulated.sh" 8 90 "$out/bin/$1.gpu22" "$2" \
        "$clang_22" -idirafter "$build/lib/nowait/include-22" "${flags[@]}" -L"$stock_22" -L"$stock_lib" -lomptarget ||
        fail "$1 does not compile with clang 22 for the emulated GPU"
}
compile_plugin() {
    compile "$out/bin/$1.plugin" "$build/bin/nowait-clang" -o "$out/bin/$1.plugin" "${flags[@]}" "${@:2}" -lm ||
        fail "$1 does not compile with the plugin"
}
compile_both() {
    compile_stock "$@" &
    compile_plugin "$@"
    wait $! || exit 1
}
on_gpu="launch return independent threads idle graph overlap emulated_rows"
for source in launch return independent threads chain mapping idle graph overlap timeline; do
    compile_both "$source" "$here/$source.c"
done
compile_both cholesky "$here/../examples/cholesky/cholesky.c" "$here/../examples/cholesky/events.c"
compile_both emulated_rows "$here/gpu/emulated_rows.c"
compile_both image "$here/../examples/image/image.c" "$here/../examples/image/ppm.c"
python3 "$emulated/make_cubin.py" --sm 90 --kernel empty -o "$out/bin/empty.cubin"
compile "$out/bin/graph_driver" "${CC:-cc}" "${flags[@]}" -I"$here/../runtime" -o "$out/bin/graph_driver" \
    "$here/graph_driver.c" -ldl || fail "graph_driver.c does not compile"
compile "$out/bin/graph_path" "${CC:-cc}" "${flags[@]}" -o "$out/bin/graph_path" "$here/graph_path.c" ||
    fail "graph_path.c does not compile"
"$clang" -std=gnu11 -O2 -Wall -Werror -shared -fPIC -fvisibility=hidden -o "$out/bin/count_allocations.so" \
    "$here/count_allocations.c"

# The variants that are compared. Those on the CPU device but the last run the same binary; so do those on the GPU.
variants="stock ${stock_22:+stock22} stock-nohelpers run-event run-requeue run-block plugin"
# The most telling of them, for questions with many figures.
few="stock ${stock_22:+stock22} run-event plugin"
# Those that differ where no construct has nowait.
blocking="stock ${stock_22:+stock22} run-event"
gpu="gpu-stock ${stock_22:+gpu-stock22} gpu-run gpu-plugin"
gpu_graphs="$gpu gpu-block gpu-driver gpu-path"

# Kernels without anything in them, which the emulated GPU need not run: a real one takes none of the processor's time.
skip=CUDAEMU_SKIP='*_launch_*,*_node_*,*_join_*,*_region_returns_*'
# Of emulated_rows, whose other kernels count.
skip_rows=CUDAEMU_SKIP='*_launch_l*,*_independent_l*,*_release_l*'

# command VARIANT PROGRAM: sets `prefix` (assignments and wrapper for env) and `binary`. `device`: the emulated GPU's
# settings.
device=()
command_of() {
    binary=$out/bin/$2.stock
    local ours=("$skip" "${device[@]}" NOWAIT_CUDA_LIBRARY="$cudaemu" NOWAIT_HOST_DEVICES=0)
    case $1 in
    gpu-stock)
        prefix=(env "$skip" "${device[@]}" LD_LIBRARY_PATH="${cudaemu%/*}:$stock_lib" CUDAEMU_STRICT_CONTEXT=0)
        binary=$out/bin/$2.gpu
        ;;
    gpu-stock22)
        prefix=(env "$skip" "${device[@]}" CUDAEMU_STRICT_CONTEXT=0)
        prefix+=(LD_LIBRARY_PATH="${cudaemu%/*}:$stock_22:$stock_lib")
        binary=$out/bin/$2.gpu22
        ;;
    gpu-run | gpu-block)
        prefix=(env "${ours[@]}" LD_LIBRARY_PATH="$stock_lib" "$build/bin/nowait-run")
        [ "$1" = gpu-run ] || prefix=(env NOWAIT_COMPLETION=block "${prefix[@]:1}")
        binary=$out/bin/$2.gpu
        ;;
    gpu-plugin) prefix=(env "${ours[@]}") binary=$out/bin/$2.plugin ;;
    gpu-driver) prefix=(env "${device[@]}" "$out/bin/graph_driver" "$cudaemu") binary=$out/bin/empty.cubin ;;
    gpu-path) prefix=(env) binary=$out/bin/graph_path ;;
    stock) prefix=(env LD_LIBRARY_PATH="$stock_lib") ;;
    stock22) prefix=(env LD_LIBRARY_PATH="$stock_22:$stock_lib") binary=$out/bin/$2.stock22 ;;
    stock-nohelpers) prefix=(env LD_LIBRARY_PATH="$stock_lib" LIBOMP_USE_HIDDEN_HELPER_TASK=0) ;;
    run-*) prefix=(env LD_LIBRARY_PATH="$stock_lib" NOWAIT_COMPLETION="${1#run-}" "$build/bin/nowait-run") ;;
    plugin) prefix=(env) binary=$out/bin/$2.plugin ;;
    esac
}

# --- timed runs -------------------------------------------------------------------------------------------------------

raw=$out/raw.csv
echo "round,variant,metric,unit,least,median,most,repetitions" >"$raw"

# Seconds after which no program gets another round, so that a busy machine makes the benchmark less sure, not longer.
patience=300

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
                *stock*) say "  $program with $variant ended with status $status, no figure" && continue ;;
                esac
                cat "$out/last.out" "$out/last.err" >&2
                fail "$program with $variant ended with status $status"
            fi
            sed "s/^/$round,$variant,/" "$out/last.out" >>"$raw"
        done
    done
}

# application ROUNDS METRIC PROGRAM ARGUMENT...: one of the demo's, whose figure is the wall time that it prints.
application() {
    local n=$1 metric=$2 program=$3 round variant status
    shift 3
    say "$metric"
    for round in $(seq "$n"); do
        for variant in stock run-block run-event plugin; do
            command_of "$variant" "$program"
            status=0
            timeout -s KILL 60 "${prefix[@]}" "$binary" "$@" >"$out/last.out" 2>"$out/last.err" || status=$?
            if [ "$status" -ne 0 ]; then
                case $variant in
                stock) say "  $program with stock ended with status $status, no figure" && continue ;;
                esac
                cat "$out/last.out" "$out/last.err" >&2
                fail "$program with $variant ended with status $status"
            fi
            awk -F'[: ]+' -v head="$round,$variant,$metric" '
                /^wall time:/ { printf "%s,ms,%s,%s,%s,1\n", head, $3 * 1e3, $3 * 1e3, $3 * 1e3 }' \
                "$out/last.out" >>"$raw"
        done
    done
}

# applications ROUNDS TILES BANDS FRAMES [CHOLESKY_OPTION...]: the factorisation with tiles of so many rows, and the
# film of so many frames, each cut in so many bands.
applications() {
    local n=$1 tile bands data=$here/../examples/data
    for tile in $2; do
        application "$n" "cholesky_tiles_of_$tile" cholesky --tile "$tile" "${@:5}" "$data/earthquakes.csv"
    done
    for bands in $3; do
        application "$n" "image_bands_$bands" image --bands "$bands" --frames "$4" "$data/coffee.ppm"
    done
}

# trace_events ROUNDS BATCHES: what an event of NOWAIT_TRACE costs: a region's time with it less that without, by the
# events of a region in the file. Runs of the two come in turn.
trace_events() {
    local round variant file=$out/trace.json batches=$2 status
    say "launch with and without NOWAIT_TRACE"
    for round in $(seq "$1"); do
        for variant in plugin gpu-plugin; do
            command_of "$variant" launch
            rm -f "$file"
            for trace in "" "$file"; do
                status=0
                timeout -s KILL 60 env ${trace:+NOWAIT_TRACE="$trace"} "${prefix[@]}" "$binary" --warmup 1 \
                    --repetitions 5 --batches "$batches" 2>"$out/last.err" || status=$?
                [ "$status" -eq 0 ] || { cat "$out/last.err" >&2; fail "launch, traced, ended with status $status"; }
            done >"$out/last.out"
            awk -F, -v head="$round,$variant,trace_event" -v regions=$((6 * batches * 100)) '
                FNR == NR { if ($1 == "launch_1_map") { plain = traced; traced = $4 } next }
                /"ph":"[^M]"/ { events++ }
                END { if (!events) exit 1
                      each = (traced - plain) * regions / events
                      printf "%s,ns,%s,%s,%s,1\n", head, each, each, each }' "$out/last.out" "$file" >>"$raw" ||
                fail "launch with $variant wrote no trace"
        done
    done
    rm -f "$file"
}

# One run to look at.
timelines() {
    local variant
    say "timeline"
    for variant in stock plugin; do
        command_of "$variant" timeline
        timeout -s KILL 60 "${prefix[@]}" "$binary" --milliseconds "$1" >"$out/timeline-$variant.csv" \
            2>"$out/last.err" || { cat "$out/last.err" >&2; say "  timeline with $variant ended badly, no picture"; }
    done
}

smoke_on_gpu() {
    local variants=$gpu
    device=(CUDAEMU_KERNEL_NS=1000)
    measure 1 launch --maps 4 --threads 2 --batches 1 --batch 5 --repetitions 1
    measure 1 independent --milliseconds 0 --regions 4
    measure 1 return --bytes 65536 --repetitions 1
    measure 1 overlap --milliseconds 1 --bytes 1000 --repetitions 1
    device=("$skip_rows")
    measure 1 emulated_rows --repetitions 1 --regions 20 --seconds 0 --pairs 10 --flight 100 --sequence 100
    variants=$gpu_graphs
    for graph in 0 1 2 3 4; do measure 1 graph --graph "$graph" --width 3 --label 1 --steps 4 --repetitions 1; done
    device=()
}

measure_on_gpu() {
    local variants=$gpu maps threads kib width
    for maps in 0 1 4 16 64; do measure 3 launch --maps "$maps" --batches 3 --repetitions 5; done
    for threads in 2 4 8; do
        measure 2 launch --threads "$threads" --batches 2 --batch 20 --repetitions 4 --warmup 1
    done
    for threads in 1 8 32; do measure 2 threads --threads "$threads" --repetitions 3; done
    device=(CUDAEMU_KERNEL_NS=1000000)
    measure 3 independent --milliseconds 0 --regions 64 --repetitions 3 --warmup 1
    device=(CUDAEMU_KERNEL_NS=1000000 CUDAEMU_COPY_BANDWIDTH=12000000000)
    for kib in 4 64 1024 4096 16384; do
        measure 2 return --bytes $((kib * 1024)) --repetitions 5
        measure 2 return --bytes $((kib * 1024)) --repetitions 5 --pinned 1
    done
    # A megabyte takes 10 ms, however many copies a runtime makes of it.
    device=(CUDAEMU_KERNEL_NS=10000000 CUDAEMU_COPY_BANDWIDTH=104857600)
    measure 2 overlap --milliseconds 10
    device=("$skip_rows")
    measure 2 emulated_rows --repetitions 3 --seconds 1 --pairs 1000 --flight 10000 --sequence 10000
    device=()
    measure 1 idle
    variants=$gpu_graphs
    for width in 1 4 16; do
        device=(CUDAEMU_KERNEL_NS=5000) && measure 3 graph --graph 0 --width $width --label 5
        device=(CUDAEMU_KERNEL_NS=50000) && measure 3 graph --graph 0 --width $width --label 50
        device=(CUDAEMU_KERNEL_NS=1000000) && measure 2 graph --graph 0 --width $width --label 1000 --steps 20
    done
    device=(CUDAEMU_KERNEL_NS=50000)
    measure 2 graph --graph 1 --width 4 --label 50 --steps 50
    measure 2 graph --graph 1 --width 16 --label 50 --steps 25
    measure 2 graph --graph 2 --width 4 --label 50
    for width in 8 16; do measure 2 graph --graph 3 --width $width --label 50; done
    for width in 4 16; do measure 2 graph --graph 4 --width $width --label 50; done
    device=()
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
    trace_events 1 1
    smoke_on_gpu
    applications 1 64 8 2 --points 300
    timelines 5
else
    timelines 20
    measure "$rounds" launch
    measure 3 launch --maps 16 --repetitions 5
    for maps in 0 4 64; do variants=$few measure 2 launch --maps "$maps" --repetitions 5; done
    for threads in 2 4 8; do
        variants=$few measure 2 launch --threads "$threads" --batches 2 --batch 20 --repetitions 4
    done
    trace_events 3 10
    measure 2 return
    measure 2 independent
    for threads in 1 2 4 8 16 32; do
        variants="stock stock-nohelpers run-event plugin" measure 2 threads --threads "$threads" --repetitions 4
    done
    measure "$rounds" chain --microseconds 5
    measure "$rounds" chain --microseconds 50 --repetitions 5
    variants=$blocking measure 3 mapping
    measure 1 idle
    applications 2 "32 64 128" "8 16" 16
    measure_on_gpu
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
    echo "# stock: $("$clang" --version | head -n 1), $stock_lib; 22: ${stock_22:-not there}"
    echo "# date: $(date -u +%Y-%m-%dT%H:%MZ)${smoke:+, SMOKE RUN: the figures mean nothing}"
} >"$out/results.csv"
printf '\n'
cat "$out/results.csv"
printf '\n'
python3 "$here/report.py" "$raw" "$counted" "$out/results.csv"
python3 "$here/report_html.py" "$out/results.csv" "$out"/timeline-*.csv >"$out/report.html"
python3 -c 'import sys, xml.etree.ElementTree as tree; tree.fromstring(open(sys.argv[1]).read().split("\n", 1)[1])' \
    "$out/report.html" || fail "the report is no proper HTML"
printf '\nReport: %s\nFigures: %s\nWhere the instructions go: %s\n' "$out/report.html" "$out/results.csv" \
    "$out/instructions-plugin.txt"
say done
