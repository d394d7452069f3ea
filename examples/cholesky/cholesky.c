/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tiled Cholesky factorisation of a covariance matrix, the costly step of Gaussian-process regression (kriging).
 *
 * The depths of a week's earthquakes are taken as one draw of a Gaussian process over the Earth's surface. Its
 * covariance matrix C is cut in square tiles that stay on the device; every tile kernel (potrf, trsm, syrk, gemm) is a
 * target task that names the tiles which it reads and writes, so the order of the kernels follows from the dependences
 * alone. The factor L, with C = L * transpose(L), gives the likelihood of the depths.
 */
#include <getopt.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common/option.h"
#include "events.h"

enum { MOST_EVENTS = 10000 };

/* Both factors are sums of up to n products in different orders, so they agree to some n units of the last place. */
static const double tolerance = 1e-11;

static const char usage[] = "usage: cholesky [options] EVENTS.csv\n"
                            "  --points N    use the first N events (all)\n"
                            "  --tile N      rows of a tile (64)\n"
                            "  --range KM    distance at which the correlation has fallen to 1/e (75)\n"
                            "  --sill V      variance of the process (1.4)\n"
                            "  --nugget V    variance of the noise of one event (0.015)\n"
                            "  --help        print this text\n";

struct settings {
    size_t points, tile;
    double range, sill, nugget;
    const char *path;
};

/* ---- tile kernels: n by n, row by row ---- */

#pragma omp begin declare target

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
#pragma omp simd reduction(+: sum)
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* a becomes its own lower Cholesky factor; what is above the diagonal is left alone. */
static void potrf(double *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++)
            a[i * n + j] = (a[i * n + j] - dot(a + i * n, a + j * n, j)) / a[j * n + j];
        a[i * n + i] = sqrt(a[i * n + i] - dot(a + i * n, a + i * n, i));
    }
}

/* a = a * inverse(transpose(l)) */
static void trsm(double *a, const double *l, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            a[i * n + j] = (a[i * n + j] - dot(a + i * n, l + j * n, j)) / l[j * n + j];
}

/* c = c - a * transpose(a), lower half */
static void syrk(double *c, const double *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            c[i * n + j] -= dot(a + i * n, a + j * n, n);
}

/* c = c - a * transpose(b) */
static void gemm(double *c, const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            c[i * n + j] -= dot(a + i * n, b + j * n, n);
}

#pragma omp end declare target

/* ---- the tiled matrix: the tiles of the lower half one after the other ---- */

static size_t tile_at(size_t row, size_t column, size_t n)
{
    return (row * (row + 1) / 2 + column) * n * n;
}

static size_t entry_at(size_t row, size_t column, size_t n)
{
    return tile_at(row / n, column / n, n) + row % n * n + column % n;
}

/*
 * Submits the factorisation of `rows` rows of tiles, which must be on the device; returns the number of regions. The
 * tiles are addressed by their place in one array: an address inside the region is then the device's own.
 */
static size_t submit(double *tiles, size_t length, size_t rows, size_t n)
{
    size_t regions = 0;
    for (size_t k = 0; k < rows; k++) {
        size_t kk = tile_at(k, k, n);
#pragma omp target nowait depend(inout: tiles[kk]) map(present, alloc: tiles[0:length]) firstprivate(kk, n)
        potrf(tiles + kk, n);
        regions++;

        for (size_t i = k + 1; i < rows; i++) {
            size_t ik = tile_at(i, k, n);
#pragma omp target nowait depend(in: tiles[kk]) depend(inout: tiles[ik]) map(present, alloc: tiles[0:length]) \
    firstprivate(ik, kk, n)
            trsm(tiles + ik, tiles + kk, n);
            regions++;
        }

        for (size_t i = k + 1; i < rows; i++) {
            size_t ik = tile_at(i, k, n), ii = tile_at(i, i, n);
            for (size_t j = k + 1; j < i; j++) {
                size_t jk = tile_at(j, k, n), ij = tile_at(i, j, n);
#pragma omp target nowait depend(in: tiles[ik], tiles[jk]) depend(inout: tiles[ij]) \
    map(present, alloc: tiles[0:length]) firstprivate(ij, ik, jk, n)
                gemm(tiles + ij, tiles + ik, tiles + jk, n);
                regions++;
            }
#pragma omp target nowait depend(in: tiles[ik]) depend(inout: tiles[ii]) map(present, alloc: tiles[0:length]) \
    firstprivate(ii, ik, n)
            syrk(tiles + ii, tiles + ik, n);
            regions++;
        }
    }
    return regions;
}

/* ---- the statistics ---- */

/* Exponential covariance, which is positive definite for chords as they are distances in space, and a nugget. */
static double covariance(const struct settings *s, const struct event *events, size_t i, size_t j)
{
    double smooth = s->sill * exp(-events_distance(&events[i], &events[j]) / s->range);
    return i == j ? smooth + s->nugget : smooth;
}

/* Depths span four orders of magnitude, so their logarithm is modelled; 5 km lift the highest above zero. */
static void log_depths(const struct event *events, size_t points, double *y)
{
    double mean = 0;
    for (size_t i = 0; i < points; i++) {
        y[i] = log(fmax(events[i].depth, -4) + 5);
        mean += y[i] / (double)points;
    }
    for (size_t i = 0; i < points; i++)
        y[i] -= mean;
}

