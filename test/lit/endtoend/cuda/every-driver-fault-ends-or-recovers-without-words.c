// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As every-driver-fault-ends-or-recovers.c, on a driver without writes to host memory and without memory pools: events
// and plain allocations take their place.
//
// RUN: %nowait-clang %flags %S/every-driver-fault-ends-or-recovers.c -o %t.plugin
// RUN: %fault-everywhere 80 "%on-cuda NOWAIT_COMPLETION=event CUDAEMU_DEVICES=2 CUDAEMU_WRITE_VALUE=0 CUDAEMU_POOLS=0" %t.plugin
