// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device number that no device has: one clear line that names the number as the user gave it, and exit status 1, as
// offloading is mandatory when there are devices. With offloading disabled the region runs on the host. Never a crash
// or a hang.
//
// RUN: %cc-both
// RUN: %t.plugin kernel > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// RUN: %t.plugin data > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// RUN: %t.plugin depend > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// RUN: env NOWAIT_COMPLETION=requeue %t.plugin kernel > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// RUN: env NOWAIT_COMPLETION=block %t.plugin kernel > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// RUN: %nowait-run %t.stock kernel > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// RUN: %nowait-run %t.stock data > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// RUN: env OMP_DEFAULT_DEVICE=99 %t.plugin default > %t.out 2>&1; test $? -eq 1 && %FileCheck %s < %t.out
// RUN: env OMP_DEFAULT_DEVICE=2147483647 %t.plugin default > %t.out 2>&1; test $? -eq 1
// RUN: %FileCheck --check-prefix=LARGE %s < %t.out
// RUN: env OMP_DEFAULT_DEVICE=1314324480 %t.plugin default > %t.out 2>&1; test $? -eq 1
// RUN: %FileCheck --check-prefix=MARK %s < %t.out
// RUN: env OMP_DEFAULT_DEVICE=99999999999999999999 %t.plugin default > %t.out 2>&1; test $? -eq 1
// RUN: %FileCheck --check-prefix=HUGE %s < %t.out
// RUN: env OMP_TARGET_OFFLOAD=disabled %t.plugin kernel 2>&1 | %FileCheck %s --check-prefix=HOST
// RUN: env OMP_TARGET_OFFLOAD=disabled %t.plugin data 2>&1 | %FileCheck %s --check-prefix=HOST
// CHECK-NOT: ran on
// CHECK: 99
// CHECK-NOT: ran on
// LARGE: there is no device 2147483647: devices
// MARK: there is no device 1314324480: devices
// HUGE: there is no device 99999999999999999999: devices
// HOST: ran on the host
#include "check.h"

int main(int argc, char **argv)
{
    int x = 0, on_host = 0, device = 99;
    watchdog(20);
    CHECK_EQ(argc, 2);
    if (strcmp(argv[1], "data") == 0) {
#pragma omp target enter data map(to : x) device(device) nowait
    }
    if (strcmp(argv[1], "default") == 0) {
#pragma omp target map(tofrom : x) nowait
        x++;
    }
    if (strcmp(argv[1], "depend") == 0) {
#pragma omp target map(tofrom : x) depend(inout : x) nowait
        {
            sleep_us(1000);
            x++;
        }
    }
#pragma omp target map(tofrom : x, on_host) device(device) depend(inout : x) nowait
    {
        x++;
        on_host = omp_is_initial_device();
    }
#pragma omp taskwait
    printf("ran on %s\n", on_host ? "the host" : "a device");
    return 0;
}
