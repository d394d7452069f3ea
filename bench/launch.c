/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What does one deferred region cost? Empty kernels that map present data, launched in batches that
 * end with a taskwait; a figure is the time of some batches divided by their regions.
 *
 * --maps 0, 1, 4, 16 or 64. --threads: each launches as many. --settle: milliseconds between a batch and its taskwait,
 * in which the device finishes, so that the launching thread does not poll: for counting instructions, not for timing.
 */
#include <sys/resource.h>

#include "bench.h"

enum { MAPS, BATCH, BATCHES, WARMUP, REPETITIONS, SETTLE, THREADS };
static bench_option_t options[] = {{"maps", 1},         {"batch", 100}, {"batches", 10}, {"warmup", 3},
                                   {"repetitions", 15}, {"settle", 0},  {"threads", 1},  {NULL, 0}};

/* Names of 64 variables, in lists of 4, 16 and 64. */
#define LIST_4(name) name##0, name##1, name##2, name##3
#define LIST_16(name) LIST_4(name##0), LIST_4(name##1), LIST_4(name##2), LIST_4(name##3)
#define ALL_64 LIST_16(a), LIST_16(b), LIST_16(c), LIST_16(d)

static int ALL_64;

static void launch_0(void)
{
#pragma omp target nowait
    {
    }
}

static void launch_1(void)
{
#pragma omp target map(tofrom : a00) nowait
    {
    }
}

static void launch_4(void)
{
#pragma omp target map(tofrom : LIST_4(a0)) nowait
    {
    }
}

static void launch_16(void)
{
#pragma omp target map(tofrom : LIST_16(a)) nowait
    {
    }
}

static void launch_64(void)
{
#pragma omp target map(tofrom : ALL_64) nowait
    {
    }
}

static const struct launcher {
    long maps;
    const char *name;
    void (*launch)(void);
} launchers[] = {{0, "0_maps", launch_0},    {1, "1_map", launch_1},    {4, "4_maps", launch_4},
                 {16, "16_maps", launch_16}, {64, "64_maps", launch_64}};

static void one_batch(const struct launcher *launcher)
{
    for (long k = 0; k < options[BATCH].value; k++)
        launcher->launch();
    if (options[SETTLE].value)
        bench_sleep((double)options[SETTLE].value * 1e-3);
#pragma omp taskwait
}

/* Returns the nanoseconds of a region; with several threads, of one that any of them has launched. */
static double batches(void *launcher)
{
    long threads = options[THREADS].value;
    double begin = bench_now();
    for (long i = 0; i < options[BATCHES].value; i++) {
        if (threads == 1) {
            one_batch(launcher);
            continue;
        }
#pragma omp parallel num_threads((int)threads)
        one_batch(launcher);
    }
    return (bench_now() - begin) * 1e9 / (double)(options[BATCHES].value * options[BATCH].value * threads);
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
    const struct launcher *launcher = launchers, *end = launchers + sizeof launchers / sizeof *launchers;
    while (launcher < end && launcher->maps != options[MAPS].value)
        launcher++;
    if (launcher == end || options[THREADS].value < 1) {
        fprintf(stderr, "%s: --maps 0, 1, 4, 16 or 64; --threads 1 or more\n", argv[0]);
        return 2;
    }
    char metric[48], suffix[32];
    snprintf(suffix, sizeof suffix, options[THREADS].value == 1 ? "%s" : "%s_%ld_threads", launcher->name,
             options[THREADS].value);
#pragma omp target enter data map(to : ALL_64)
    for (long i = 0; i < options[WARMUP].value; i++)
        (void)batches((void *)launcher);
    double switches = context_switches(), cpu = bench_cpu();
    snprintf(metric, sizeof metric, "launch_%s", suffix);
    bench_run(metric, "ns", 0, options[REPETITIONS].value, batches, (void *)launcher);
    double regions = (double)(options[REPETITIONS].value * options[BATCHES].value * options[BATCH].value *
                              options[THREADS].value);
    switches = (context_switches() - switches) / regions;
    cpu = (bench_cpu() - cpu) * 1e9 / regions;
    snprintf(metric, sizeof metric, "cpu_%s", suffix);
    bench_report(metric, "ns", &cpu, 1);
    snprintf(metric, sizeof metric, "switches_%s", suffix);
    bench_report(metric, "each", &switches, 1);
#pragma omp target exit data map(release : ALL_64)
    return 0;
}
