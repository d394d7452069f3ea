#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# usage: gpu-check.sh pack BUILD FOLDER [ARCH]   where the compilers are: puts all that is needed into FOLDER
#            ARCH "emulated": for the emulated driver, which then lies in FOLDER too, to try this script without a GPU
#        gpu-check.sh run FOLDER                 where the GPU is: needs the driver, and nothing else
#
# Runs examples and end-to-end programs, compiled for ARCH (sm_90), on a real GPU and checks their results; measures
# what bench/gpu/gpu_rows.c measures, on stock libomptarget 19 and on this runtime; and runs some under
# compute-sanitizer if it is there. Ends within 4 minutes; prints what failed, and writes FOLDER/results.csv with the
# machine described.
set -eu

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

run() {
    folder=$(readlink -f "$1")
    results=$folder/results.csv failures=0
    ours="env LD_LIBRARY_PATH=$folder/lib NOWAIT_LOG=info" theirs="env LD_LIBRARY_PATH=$folder/stock" options=
    if [ "$(cat "$folder/arch")" = emulated ]; then
        theirs="$theirs CUDAEMU_STRICT_CONTEXT=0"
        options="--regions 100 --seconds 1 --megabytes 16"
    fi
    {
        echo "# $(date -u +%Y-%m-%dT%H:%MZ) commit $(cat "$folder/commit")"
        echo "# $(nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader 2>&1 | head -n 1)"
        echo "# $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors, $(uname -r)"
        echo "variant,metric,unit,least,median,most,repetitions"
    } >"$results"
    for program in "$folder"/bin/*; do
        name=$(basename "$program")
        case $name in rows.*) continue ;; esac
        for mode in event requeue block; do
            if timeout 20 $ours NOWAIT_COMPLETION=$mode "$program" >"$folder/output" 2>&1 &&
                ! grep -q 'no CUDA devices' "$folder/output"; then
                echo "pass $name $mode"
            else
                failures=$((failures + 1))
                echo "FAIL $name $mode"
                head -n 5 "$folder/output"
            fi
        done
    done
    for completion in word event poll; do
        timeout 60 $ours NOWAIT_CUDA_COMPLETION=$completion "$folder/bin/rows.nowait" --repetitions 3 $options \
            >"$folder/output" || failures=$((failures + 1))
        sed "s/^/nowait-$completion,/" "$folder/output" >>"$results"
    done
    timeout 60 $theirs "$folder/bin/rows.stock" --repetitions 3 $options >"$folder/output" ||
        echo "gpu-check: stock libomptarget did not finish (it refuses cubins of CUDA 13)"
    sed 's/^/stock,/' "$folder/output" >>"$results"
    if command -v compute-sanitizer >/dev/null; then
        for name in map-types-move-what-they-say reductions-on-target-teams; do
            timeout 60 $ours compute-sanitizer --error-exitcode 9 "$folder/bin/$name" >"$folder/output" 2>&1 || {
                failures=$((failures + 1))
                echo "FAIL $name under compute-sanitizer"
                tail -n 20 "$folder/output"
            }
        done
    else
        echo "gpu-check: no compute-sanitizer here: not run"
    fi
    cat "$results"
    [ "$failures" -eq 0 ] || fail "$failures failures"
    echo "gpu-check: all passed"
}

case ${1:-} in
pack) [ $# -ge 3 ] && shift && pack "$@" ;;
run) [ $# -eq 2 ] && shift && run "$@" ;;
*) sed -n 's/^# usage: /usage: /p; s/^#        gpu/       gpu/p' "$0" && exit 2 ;;
esac
