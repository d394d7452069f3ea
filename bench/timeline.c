/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One run to look at: six regions of 20 ms, two of which depend on others, with 4 ms of the program's own work after
 * each construct. Prints when each part began and ended, in milliseconds; report.py draws it.
 *
 *     timeline,TRACK,NAME,BEGIN,END      tracks: host, and device 0, 1, ...: the region's number
 */
#include "bench.h"

#define REGIONS 6

#pragma omp declare target
static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}
#pragma omp end declare target

enum { MILLISECONDS };
static bench_option_t options[] = {{"milliseconds", 20}, {NULL, 0}};

static double times[REGIONS][2];
static double origin;

static void tell(const char *track, const char *name, double begin, double end)
{
    printf("timeline,%s,%s,%.3f,%.3f\n", track, name, (begin - origin) * 1e3, (end - origin) * 1e3);
}

int main(int argc, char **argv)
{
    double returned[REGIONS], called[REGIONS], worked[REGIONS];
    char cell[REGIONS];
    bench_options(argc, argv, options);
    long ms = options[MILLISECONDS].value;
#pragma omp target
    {
    }
    origin = bench_now();
    for (int i = 0; i < REGIONS; i++) {
        double *time = times[i];
        called[i] = bench_now();
        /* The last two depend on the first two. */
#pragma omp target map(from : time[0 : 2]) firstprivate(ms) depend(inout : cell[i % (REGIONS - 2)]) nowait
        {
            time[0] = bench_now();
            sleep_ms(ms);
            time[1] = bench_now();
        }
        returned[i] = bench_now();
        while (bench_now() < returned[i] + (double)ms * 0.2e-3)
            ;
        worked[i] = bench_now();
    }
    double wait = bench_now();
#pragma omp taskwait
    double end = bench_now();
    for (int i = 0; i < REGIONS; i++) {
        tell("host", "construct", called[i], returned[i]);
        tell("host", "work", returned[i], worked[i]);
    }
    tell("host", "taskwait", wait, end);
    for (int i = 0; i < REGIONS; i++) {
        char track[16];
        snprintf(track, sizeof track, "%d", i);
        tell(track, "kernel", times[i][0], times[i][1]);
    }
    return 0;
}
