/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How much is hidden? For the emulated GPU, which makes kernels and copies take their time (--milliseconds says which).
 *
 * overlap_host: the host computes for as long as a kernel takes, beside it; perfect is the time of one of the two.
 * overlap_copies: eight regions, each with a copy in, a kernel and a copy out of one time each; perfect is ten times
 * that time, one after the other is 24 times.
 * hidden_: the part of what can be hidden that is: 100 % is perfect, 0 % is one after the other.
 */
#include "bench.h"

enum { REPETITIONS, WARMUP, MILLISECONDS, BYTES };
static bench_option_t options[] = {
    {"repetitions", 3}, {"warmup", 1}, {"milliseconds", 10}, {"bytes", 1048576}, {NULL, 0}};

#define PARTS 8
static char *parts[PARTS];

/* Returns milliseconds. */
static double beside_host(void *unused)
{
    (void)unused;
    int word = 0;
    double begin = bench_now(), end = begin + (double)options[MILLISECONDS].value * 1e-3;
#pragma omp target map(tofrom : word) nowait
    word = 1;
    while (bench_now() < end)
        ;
#pragma omp taskwait
    double took = (bench_now() - begin) * 1e3;
    bench_check("regions done", word, 1);
    return took;
}

static double copies(void *unused)
{
    (void)unused;
    long n = options[BYTES].value, sum = 0;
    double begin = bench_now();
    for (int i = 0; i < PARTS; i++) {
        char *part = parts[i];
        part[0] = 0;
#pragma omp target map(tofrom : part[0 : n]) nowait
        part[0] = 1;
    }
#pragma omp taskwait
    double took = (bench_now() - begin) * 1e3;
    for (int i = 0; i < PARTS; i++)
        sum += parts[i][0];
    bench_check("regions done", sum, PARTS);
    return took;
}

/* Reports the time, and how much is hidden if it is `perfect` times that of one kernel at best and `serial` times it
 * where nothing overlaps. */
static void report(const char *what, double (*measure)(void *), double perfect, double serial)
{
    char metric[32];
    long n = options[REPETITIONS].value;
    double took[100], hidden[100], one = (double)options[MILLISECONDS].value;
    for (long i = -options[WARMUP].value; i < n; i++) {
        double now = measure(NULL);
        if (i < 0)
            continue;
        took[i] = now;
        hidden[i] = 100 * (serial * one - now) / ((serial - perfect) * one);
    }
    snprintf(metric, sizeof metric, "overlap_%s", what);
    bench_report(metric, "ms", took, n);
    snprintf(metric, sizeof metric, "hidden_%s", what);
    bench_report(metric, "%", hidden, n);
}

int main(int argc, char **argv)
{
    bench_options(argc, argv, options);
    if (options[REPETITIONS].value < 1 || options[REPETITIONS].value > 100 || options[MILLISECONDS].value < 1) {
        fprintf(stderr, "%s: --repetitions 1 to 100, --milliseconds 1 or more\n", argv[0]);
        return 2;
    }
    for (int i = 0; i < PARTS; i++) {
        parts[i] = calloc(1, (size_t)options[BYTES].value + 1);
        if (!parts[i])
            return 2;
    }
    report("host", beside_host, 1, 2);
    report("copies", copies, PARTS + 2, 3 * PARTS);
    return 0;
}
