// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructors of a cubin's global objects run in order of their priority, and those of equal priority in the order in
// which they stand in the image, before the first region; destructors run backwards when the image is unloaded. The
// image is as LLVM's nvptx-lower-ctor-dtor pass makes it: the runtime finds the functions' addresses by their names and
// launches LLVM's kernels over arrays of them. That of LLVM 19 leaves out a destructor that is the only one.
//
// RUN: %cc-plugin
// RUN: %clang -shared -fPIC -DIMAGE %s -o %t.so
// RUN: %make-cubin --sm 90 --abi 8 --kernel kernel:1 --kernel 'nvptx$device$init' --kernel 'nvptx$device$fini' \
// RUN:     --code %t.so -o %t.cubin
// RUN: %on-cuda CUDAEMU_REPORT=1 %t.plugin %t.cubin 2>&1 | %FileCheck %s
// CHECK: init first{{$}}
// CHECK-NEXT: init zebra
// CHECK-NEXT: init apple
// CHECK-NEXT: region
// CHECK-NEXT: fini monkey
// CHECK-NEXT: fini apple
// CHECK-NEXT: fini zebra
// CHECK: misuses 0
//
// RUN: %clang -shared -fPIC -DIMAGE -DONE %s -o %t.one.so
// RUN: %make-cubin --sm 90 --abi 8 --kernel kernel:1 --kernel 'nvptx$device$init' --kernel 'nvptx$device$fini' \
// RUN:     --code %t.one.so -o %t.one.cubin
// RUN: %on-cuda CUDAEMU_REPORT=1 %t.plugin %t.one.cubin 2>&1 | %FileCheck %s --check-prefix=ONE
// ONE: init zebra
// ONE-NEXT: region
// ONE-NEXT: fini zebra
// ONE: misuses 0
//
// In PTX, of which the emulated driver runs nothing, they are found and launched as well: one copy out for each address
// of a function, and a launch of each kernel.
//
// RUN: %on-cuda CUDAEMU_REPORT=1 %t.plugin %S/Inputs/constructors.ptx 2>&1 | %FileCheck %s --check-prefix=PTX
// PTX: calls cuLaunchKernel 3
// PTX: calls cuMemcpyDtoHAsync 3
// PTX: misuses 0
#ifdef IMAGE

#include <stdio.h>

typedef void (*function_t)(void);

#define SAYS(name, words)                                                                                              \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        fputs(words "\n", stderr);                                                                                     \
    }

SAYS(init_zebra, "init zebra")
SAYS(fini_zebra, "fini zebra")

function_t __init_array_object__GLOBAL__sub_I_zebra_$_cpp_27ddb7d3ceefbd4d_65535 = init_zebra;
function_t __fini_array_object___dtor_zebra_27ddb7d3ceefbd4d_65535 = fini_zebra;

#ifndef ONE
SAYS(init_first, "init first")
SAYS(init_apple, "init apple")
SAYS(fini_apple, "fini apple")
SAYS(fini_monkey, "fini monkey")

function_t __init_array_object__GLOBAL__sub_I_apple_$_cpp_27ddb7d3ceefbd4d_65535 = init_apple;
function_t __init_array_object__GLOBAL__I_000200_27ddb7d3ceefbd4d_200 = init_first;
function_t __fini_array_object___dtor_apple_27ddb7d3ceefbd4d_65535 = fini_apple;
function_t __fini_array_object___dtor_monkey_27ddb7d3ceefbd4d_65535 = fini_monkey;
#endif

function_t *__init_array_start, *__init_array_end, *__fini_array_start, *__fini_array_end;

void nvptx$device$init(void)
{
    for (function_t *at = __init_array_start; at != __init_array_end; at++)
        (*at)();
}

/* As LLVM 19 has it. */
void nvptx$device$fini(void)
{
    function_t *at = __fini_array_end - 1;
    if (at <= __fini_array_start)
        return;
    do
        (*at--)();
    while (at >= __fini_array_start);
}

void kernel(void *unused)
{
    (void)unused;
    fputs("region\n", stderr);
}

#else

#include "cubin.h"

int main(int argc, char **argv)
{
    watchdog(60);
    CHECK_EQ(argc, 2);
    register_cubin(argv[1]);
    run_kernel(0);
    __tgt_unregister_lib(&cubin);
    return 0;
}

#endif
