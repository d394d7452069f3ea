// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As every-driver-fault-ends-or-recovers.c, on a driver without writes to host memory and without memory pools: events
// and plain allocations take their place.
//
// RUN: %nowait-clang %flags %S/every-driver-fault-ends-or-recovers.c -o %t.plugin
// RUN: sh %S/Inputs/fault-everywhere.sh %t.plugin "%on-cuda NOWAIT_COMPLETION=event CUDAEMU_WRITE_VALUE=0 CUDAEMU_POOLS=0" "1=719 3=2"
