/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What do the mapping table's operations cost, with few entries and with many, and do threads that map data of their
 * own get in each other's way?
 *
 * lookup_N, insert_N, erase_N: processor time of one omp_target_is_present, `target enter data`, `target exit data` (16
 * bytes, no copies) at a random place of a table with N entries, for N = 10, 100, ... up to --entries.
 * lookup_100_T_threads, map_own_T_threads: wall time of one lookup in a table of 100 entries, and of one enter and exit
 * with data of the thread's own, divided by those that T threads have done; with perfect scaling and processors enough
 * it halves as T doubles.
 */
#include <omp.h>

#include "bench.h"

enum { ENTRIES, OPERATIONS, PAIRS, THREADS, REPETITIONS, WARMUP };
static bench_option_t options[] = {{"entries", 1000000}, {"operations", 2000}, {"pairs", 2000}, {"threads", 8},
                                   {"repetitions", 9},   {"warmup", 1},        {NULL, 0}};

#define BYTES 16

/* Places 2 * i of the area are the table's N entries; operations come and go at the places between. */
static char *area;
static long entries;
static unsigned long random_state = 1;

static long random_from(unsigned long *state, long n)
{
    *state = *state * 6364136223846793005ul + 1442695040888963407ul;
    return (long)((*state >> 33) % (unsigned long)n);
}

static long random_below(long n)
{
    return random_from(&random_state, n);
}

static char *place(long i)
{
    return area + i * BYTES;
}

static void insert(char *bytes)
{
#pragma omp target enter data map(alloc : bytes[0 : BYTES])
}

static void erase(char *bytes)
{
#pragma omp target exit data map(release : bytes[0 : BYTES])
}

/* Every place of 2 * [0, n) once, in an order that looks random: the step and n have no factor in common. */
static void fill(long n)
{
    static const long step = 1299709;
    for (long i = entries, at = 0; i < n; i++) {
        at = (at + step) % (n - entries);
        insert(place(2 * (entries + at)));
    }
    entries = n;
}

static double thread_time(void)
{
    return bench_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* Nanoseconds of one of n operations. */
static double each(double seconds, long n)
{
    return seconds * 1e9 / (double)n;
}

static double look_up(void *unused)
{
    (void)unused;
    long n = options[OPERATIONS].value, present = 0;
    double begin = thread_time();
    for (long i = 0; i < n; i++)
        present += omp_target_is_present(place(2 * random_below(entries)), 0);
    double result = each(thread_time() - begin, n);
    bench_check("entries present", present, n);
    return result;
}

/* Inserts between the entries and erases again. Returns the time of an insert, and in *erase_p that of an erase. */
static double insert_and_erase(double *erase_p)
{
    long n = options[OPERATIONS].value < entries ? options[OPERATIONS].value : entries;
    /* The i-th of n sections of the area, and a random place in it: no place comes twice. */
    unsigned long again = random_state;
    double begin = thread_time();
    for (long i = 0, section = entries / n; i < n; i++)
        insert(place(2 * (i * section + random_below(section)) + 1));
    double result = each(thread_time() - begin, n);
    random_state = again;
    begin = thread_time();
    for (long i = 0, section = entries / n; i < n; i++)
        erase(place(2 * (i * section + random_below(section)) + 1));
    *erase_p = each(thread_time() - begin, n);
    return result;
}

static void measure_size(long n)
{
    static double inserts[1000], erases[1000];
    char metric[48];
    fill(n);
    snprintf(metric, sizeof metric, "lookup_%ld", n);
    bench_run(metric, "ns", options[WARMUP].value, options[REPETITIONS].value, look_up, NULL);
    long repetitions = options[REPETITIONS].value < 1000 ? options[REPETITIONS].value : 1000;
    for (long i = -options[WARMUP].value; i < repetitions; i++)
        inserts[i < 0 ? 0 : i] = insert_and_erase(&erases[i < 0 ? 0 : i]);
    snprintf(metric, sizeof metric, "insert_%ld", n);
    bench_report(metric, "ns", inserts, repetitions);
    snprintf(metric, sizeof metric, "erase_%ld", n);
    bench_report(metric, "ns", erases, repetitions);
}

/* Returns the nanoseconds of a lookup, over all threads; each looks at random places. */
static double look_up_together(void *threads)
{
    long n = 10 * options[OPERATIONS].value, present = 0;
    double begin = 0;
#pragma omp parallel num_threads((int)*(long *)threads) shared(begin) reduction(+ : present)
    {
        unsigned long state = (unsigned long)omp_get_thread_num() + 1;
#pragma omp barrier
#pragma omp master
        begin = bench_now();
        for (long i = 0; i < n; i++)
            present += omp_target_is_present(place(2 * random_from(&state, entries)), 0);
    }
    double result = each(bench_now() - begin, n * *(long *)threads);
    bench_check("entries present", present, n * *(long *)threads);
    return result;
}

/* Returns the nanoseconds of a pair, over all threads. */
static double map_own(void *threads)
{
    long n = options[PAIRS].value;
    double begin = 0;
#pragma omp parallel num_threads((int)*(long *)threads) shared(begin)
    {
        char *own = malloc(64 * BYTES);
#pragma omp barrier
#pragma omp master
        begin = bench_now();
        for (long i = 0; own && i < n; i++) {
            insert(own + i % 64 * BYTES);
            erase(own + i % 64 * BYTES);
        }
#pragma omp barrier
        free(own);
    }
    return each(bench_now() - begin, n * *(long *)threads);
}

int main(int argc, char **argv)
{
    bench_options(argc, argv, options);
    long most = options[ENTRIES].value;
    area = malloc((size_t)(2 * most + 2) * BYTES);
    if (!area || most < 10 || options[OPERATIONS].value < 1) {
        fprintf(stderr, "%s: fewer than 10 entries, no operations, or no memory\n", argv[0]);
        return 2;
    }
    for (long n = 10; n <= most; n *= 10) {
        measure_size(n);
        if (n != 100)
            continue;
        for (long threads = 1; threads <= options[THREADS].value; threads *= 2) {
            char metric[48];
            snprintf(metric, sizeof metric, "lookup_%ld_%ld_threads", n, threads);
            bench_run(metric, "ns", options[WARMUP].value, options[REPETITIONS].value, look_up_together, &threads);
            snprintf(metric, sizeof metric, "map_own_%ld_threads", threads);
            bench_run(metric, "ns", options[WARMUP].value, options[REPETITIONS].value, map_own, &threads);
        }
    }
    return 0;
}
