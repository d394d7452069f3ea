// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An image's device runtime finds in its device environment which device it runs on, of how many, how fast the clock of
// omp_get_wtick counts, and how many warps can run at a time. The rest stays zero.
//
// RUN: %cc-plugin
// RUN: %clang -shared -fPIC -DIMAGE %s -o %t.so
// RUN: %make-cubin --sm 90 --abi 8 --kernel kernel:1 --code %t.so -o %t.cubin
// RUN: %on-cuda CUDAEMU_DEVICES=3 %t.plugin %t.cubin 2>&1 | %FileCheck %s
// CHECK: device 1 of 3, 1000000000 Hz, debug 0, memory 0, functions 0{{$}}
// CHECK-NEXT: warps {{[1-9][0-9]*$}}
// CHECK-NEXT: device 2 of 3
#ifdef IMAGE

#include <stdint.h>
#include <stdio.h>

struct {
    uint32_t debug, n_devices, number, memory;
    uint64_t clock;
    void *functions;
    uint64_t n_functions, parallelism;
} __omp_rtl_device_environment;

void kernel(void *unused)
{
    (void)unused;
    fprintf(stderr, "device %u of %u, %llu Hz, debug %u, memory %u, functions %llu\n",
            __omp_rtl_device_environment.number, __omp_rtl_device_environment.n_devices,
            (unsigned long long)__omp_rtl_device_environment.clock, __omp_rtl_device_environment.debug,
            __omp_rtl_device_environment.memory, (unsigned long long)__omp_rtl_device_environment.n_functions);
    fprintf(stderr, "warps %llu\n", (unsigned long long)__omp_rtl_device_environment.parallelism);
}

#else

#include "cubin.h"

int main(int argc, char **argv)
{
    watchdog(60);
    CHECK_EQ(argc, 2);
    register_cubin(argv[1]);
    run_kernel(1);
    run_kernel(2);
    __tgt_unregister_lib(&cubin);
    return 0;
}

#endif
