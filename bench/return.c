/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How long until `target nowait` returns, when the region itself takes 200 ms? The first region of a program is a
 * figure of its own: it pays for what is started once.
 */
#include <unistd.h>

#include "bench.h"

enum { REPETITIONS, MILLISECONDS };
static bench_option_t options[] = {{"repetitions", 3}, {"milliseconds", 200}, {NULL, 0}};

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

int main(int argc, char **argv)
{
    bench_options(argc, argv, options);
    bench_run("return_first", "ms", 0, 1, construct, NULL);
    bench_run("return", "ms", 0, options[REPETITIONS].value, construct, NULL);
    return 0;
}
