/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How long until `target nowait` returns, when the region itself takes 200 ms? The first region of a program is a
 * figure of its own: it pays for what is started once.
 *
 * --bytes N: how long until constructs return that copy N bytes, on the emulated GPU, whose kernels take their time:
 * `target` with map(to), `enter data`, `exit data`, `update to` and `update from`. --pinned 1: the memory is pinned
 * (llvm_omp_target_alloc_host).
 */
#include <unistd.h>

#include "bench.h"

enum { REPETITIONS, MILLISECONDS, BYTES, PINNED };
static bench_option_t options[] = {{"repetitions", 3}, {"milliseconds", 200}, {"bytes", 0}, {"pinned", 0}, {NULL, 0}};

extern void *llvm_omp_target_alloc_host(size_t size, int device);

/* Returns milliseconds. */
static double construct(void *unused)
{
    (void)unused;
    int done = 0;
    unsigned us = (unsigned)options[MILLISECONDS].value * 1000;
    double begin = bench_now();
#pragma omp target map(tofrom : done) firstprivate(us) nowait
    {
        usleep(us);
        done = 1;
    }
    double returned = (bench_now() - begin) * 1e3;
#pragma omp taskwait
    bench_check("regions done", done, 1);
    return returned;
}

/* Each returns microseconds until the construct returned, and then waits for its end. */
static double region_returns(void *memory)
{
    char *bytes = memory;
    long n = options[BYTES].value;
    double begin = bench_now();
#pragma omp target map(to : bytes[0 : n]) nowait
    {
    }
    double returned = (bench_now() - begin) * 1e6;
#pragma omp taskwait
    return returned;
}

static double enter_returns(void *memory)
{
    char *bytes = memory;
    long n = options[BYTES].value;
    double begin = bench_now();
#pragma omp target enter data map(to : bytes[0 : n]) nowait
    double returned = (bench_now() - begin) * 1e6;
#pragma omp taskwait
#pragma omp target exit data map(release : bytes[0 : n])
    return returned;
}

static double exit_returns(void *memory)
{
    char *bytes = memory;
    long n = options[BYTES].value;
#pragma omp target enter data map(alloc : bytes[0 : n])
    double begin = bench_now();
#pragma omp target exit data map(from : bytes[0 : n]) nowait
    double returned = (bench_now() - begin) * 1e6;
#pragma omp taskwait
    return returned;
}

static double update_to_returns(void *memory)
{
    char *bytes = memory;
    long n = options[BYTES].value;
#pragma omp target enter data map(alloc : bytes[0 : n])
    double begin = bench_now();
#pragma omp target update to(bytes[0 : n]) nowait
    double returned = (bench_now() - begin) * 1e6;
#pragma omp taskwait
#pragma omp target exit data map(release : bytes[0 : n])
    return returned;
}

static double update_from_returns(void *memory)
{
    char *bytes = memory;
    long n = options[BYTES].value;
#pragma omp target enter data map(alloc : bytes[0 : n])
    double begin = bench_now();
#pragma omp target update from(bytes[0 : n]) nowait
    double returned = (bench_now() - begin) * 1e6;
#pragma omp taskwait
#pragma omp target exit data map(release : bytes[0 : n])
    return returned;
}

static int copies_return(void)
{
    static const struct construct {
        const char *name;
        double (*measure)(void *);
    } constructs[] = {{"target", region_returns},
                      {"enter", enter_returns},
                      {"exit", exit_returns},
                      {"update_to", update_to_returns},
                      {"update_from", update_from_returns}};
    size_t size = (size_t)options[BYTES].value;
    char *bytes = options[PINNED].value ? llvm_omp_target_alloc_host(size, 0) : malloc(size);
    if (!bytes)
        return 2;
    memset(bytes, 1, size);
    for (size_t i = 0; i < sizeof constructs / sizeof *constructs; i++) {
        char metric[64];
        snprintf(metric, sizeof metric, "return_%s_%s_%ldKiB", constructs[i].name,
                 options[PINNED].value ? "pinned" : "pageable", options[BYTES].value / 1024);
        bench_run(metric, "us", 2, options[REPETITIONS].value, constructs[i].measure, bytes);
    }
    return 0;
}

int main(int argc, char **argv)
{
    bench_options(argc, argv, options);
    if (options[BYTES].value > 0)
        return copies_return();
    bench_run("return_first", "ms", 0, 1, construct, NULL);
    bench_run("return", "ms", 0, options[REPETITIONS].value, construct, NULL);
    return 0;
}
