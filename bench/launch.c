/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What does one deferred region cost in a serial program? Empty kernels that map present data, launched in batches that
 * end with a taskwait; a figure is the time of some batches divided by their regions.
 *
 * --maps 1 or 16. --settle: milliseconds between a batch and its taskwait, in which the device finishes, so that the
 * launching thread does not poll: for counting instructions, not for timing.
 */
#include <sys/resource.h>

#include "bench.h"

enum { MAPS, BATCH, BATCHES, WARMUP, REPETITIONS, SETTLE };
static bench_option_t options[] = {{"maps", 1},         {"batch", 100}, {"batches", 10}, {"warmup", 3},
                                   {"repetitions", 15}, {"settle", 0},  {NULL, 0}};

static int v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15;

static void launch_1(void)
{
#pragma omp target map(tofrom : v0) nowait
    {
    }
}

static void launch_16(void)
{
#pragma omp target map(tofrom : v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15) nowait
    {
    }
}

/* Returns the nanoseconds of a region. */
static double batches(void *launch)
{
    void (*launch_one)(void) = *(void (**)(void))launch;
    double begin = bench_now();
    for (long i = 0; i < options[BATCHES].value; i++) {
        for (long k = 0; k < options[BATCH].value; k++)
            launch_one();
        if (options[SETTLE].value)
            bench_sleep((double)options[SETTLE].value * 1e-3);
#pragma omp taskwait
    }
    return (bench_now() - begin) * 1e9 / (double)(options[BATCHES].value * options[BATCH].value);
}

static double context_switches(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_nvcsw + usage.ru_nivcsw);
}

int main(int argc, char **argv)
{
    bench_options(argc, argv, options);
    void (*launch_one)(void) = options[MAPS].value == 16 ? launch_16 : launch_1;
    char metric[32];
    snprintf(metric, sizeof metric, "launch_%s", launch_one == launch_16 ? "16_maps" : "1_map");
#pragma omp target enter data map(to : v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15)
    for (long i = 0; i < options[WARMUP].value; i++)
        (void)batches(&launch_one);
    double switches = context_switches(), cpu = bench_cpu();
    bench_run(metric, "ns", 0, options[REPETITIONS].value, batches, &launch_one);
    double regions = (double)(options[REPETITIONS].value * options[BATCHES].value * options[BATCH].value);
    switches = (context_switches() - switches) / regions;
    cpu = (bench_cpu() - cpu) * 1e9 / regions;
    snprintf(metric, sizeof metric, "%s", launch_one == launch_16 ? "cpu_16_maps" : "cpu_1_map");
    bench_report(metric, "ns", &cpu, 1);
    snprintf(metric, sizeof metric, "%s", launch_one == launch_16 ? "switches_16_maps" : "switches_1_map");
    bench_report(metric, "each", &switches, 1);
#pragma omp target exit data map(release : v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15)
    return 0;
}
