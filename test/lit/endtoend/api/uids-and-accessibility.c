// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenMP 6.0's device identifiers: different for all devices and the host, the same every time, found again by name;
// and omp_target_is_accessible, which says that CPU devices reach the host's memory, as a region then shows.
// The libraries to link with of LLVM 19 do not have these names.
//
// REQUIRES: device-host
// RUN: %cc-plugin
// RUN: %t.plugin > %t.first && %t.plugin > %t.second && diff %t.first %t.second
// RUN: env OMP_TARGET_OFFLOAD=default NOWAIT_HOST_DEVICES=0 %t.plugin
// RUN: env OMP_TARGET_OFFLOAD=disabled %t.plugin
#define _GNU_SOURCE /* dlvsym */
#include "check.h"
#include <dlfcn.h>

const char *omp_get_uid_from_device(int device);
int omp_get_device_from_uid(const char *uid);

/* Programs that were linked with libomp 22 before libomptarget ask for the names at libomp's node. */
static void check_libomps_names(int host)
{
    const char *(*uid_of)(int) = (const char *(*)(int))dlvsym(RTLD_DEFAULT, "omp_get_uid_from_device", "VERSION");
    int (*device_of)(const char *) = (int (*)(const char *))dlvsym(RTLD_DEFAULT, "omp_get_device_from_uid", "VERSION");
    CHECK(uid_of && device_of);
    for (int d = 0; d <= host; d++) {
        CHECK_EQ(strcmp(uid_of(d), omp_get_uid_from_device(d)), 0);
        CHECK_EQ(device_of(uid_of(d)), d);
    }
}

int main(void)
{
    int host = omp_get_initial_device(), value = 1, *address = &value;
    watchdog(40);
    check_libomps_names(host);
    for (int d = 0; d <= host; d++) {
        const char *uid = omp_get_uid_from_device(d);
        CHECK(uid != NULL && *uid != '\0');
        CHECK_EQ(omp_get_device_from_uid(uid), d);
        for (int other = 0; other < d; other++)
            CHECK(strcmp(uid, omp_get_uid_from_device(other)) != 0);
        printf("%d %s\n", d, uid);
    }
    CHECK_EQ(strcmp(omp_get_uid_from_device(-1), omp_get_uid_from_device(host)), 0);
    CHECK_PTR_EQ(omp_get_uid_from_device(-2), NULL);
    CHECK_EQ(omp_get_device_from_uid(NULL), -2);
    CHECK_EQ(omp_get_device_from_uid("no such device"), -2);

    for (int d = 0; d <= host; d++) {
        CHECK_EQ(omp_target_is_accessible(address, sizeof value, d), 1);
        CHECK_EQ(omp_target_is_accessible(NULL, sizeof value, d), 0);
#pragma omp target is_device_ptr(address) device(d)
        (*address)++;
    }
    CHECK_EQ(value, host + 2);
    if (host > 0)
        CHECK_EQ(omp_target_is_accessible(address, sizeof value, host + 5), 0);
    return 0;
}
