// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Number of devices (four, or what NOWAIT_HOST_DEVICES says), the initial device, the default device and its setting,
// and regions that know where they run.
//
// REQUIRES: device-host
// RUN: %cc-both
// RUN: %t.plugin 4 0
// RUN: env NOWAIT_HOST_DEVICES=2 OMP_DEFAULT_DEVICE=1 %t.plugin 2 1
// RUN: env NOWAIT_HOST_DEVICES=1 %t.plugin 1 0
// RUN: %nowait-run %t.stock 4 0
// RUN: env NOWAIT_HOST_DEVICES=7 OMP_DEFAULT_DEVICE=6 %nowait-run %t.stock 7 6
#include "check.h"

int here;
#pragma omp declare target to(here)

int main(int argc, char **argv)
{
    watchdog(40);
    CHECK_EQ(argc, 3);
    int devices = omp_get_num_devices(), on_host = -1, x = 0;
    CHECK_EQ(devices, atoi(argv[1]));
    CHECK_EQ(omp_get_initial_device(), devices);
    CHECK_EQ(omp_get_default_device(), atoi(argv[2]));
    CHECK(omp_is_initial_device());

    /* Each device has its own copy of a global, so the copy says which device a region ran on. */
    for (int d = 0; d < devices; d++) {
        here = 100 + d;
#pragma omp target update to(here) device(d) nowait
#pragma omp taskwait
    }
#pragma omp target map(from : x, on_host) nowait
    {
        x = here;
        on_host = omp_is_initial_device();
    }
#pragma omp taskwait
    CHECK_EQ(x, 100 + atoi(argv[2]));
    CHECK_EQ(on_host, 0);
    for (int d = 0; d < devices; d++) {
        omp_set_default_device(d);
#pragma omp target map(from : x) nowait
        x = here;
#pragma omp taskwait
        CHECK_EQ(x, 100 + d);
    }
    here = -1;
    int initial = omp_get_initial_device();
#pragma omp target map(from : x, on_host) device(initial) nowait
    {
        x = here;
        on_host = omp_is_initial_device();
    }
#pragma omp taskwait
    CHECK_EQ(x, -1);
    CHECK_EQ(on_host, 1);
    return 0;
}
