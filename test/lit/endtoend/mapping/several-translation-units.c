// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions in three files of one program that share a declare target variable and a declare target function; one of the
// files is compiled by the unmodified compiler, so regions of both kinds live side by side and depend on each other.
//
// RUN: %nowait-clang %flags -c %s -o %t.main.o
// RUN: %nowait-clang %flags -DPART=1 -c %s -o %t.one.o
// RUN: %stock-clang %flags -DPART=2 -c %s -o %t.two.o
// RUN: %nowait-clang %flags %t.main.o %t.one.o %t.two.o -o %t.plugin
// RUN: %run-plugin
// RUN: env NOWAIT_COMPLETION=block %t.plugin
#include "check.h"

#pragma omp begin declare target
extern int shared_table[3];
int triple(int x);
#pragma omp end declare target

void part_one(int *x);
void part_two(int *x);

#ifndef PART
#pragma omp begin declare target
int shared_table[3] = {1, 10, 100};
#pragma omp end declare target

int main(void)
{
    watchdog(40);
    for (int rep = 0; rep < 200; rep++) {
        int x = rep;
#pragma omp target map(tofrom : x) depend(inout : x) nowait
        x += shared_table[0];
        part_one(&x);
        part_two(&x);
        part_one(&x);
#pragma omp taskwait
        CHECK_EQ(x, (3 * (rep + 1) + 10 + 100) * 3 + 10);
    }
    return 0;
}
#elif PART == 1
void part_one(int *x)
{
#pragma omp target map(tofrom : x [0:1]) depend(inout : x[0]) nowait
    x[0] = triple(x[0]) + shared_table[1];
}
#else
#pragma omp begin declare target
int triple(int x)
{
    return 3 * x;
}
#pragma omp end declare target

void part_two(int *x)
{
#pragma omp target map(tofrom : x [0:1]) depend(inout : x[0]) nowait
    x[0] += shared_table[2];
}
#endif
