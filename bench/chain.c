/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What does a dependence between regions cost? A chain of kernels that each spin for a given time and depend on the one
 * before; a figure is the time of the chain divided by its steps. The excess over the kernel's time is the hand-off:
 * completion, release of the dependence, dispatch of the successor.
 */
#include "bench.h"

enum { REPETITIONS, WARMUP, STEPS, MICROSECONDS };
static bench_option_t options[] = {{"repetitions", 7}, {"warmup", 1}, {"steps", 200}, {"microseconds", 5}, {NULL, 0}};

#pragma omp declare target
static void spin(double seconds)
{
    double end = bench_now() + seconds;
    while (bench_now() < end)
        ;
}
#pragma omp end declare target

static int steps_done;

/* Returns microseconds. */
static double chain(void *unused)
{
    (void)unused;
    double seconds = (double)options[MICROSECONDS].value * 1e-6;
    long steps = options[STEPS].value;
    steps_done = 0;
#pragma omp target update to(steps_done)
    double begin = bench_now();
    for (long i = 0; i < steps; i++) {
#pragma omp target map(tofrom : steps_done) firstprivate(seconds) depend(inout : steps_done) nowait
        {
            spin(seconds);
            steps_done++;
        }
    }
#pragma omp taskwait
    double took = (bench_now() - begin) * 1e6 / (double)steps;
#pragma omp target update from(steps_done)
    bench_check("steps done", steps_done, steps);
    return took;
}

int main(int argc, char **argv)
{
    bench_options(argc, argv, options);
    char metric[32];
    snprintf(metric, sizeof metric, "chain_%ldus", options[MICROSECONDS].value);
#pragma omp target enter data map(to : steps_done)
    bench_run(metric, "us", options[WARMUP].value, options[REPETITIONS].value, chain, NULL);
#pragma omp target exit data map(release : steps_done)
    return 0;
}
