/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The nodes of graph.h for who handles them all alike, by put_kernel. */
#ifndef BENCH_GRAPH_KERNELS_H
#define BENCH_GRAPH_KERNELS_H

#include "graph.h"

/* The includer's: a kernel that reads the `n` cells of `reads` and changes cell c. */
static void put_kernel(const int *reads, int n, int c);

static void node(int a, int b, int c)
{
    int reads[2] = {0}, n = 0;
    if (a >= 0)
        reads[n++] = a;
    if (b >= 0)
        reads[n++] = b;
    put_kernel(reads, n, c);
}

static void join(int n, int c)
{
    static int reads[MOST_CELLS];
    for (int i = 0; i < n; i++)
        reads[i] = i;
    put_kernel(reads, n, c);
}

#endif
