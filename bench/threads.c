/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Do short regions from many threads get in each other's way? Some threads each launch sixteen tiny regions and wait
 * for them; a figure is the time of one such parallel region.
 */
#include "bench.h"

enum { REPETITIONS, WARMUP, THREADS, REGIONS };
static bench_option_t options[] = {{"repetitions", 8}, {"warmup", 1}, {"threads", 8}, {"regions", 16}, {NULL, 0}};

/* Returns milliseconds. */
static double episode(void *unused)
{
    (void)unused;
    long sum = 0;
    double begin = bench_now();
#pragma omp parallel num_threads((int)options[THREADS].value) reduction(+ : sum)
    {
        int words[1024] = {0};
        long regions = options[REGIONS].value < 1024 ? options[REGIONS].value : 1024;
        for (long i = 0; i < regions; i++) {
#pragma omp target map(tofrom : words[i : 1]) nowait
            words[i] = 1;
        }
#pragma omp taskwait
        for (long i = 0; i < regions; i++)
            sum += words[i];
    }
    double took = (bench_now() - begin) * 1e3;
    bench_check("regions done", sum, options[THREADS].value * options[REGIONS].value);
    return took;
}

int main(int argc, char **argv)
{
    bench_options(argc, argv, options);
    char metric[32];
    snprintf(metric, sizeof metric, "threads_%ld", options[THREADS].value);
    bench_run(metric, "ms", options[WARMUP].value, options[REPETITIONS].value, episode, NULL);
    return 0;
}
