/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What does the host burn while the device works? Processor time of the whole process during one region that sleeps for
 * a second; the main thread is in taskwait all the time, or sleeps first (as a program would that does something else).
 */
#include <unistd.h>

#include "bench.h"

enum { MILLISECONDS };
static bench_option_t options[] = {{"milliseconds", 1000}, {NULL, 0}};

/* Returns seconds of processor time. */
static double region(void *sleeps)
{
    unsigned us = (unsigned)options[MILLISECONDS].value * 1000;
    int done = 0;
    double begin = bench_cpu();
#pragma omp target map(tofrom : done) firstprivate(us) nowait
    {
        usleep(us);
        done = 1;
    }
    if (sleeps)
        bench_sleep((double)options[MILLISECONDS].value * 1.02e-3);
#pragma omp taskwait
    bench_check("regions done", done, 1);
    return bench_cpu() - begin;
}

int main(int argc, char **argv)
{
    bench_options(argc, argv, options);
#pragma omp target
    {
    }
    bench_run("idle_taskwait", "s", 0, 1, region, NULL);
    bench_run("idle_asleep", "s", 0, 1, region, &options[0]);
    return 0;
}
