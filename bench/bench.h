/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What every benchmark program shares: options, a clock, repetitions after a warm-up, and one CSV line a figure:
 *
 *     metric,unit,least,median,most,repetitions
 */
#ifndef BENCH_H
#define BENCH_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* An option "--name value" and its default; a list of them ends with a null name. */
typedef struct bench_option {
    const char *name;
    long value;
} bench_option_t;

/* Reads the command line into the options; a bad one ends the program with one line. */
static inline void bench_options(int argc, char **argv, bench_option_t *options)
{
    for (int i = 1; i < argc; i++) {
        bench_option_t *option = options;
        while (option->name && (strncmp(argv[i], "--", 2) != 0 || strcmp(argv[i] + 2, option->name) != 0))
            option++;
        char *end = NULL;
        if (option->name && i + 1 < argc)
            option->value = strtol(argv[++i], &end, 10);
        if (!end || *end != '\0' || option->value < 0) {
            fprintf(stderr, "%s: bad option or value: %s; options are", argv[0], argv[i]);
            for (option = options; option->name; option++)
                fprintf(stderr, " --%s N (%ld)", option->name, option->value);
            fputc('\n', stderr);
            exit(2);
        }
    }
}

static inline double bench_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Seconds since some moment. */
static inline double bench_now(void)
{
    return bench_clock(CLOCK_MONOTONIC);
}

/* A function of the emulated CUDA driver's own (test/runtime/cudaemu/cudaemu.h); NULL if this program runs on none. */
static inline void *bench_emulated(const char *name)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    return driver ? dlsym(driver, name) : NULL;
}

/* Seconds of processor time that all threads of this process have used; without those that stand for the emulated GPU,
 * since a real one takes none. */
static inline double bench_cpu(void)
{
    uint64_t (*device_ns)(void) = (uint64_t(*)(void))bench_emulated("cudaemu_device_ns");
    double device = device_ns ? (double)device_ns() * 1e-9 : 0;
    return bench_clock(CLOCK_PROCESS_CPUTIME_ID) - device;
}

/* Megabytes of this process that are in memory. */
static inline double bench_resident(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) * 1e-6;
}

static inline void bench_sleep(double seconds)
{
    nanosleep(&(struct timespec){.tv_sec = (time_t)seconds,
                                 .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)},
              NULL);
}

static inline int bench_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Prints the CSV line of a figure; sorts the values. */
static inline void bench_report(const char *metric, const char *unit, double *values, long n)
{
    qsort(values, (size_t)n, sizeof *values, bench_compare);
    printf("%s,%s,%.6g,%.6g,%.6g,%ld\n", metric, unit, values[0], (values[(n - 1) / 2] + values[n / 2]) / 2,
           values[n - 1], n);
}

/* Measures `repetitions` times after `warmup` times whose figures are dropped, and reports. */
static inline void bench_run(const char *metric, const char *unit, long warmup, long repetitions,
                             double (*measure)(void *), void *context)
{
    double *values = malloc((size_t)(repetitions > 0 ? repetitions : 1) * sizeof *values);
    if (!values || repetitions < 1) {
        fprintf(stderr, "%s: no repetitions, or no memory\n", metric);
        exit(2);
    }
    for (long i = 0; i < warmup; i++)
        (void)measure(context);
    for (long i = 0; i < repetitions; i++)
        values[i] = measure(context);
    bench_report(metric, unit, values, repetitions);
    free(values);
}

/* Ends the program if the regions have not done what they should: the figure would be worth nothing. */
static inline void bench_check(const char *what, long got, long expected)
{
    if (got == expected)
        return;
    fprintf(stderr, "%s: %ld instead of %ld\n", what, got, expected);
    exit(1);
}

#endif
