/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Do independent regions overlap? Sixteen regions that each sleep 100 ms, one taskwait: the time from the first
 * construct to the end. As many as there are workers run at once, so eight workers take two rounds. On the emulated
 * GPU, which makes the kernels take their time, --milliseconds is 0.
 */
#include <unistd.h>

#include "bench.h"

enum { REPETITIONS, REGIONS, MILLISECONDS, WARMUP };
static bench_option_t options[] = {
    {"repetitions", 1}, {"regions", 16}, {"milliseconds", 100}, {"warmup", 0}, {NULL, 0}};

/* Returns milliseconds. */
static double makespan(void *unused)
{
    (void)unused;
    long regions = options[REGIONS].value, sum = 0;
    unsigned us = (unsigned)options[MILLISECONDS].value * 1000;
    int *done = calloc((size_t)regions, sizeof *done);
    if (!done)
        exit(2);
    double begin = bench_now();
    for (long i = 0; i < regions; i++) {
#pragma omp target map(tofrom : done[i : 1]) firstprivate(us) nowait
        {
            if (us > 0)
                usleep(us);
            done[i] = 1;
        }
    }
#pragma omp taskwait
    double took = (bench_now() - begin) * 1e3;
    for (long i = 0; i < regions; i++)
        sum += done[i];
    bench_check("regions done", sum, regions);
    free(done);
    return took;
}

int main(int argc, char **argv)
{
    bench_options(argc, argv, options);
    bench_run("independent", "ms", options[WARMUP].value, options[REPETITIONS].value, makespan, NULL);
    return 0;
}
