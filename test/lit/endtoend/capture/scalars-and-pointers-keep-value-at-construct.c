// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalars and pointers, firstprivate explicitly and by default, are captured at the construct: all types that fit a
// register, changed right after the construct, with a dependence that delays the region. A complex number does not fit
// one, and stock reads it late.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"
#include <complex.h>

enum { REPETITIONS = 200 };

static void pass(int seed)
{
    int order = 0, out[10];
    char c = (char)(seed % 50);
    short s = (short)seed;
    long l = seed;
    unsigned long long u = 1ull << 40;
    float f = 1.5f;
    double d = 2.5;
    _Bool flag = 1;
    int *p = out;
    double complex z = 3.0 + 4.0 * I;
#pragma omp target map(tofrom : order) depend(inout : order) nowait
    {
        sleep_us(50);
        order++;
    }
#pragma omp target map(from : out) is_device_ptr(p) depend(inout : order) nowait
    {
        out[0] = c;
        out[1] = s;
        out[2] = (int)l;
        out[3] = (int)(u >> 38);
        out[4] = (int)(2 * f);
        out[5] = (int)(2 * d);
        out[6] = flag;
        out[7] = p != NULL;
    }
#pragma omp target map(from : out [8:2]) firstprivate(z, c) depend(inout : order) nowait
    {
        out[8] = (int)creal(z) * 10 + (int)cimag(z);
        out[9] = c;
    }
    c = 0, s = 0, l = 0, u = 0, f = 0, d = 0, flag = 0, p = NULL, z = 0;
    __asm__ volatile(""
                     :
                     : "r"(&c), "r"(&s), "r"(&l), "r"(&u), "r"(&f), "r"(&d), "r"(&flag), "r"(&p), "r"(&z)
                     : "memory");
#pragma omp taskwait
    CHECK_EQ(out[0], seed % 50);
    CHECK_EQ(out[1], seed);
    CHECK_EQ(out[2], seed);
    CHECK_EQ(out[3], 4);
    CHECK_EQ(out[4], 3);
    CHECK_EQ(out[5], 5);
    CHECK_EQ(out[6], 1);
    CHECK_EQ(out[7], 1);
    CHECK_EQ(out[8], 34);
    CHECK_EQ(out[9], seed % 50);
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < REPETITIONS; i++)
        pass(i);
#pragma omp parallel num_threads(2)
    for (int i = 0; i < REPETITIONS; i++)
        pass(i);
    return 0;
}
