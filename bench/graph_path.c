/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The sum of the kernels' times on the critical path of the graphs of graph.c: no run can be shorter. Nothing runs
 * here;
 * --label says how many microseconds a kernel takes. Host tasks take no time.
 */
#include "graph_kernels.h"

/* When the last kernel that has written a cell is done, and the last that has read it since; in kernels. */
static struct cell {
    int written, read;
} grid[MOST_CELLS];
static int path;

static int later(int a, int b)
{
    return a > b ? a : b;
}

/* A kernel that reads the cells of `reads` and changes cell c. */
static void put_kernel(const int *reads, int n, int c)
{
    int begin = later(grid[c].written, grid[c].read);
    for (int i = 0; i < n; i++)
        begin = later(begin, grid[reads[i]].written);
    for (int i = 0; i < n; i++)
        grid[reads[i]].read = later(grid[reads[i]].read, begin + 1);
    grid[c] = (struct cell){begin + 1, 0};
    path = later(path, begin + 1);
}

static void host(int c)
{
    (void)c;
}

int main(int argc, char **argv)
{
    char metric[64];
    graph_options(argc, argv, metric, sizeof metric);
    draw((int)options[GRAPH].value, (int)options[WIDTH].value, (int)options[STEPS].value);
    double milliseconds = (double)path * (double)options[LABEL].value * 1e-3;
    bench_report(metric, "ms", &milliseconds, 1);
    return 0;
}