/* log det C and the Gaussian log-likelihood of y under it, from the factor l (row by row, points to a row). */
static void likelihood(const double *l, size_t points, const double *y, double *log_det, double *log_likelihood)
{
    double *z = malloc(points * sizeof *z);
    double square = 0;
    *log_det = *log_likelihood = NAN;
    if (z == NULL)
        return;
    *log_det = 0;
    for (size_t i = 0; i < points; i++) {
        double rest = y[i];
        for (size_t j = 0; j < i; j++)
            rest -= l[i * points + j] * z[j];
        z[i] = rest / l[i * points + i];
        square += z[i] * z[i];
        *log_det += 2 * log(l[i * points + i]);
    }
    *log_likelihood = -0.5 * (square + *log_det + (double)points * log(2 * acos(-1.0)));
    free(z);
}

/* The textbook algorithm, on the host, on one matrix. */
static void factorise_on_host(double *a, size_t points)
{
    for (size_t i = 0; i < points; i++)
        for (size_t j = 0; j <= i; j++) {
            double rest = a[i * points + j];
            for (size_t k = 0; k < j; k++)
                rest -= a[i * points + k] * a[j * points + k];
            a[i * points + j] = i == j ? sqrt(rest) : rest / a[j * points + j];
        }
}

static void parse(int argc, char **argv, struct settings *s)
{
    static const struct option options[] = {{"points", required_argument, NULL, 'p'},
                                            {"tile", required_argument, NULL, 't'},
                                            {"range", required_argument, NULL, 'r'},
                                            {"sill", required_argument, NULL, 's'},
                                            {"nugget", required_argument, NULL, 'n'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (option) {
        case 'p':
            s->points = option_count("points", optarg, 1, MOST_EVENTS);
            break;
        case 't':
            s->tile = option_count("tile", optarg, 1, 1024);
            break;
        case 'r':
            s->range = option_number("range", optarg, 1e-3, 1e6);
            break;
        case 's':
            s->sill = option_number("sill", optarg, 1e-6, 1e6);
            break;
        case 'n':
            s->nugget = option_number("nugget", optarg, 1e-6, 1e6);
            break;
        case 'h':
            fputs(usage, stdout);
            exit(0);
        default:
            fputs(usage, stderr);
            exit(2);
        }
    }
    if (optind + 1 != argc) {
        fputs(usage, stderr);
        exit(2);
    }
    s->path = argv[optind];
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) {
        fprintf(stderr, "no memory for %zu times %zu bytes\n", count, size);
        exit(1);
    }
    return memory;
}

int main(int argc, char **argv)
{
    struct settings s = {.points = MOST_EVENTS, .tile = 64, .range = 75, .sill = 1.4, .nugget = 0.015};
    parse(argc, argv, &s);

    struct event *events = allocate(s.points, sizeof *events);
    size_t points = events_read(s.path, events, s.points);
    if (points == 0)
        return 1;
    size_t n = s.tile, rows = (points + n - 1) / n, length = rows * (rows + 1) / 2 * n * n;
    double *tiles = allocate(length, sizeof *tiles);
    double *reference = allocate(points * points, sizeof *reference);
    double *factor = allocate(points * points, sizeof *factor);
    double *y = allocate(points, sizeof *y);
    for (size_t i = 0; i < points; i++)
        for (size_t j = 0; j <= i; j++)
            tiles[entry_at(i, j, n)] = reference[i * points + j] = covariance(&s, events, i, j);
    /* The last row of tiles is filled up with ones on the diagonal: they factor to ones and touch nothing else. */
    for (size_t i = points; i < rows * n; i++)
        tiles[entry_at(i, i, n)] = 1;
    log_depths(events, points, y);

    /* The first use of a device initialises it, which is no part of what is measured. */
#pragma omp target
    {
    }

    double start = omp_get_wtime();
#pragma omp target enter data map(to: tiles[0:length])
    double entered = omp_get_wtime();
    size_t regions = submit(tiles, length, rows, n);
    double submitted = omp_get_wtime();
#pragma omp taskwait
#pragma omp target exit data map(from: tiles[0:length])
    double finished = omp_get_wtime();

    factorise_on_host(reference, points);
    double largest = 0, difference = 0;
    for (size_t i = 0; i < points; i++)
        for (size_t j = 0; j <= i; j++) {
            double here = factor[i * points + j] = tiles[entry_at(i, j, n)];
            double apart = fabs(here - reference[i * points + j]);
            largest = fmax(largest, fabs(reference[i * points + j]));
            difference = fmax(difference, isnan(apart) ? INFINITY : apart);
        }
    double log_det, log_likelihood, host_log_det, host_log_likelihood;
    likelihood(factor, points, y, &log_det, &log_likelihood);
    likelihood(reference, points, y, &host_log_det, &host_log_likelihood);
    int right = difference <= tolerance * largest && fabs(log_det - host_log_det) <= 1e-9 * fabs(host_log_det) &&
                fabs(log_likelihood - host_log_likelihood) <= 1e-9 * fabs(host_log_likelihood);

    double cube = (double)points * (double)points * (double)points;
    printf("matrix:             %zu events, %zu rows of tiles of %zu by %zu\n", points, rows, n, n);
    printf("regions:            %zu, submitted in %.3f ms\n", regions, (submitted - entered) * 1e3);
    printf("log-determinant:    %.6f\n", log_det);
    printf("log-likelihood:     %.6f\n", log_likelihood);
    printf("wall time:          %.4f s, %.2f GFLOP/s\n", finished - start, cube / 3 / (finished - start) / 1e9);
    printf("check:              %s, largest difference %.1e of the largest entry, limit %.0e\n", right ? "ok" : "WRONG",
           difference / largest, tolerance);
    free(y);
    free(factor);
    free(reference);
    free(tiles);
    free(events);
    return right ? 0 : 1;
}
