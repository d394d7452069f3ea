// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that another version's plugin compiled ends before its first statement, with one line that says what to
// install, and not in the middle of its work at its first region. The program changes what its own check passes on.
//
// RUN: %cc-plugin -ldl
// RUN: %t.plugin | %FileCheck %s
// RUN: env OTHER_ABI=77 %t.plugin > %t.out 2>&1; test $? -eq 1 && %FileCheck %s --check-prefix=OTHER < %t.out
// CHECK: began
// OTHER-NOT: began
// OTHER: error: compiled with a plugin of ABI 77, but this libnowait.so (nowait {{[0-9.]+}}) serves ABI 1; compile again
// OTHER-NOT: began
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void __nowait_require_abi(uint32_t version)
{
    void (*next)(uint32_t) = (void (*)(uint32_t))dlsym((void *)-1L /* RTLD_NEXT */, "__nowait_require_abi");
    const char *other = getenv("OTHER_ABI");
    next(other ? (uint32_t)atoi(other) : version);
}

int main(void)
{
    int x = 0;
    puts("began");
#pragma omp target map(tofrom : x) nowait
    x++;
#pragma omp taskwait
    return x != 1;
}
