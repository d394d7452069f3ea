/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Graphs of kernels that depend on one another, drawn by calls of the includer's functions:
 *
 *     node(a, b, c)  a kernel that reads cells a and b (-1: none) and changes cell c
 *     join(n, c)     a kernel that reads cells 0 to n - 1 and changes cell c
 *     host(c)        a host task that changes cell c
 *
 * Each is the task graph of a known program; the kernels themselves do nothing but take their time.
 */
#ifndef BENCH_GRAPH_H
#define BENCH_GRAPH_H

#include "bench.h"

#define MOST_CELLS 4096

enum { GRAPH_CHAIN, GRAPH_DIAMOND, GRAPH_MIXED, GRAPH_CHOLESKY, GRAPH_STENCIL, N_GRAPHS };
static const char *const graph_names[] = {"chain", "diamond", "mixed", "cholesky", "stencil"};

static void node(int a, int b, int c);
static void join(int n, int c);
static void host(int c);

/* Chains beside one another; `mixed`: each second step is a host task. */
static void draw_chains(int width, int steps, int mixed)
{
    for (int s = 0; s < steps; s++) {
        for (int w = 0; w < width; w++) {
            if (mixed && s % 2)
                host(w);
            else
                node(-1, -1, w);
        }
    }
}

/* One kernel, `width` that read what it has written, one that reads what those have written; and again. */
static void draw_diamonds(int width, int steps)
{
    for (int s = 0; s < steps; s++) {
        node(-1, -1, width);
        for (int w = 0; w < width; w++)
            node(width, -1, w);
        join(width, width);
    }
}

/* The tiled Cholesky factorisation of a matrix of width x width tiles. */
static void draw_cholesky(int width)
{
    for (int k = 0; k < width; k++) {
        node(-1, -1, k * width + k);
        for (int i = k + 1; i < width; i++)
            node(k * width + k, -1, i * width + k);
        for (int i = k + 1; i < width; i++) {
            for (int j = k + 1; j < i; j++)
                node(i * width + k, j * width + k, i * width + j);
            node(i * width + k, -1, i * width + i);
        }
    }
}

/* Tiles of a line that change with their neighbours, step by step: two lines in turn. */
static void draw_stencil(int width, int steps)
{
    for (int s = 0; s < steps; s++) {
        int from = s % 2 * width, to = (s + 1) % 2 * width;
        for (int w = 0; w < width; w++)
            node(w > 0 ? from + w - 1 : -1, w + 1 < width ? from + w + 1 : from + w, to + w);
    }
}

static inline void draw(int graph, int width, int steps)
{
    switch (graph) {
    case GRAPH_CHAIN:
    case GRAPH_MIXED:
        draw_chains(width, steps, graph == GRAPH_MIXED);
        break;
    case GRAPH_DIAMOND:
        draw_diamonds(width, steps);
        break;
    case GRAPH_CHOLESKY:
        draw_cholesky(width);
        break;
    default:
        draw_stencil(width, steps);
    }
}

enum { GRAPH, WIDTH, STEPS, REPETITIONS, WARMUP, LABEL };
static bench_option_t options[] = {{"graph", 0},  {"width", 1}, {"steps", 100}, {"repetitions", 3},
                                   {"warmup", 1}, {"label", 0}, {NULL, 0}};

/* Reads the options; `metric` becomes the figure's name: graph, width, and the kernels' time, which `label` tells. */
static inline void graph_options(int argc, char **argv, char *metric, size_t size)
{
    bench_options(argc, argv, options);
    long graph = options[GRAPH].value, width = options[WIDTH].value;
    if (graph >= N_GRAPHS || width < 1 || width > (graph == GRAPH_CHOLESKY ? 64 : MOST_CELLS / 2 - 1)) {
        fprintf(stderr, "%s: no such graph, or too wide\n", argv[0]);
        exit(2);
    }
    snprintf(metric, size, "%s_%ld_%ldus", graph_names[graph], width, options[LABEL].value);
}

#endif
