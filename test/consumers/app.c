// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program that every consumer project here builds: also compiled as C++. Says where its region ran.
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int on_host = 1;
#pragma omp target map(tofrom : on_host) nowait
    on_host = omp_is_initial_device();
#pragma omp taskwait
    printf("the region ran on %s\n", on_host ? "the host" : "a device");
    return on_host;
}
