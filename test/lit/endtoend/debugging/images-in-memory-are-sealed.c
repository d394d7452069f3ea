// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files in memory from which images of the CPU devices have been loaded can't be changed by anybody, and each
// device has one.
//
// REQUIRES: device-host
// RUN: %nowait-clang %flags %s -o %t
// RUN: %t
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

/* linux/fcntl.h, which contradicts fcntl.h. */
#ifndef F_GET_SEALS
#define F_GET_SEALS 1034
#define F_SEAL_SEAL 1
#define F_SEAL_SHRINK 2
#define F_SEAL_GROW 4
#define F_SEAL_WRITE 8
#endif

static int is_image(int file)
{
    char link[64], target[256] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    return readlink(link, target, sizeof target - 1) > 0 && strstr(target, "nowait-image") != NULL;
}

static void check_sealed(int file)
{
    static const int wanted = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    int seals = fcntl(file, F_GET_SEALS);
    CHECK_GE(seals, 0);
    CHECK_EQ(seals & wanted, wanted);
    CHECK_EQ(pwrite(file, "x", 1, 0), -1);
    CHECK_EQ(errno, EPERM);
    CHECK_EQ(ftruncate(file, 0), -1);
    CHECK(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) == MAP_FAILED);
    CHECK_EQ(fcntl(file, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

int main(void)
{
    watchdog(60);
    int n = 0;
    for (int device = 0; device < 2; device++) {
        int x = 1;
#pragma omp target device(device) map(tofrom : x) nowait
        x++;
#pragma omp taskwait
        CHECK_EQ(x, 2);
    }
    for (int file = 0; file < 100; file++) {
        if (is_image(file)) {
            check_sealed(file);
            n++;
        }
    }
    CHECK_EQ(n, 2);
    return 0;
}
