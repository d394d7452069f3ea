#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: gpu-check.sh pack BUILD FOLDER [ARCH]   where the compilers are: puts all that is needed into FOLDER
#            ARCH "emulated": for the emulated driver, which then lies in FOLDER too, to try this script without a GPU
#        gpu-check.sh run FOLDER                 where the GPU is: needs the driver, and nothing else
#
# Runs examples and end-to-end programs, compiled for ARCH (sm_90), on a real GPU; all of them check their results.
# Measures what bench/gpu/gpu_rows.c measures, on stock libomptarget 19 and on this runtime; and runs some programs
# under compute-sanitizer if it is there. Ends within 4 minutes: what there was no time for is named, and is no failure.
# Prints what failed, and writes FOLDER/results.csv with the machine described.
set -eu
case "${1:-}" in -h | --help) sed -n '4,${/^#/!q;s/^# \{0,1\}//p}' "$0" && exit ;; esac

fail() {
    echo "gpu-check: $*" >&2
    exit 1
}

# End-to-end programs that neither look at host memory from the device nor ask the emulated driver.
programs='capture/firstprivate-array-keeps-value-at-construct capture/firstprivate-struct-keeps-value-at-construct
capture/scalars-and-pointers-keep-value-at-construct mapping/array-sections-map-their-range-only
mapping/declare-target-variables mapping/map-types-move-what-they-say mapping/recycled-host-addresses
mapping/reductions-on-target-teams mapping/struct-members-and-pointees tasking/depend-chain-of-regions-and-host-tasks
tasking/depend-diamond tasking/blocked-matrix-multiply tasking/eight-threads-launch-regions
tasking/kernel-then-update-then-taskwait tasking/taskgroup-waits-for-regions'

# Examples, with inputs small enough for kernels of one GPU thread.
examples='hello cholesky image density equalise stream'

# arguments EXAMPLE: in FOLDER.
arguments() {
    case $1 in
    hello) echo --ms 20 ;;
    cholesky) echo --points 200 --tile 32 data/earthquakes.csv ;;
    image) echo --frames 2 data/coffee.ppm ;;
    density) echo data/earthquakes.csv 200 ;;
    equalise) echo data/coffee.ppm 2 ;;
    esac
}

# compile OUTPUT SOURCE ABI COMPILER [OPTION...]
compile() {
    output=$1 program=$2 abi=$3 compiler=$4
    shift 4
    if [ "$arch" = emulated ]; then
        sh "$source/test/runtime/cudaemu/compile-emulated.sh" "$abi" 90 "$output" "$program" "$compiler" -O2 "$@"
    else
        "$compiler" -fopenmp --offload-arch="$arch" -O2 "$program" -o "$output" "$@"
    fi
}

pack() {
    build=$(readlink -f "$1") folder=$2 arch=${3:-sm_90}
    source=$(dirname "$(dirname "$(readlink -f "$0")")")
    tests=$source/test/lit/endtoend llvm=/usr/lib/llvm-19
    mkdir -p "$folder/bin" "$folder/lib" "$folder/stock"
    cp -L "$build/lib/libnowait.so.0" "$llvm/lib/libomp.so.5" "$folder/lib/"
    cp -L "$build/lib/nowait/compat/"* "$folder/lib/" 2>/dev/null || true
    cp -L "$llvm/lib/libomptarget.so.19.1" "$llvm/lib/libomp.so.5" "$folder/stock/"
    # LLVM's library opens libomp.so, and would find ours.
    ln -sf libomp.so.5 "$folder/stock/libomp.so"
    # Stock libomptarget links LLVM for its plugins; the GPU's machine may not have it.
    ldd "$llvm/lib/libomptarget.so.19.1" | awk '/=> \// { print $3 }' |
        grep -vE '/(libc|libm|libpthread|libdl|ld-linux|librt)[.-]' | xargs -r -I{} cp -L {} "$folder/stock/"
    for program in $programs; do
        compile "$folder/bin/$(basename "$program")" "$tests/$program.c" 8 "$build/bin/nowait-clang" \
            -I "$tests/Inputs" || echo "gpu-check: $program is left out: it does not compile for $arch"
    done
    # For the emulated driver an example's device code is the CPU device's, which libnowait gives it as well.
    target=--offload-arch=$arch
    [ "$arch" != emulated ] || target=
    for example in $examples; do
        sources=$(find "$source/examples/$example" -name '*.c' -o -name '*.cpp')
        compiler=$build/bin/nowait-clang
        case $sources in *.cpp) compiler=$compiler++ ;; esac
        # shellcheck disable=SC2086 # words
        "$compiler" $target -O2 $sources -o "$folder/bin/example-$example" -lm ||
            echo "gpu-check: the example $example is left out: it does not compile for $arch"
    done
    cp -r "$source/examples/data" "$folder/"
    rows=$source/bench/gpu/gpu_rows.c device=
    compile "$folder/bin/rows.nowait" "$rows" 8 "$build/bin/nowait-clang"
    if [ "$arch" = emulated ]; then
        cp -L "$build/cudaemu/libcuda.so.1" "$folder/lib/"
        cp -L "$build/cudaemu/libcuda.so.1" "$folder/stock/libcuda.so"
        ln -sf libcuda.so "$folder/stock/libcuda.so.1"
    else
        device=--libomptarget-nvptx-bc-path=$llvm/lib
    fi
    # shellcheck disable=SC2086 # none, or one option
    compile "$folder/bin/rows.stock" "$rows" 7 "$llvm/bin/clang" $device "-L$llvm/lib" -lomptarget
    echo "$arch" >"$folder/arch"
    git -C "$source" rev-parse HEAD >"$folder/commit" 2>/dev/null || echo unknown >"$folder/commit"
    cp "$0" "$folder/gpu-check.sh"
    echo "gpu-check: packed; run: $folder/gpu-check.sh run $folder"
}

