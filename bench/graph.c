/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How long do graphs of dependent regions take? Chains, diamonds, chains mixed with host tasks, the graphs of a tiled
 * Cholesky factorisation and of a stencil; see graph.h. For the emulated GPU, which makes the kernels take their time
 * (CUDAEMU_KERNEL_NS). The figure is the makespan. graph_driver.c is the same on the bare driver. `cpu_` figures: the
 * processor time of the host's threads meanwhile.
 */
#include "graph.h"

static char cells[MOST_CELLS];
static int word;

static void node(int a, int b, int c)
{
    if (a >= 0 && b >= 0) {
#pragma omp target map(tofrom : word) depend(in : cells[a], cells[b]) depend(inout : cells[c]) nowait
        {
        }
    } else if (a >= 0) {
#pragma omp target map(tofrom : word) depend(in : cells[a]) depend(inout : cells[c]) nowait
        {
        }
    } else if (b >= 0) {
        node(b, -1, c);
    } else {
#pragma omp target map(tofrom : word) depend(inout : cells[c]) nowait
        {
        }
    }
}

static void join(int n, int c)
{
#pragma omp target map(tofrom : word) depend(iterator(i = 0 : n), in : cells[i]) depend(inout : cells[c]) nowait
    {
    }
}

static void host(int c)
{
#pragma omp task depend(inout : cells[c])
    {
    }
}

/* Returns milliseconds. */
static double makespan(void *unused)
{
    (void)unused;
    double begin = bench_now();
    draw((int)options[GRAPH].value, (int)options[WIDTH].value, (int)options[STEPS].value);
#pragma omp taskwait
    return (bench_now() - begin) * 1e3;
}

int main(int argc, char **argv)
{
    char metric[64], cpu_metric[80];
    graph_options(argc, argv, metric, sizeof metric);
#pragma omp target enter data map(to : word)
    for (long i = 0; i < options[WARMUP].value; i++)
        (void)makespan(NULL);
    double cpu = bench_cpu();
    bench_run(metric, "ms", 0, options[REPETITIONS].value, makespan, NULL);
    cpu = (bench_cpu() - cpu) * 1e3 / (double)options[REPETITIONS].value;
    snprintf(cpu_metric, sizeof cpu_metric, "cpu_%s", metric);
    bench_report(cpu_metric, "ms", &cpu, 1);
#pragma omp target exit data map(release : word)
    return 0;
}