# try SECONDS WHAT COMMAND...: whether the command, cut off after that time, succeeds; its output is in $folder/output.
# When the whole is out of time, WHAT is left out, which is no failure.
try() {
    seconds=$1 what=$2
    shift 2
    left=$((begin + limit - $(date +%s))) status=0
    : >"$folder/output"
    if [ "$left" -gt 0 ]; then
        timeout -s KILL "$((left < seconds ? left : seconds))" "$@" >"$folder/output" 2>&1 || status=$?
        [ "$status" -ne 0 ] || return 0
    fi
    if [ "$left" -le 0 ] || { [ "$status" -eq 137 ] && [ "$left" -lt "$seconds" ]; }; then
        left_out="$left_out$what; "
        return 1
    fi
    failures=$((failures + 1))
    [ "$status" -ne 137 ] || status="no end within $seconds s"
    echo "FAIL $what ($status)"
    head -n 20 "$folder/output"
    return 1
}

# check_programs MODE: every program and example.
check_programs() {
    for program in "$folder"/bin/*; do
        name=$(basename "$program")
        case $name in rows.*) continue ;; esac
        # shellcheck disable=SC2046,SC2086 # words
        try 20 "$name $1" $ours NOWAIT_COMPLETION="$1" "$program" $(arguments "${name#example-}") || continue
        echo "pass $name $1"
    done
}

# measure VARIANT COMMAND...: what it prints before it fails or is cut off counts, too.
measure() {
    variant=$1
    shift
    # shellcheck disable=SC2086 # words
    try 60 "rows of $variant" "$@" --repetitions 3 $options || true
    sed -n "s/^[a-z0-9-]*,/$variant,&/p" "$folder/output" >>"$results"
}

run() {
    folder=$(readlink -f "$1")
    results=$folder/results.csv failures=0 left_out='' limit=230 begin=$(date +%s)
    ours="env LD_LIBRARY_PATH=$folder/lib OMP_TARGET_OFFLOAD=mandatory NOWAIT_HOST_DEVICES=0 NOWAIT_LOG=info"
    # libomp's helper threads are not needed for requeue mode, and wait by looking.
    ours="$ours LIBOMP_NUM_HIDDEN_HELPER_THREADS=0"
    theirs="env LD_LIBRARY_PATH=$folder/stock" options=
    if [ "$(cat "$folder/arch")" = emulated ]; then
        theirs="$theirs CUDAEMU_STRICT_CONTEXT=0"
        options="--regions 100 --seconds 1 --megabytes 16 --pairs 100 --flight 1000"
    fi
    # The examples' inputs are named as they lie here.
    cd "$folder"
    {
        echo "# $(date -u +%Y-%m-%dT%H:%MZ) commit $(cat commit)"
        echo "# $(nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader 2>/dev/null | head -n 1)"
        echo "# $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors, $(uname -r)"
        echo "variant,metric,unit,least,median,most,repetitions"
    } >"$results"
    # What matters most comes first.
    check_programs event
    # shellcheck disable=SC2086 # words
    {
        measure nowait-word $ours NOWAIT_CUDA_COMPLETION=word bin/rows.nowait
        # Stock refuses cubins of CUDA 13, which is no failure of ours.
        failures_of_ours=$failures
        measure stock $theirs bin/rows.stock
        failures=$failures_of_ours
        if command -v compute-sanitizer >/dev/null; then
            for name in map-types-move-what-they-say reductions-on-target-teams; do
                try 60 "$name under compute-sanitizer" $ours compute-sanitizer --error-exitcode 9 "bin/$name" &&
                    echo "pass $name under compute-sanitizer"
            done
        else
            echo "gpu-check: no compute-sanitizer here: not run"
        fi
        measure nowait-event $ours NOWAIT_CUDA_COMPLETION=event bin/rows.nowait
        measure nowait-poll $ours NOWAIT_CUDA_COMPLETION=poll bin/rows.nowait
    }
    check_programs requeue
    check_programs block
    cat "$results"
    [ -z "$left_out" ] || echo "gpu-check: left out, after $limit seconds: ${left_out%; }"
    [ "$failures" -eq 0 ] || fail "$failures failures"
    echo "gpu-check: all that was run passed"
}

case ${1:-} in
pack) [ $# -ge 3 ] && shift && pack "$@" ;;
run) [ $# -eq 2 ] && shift && run "$@" ;;
*) sed -n 's/^# usage: /usage: /p; s/^#        gpu/       gpu/p' "$0" && exit 2 ;;
esac
