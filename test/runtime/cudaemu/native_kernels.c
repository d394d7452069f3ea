/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A shared object as a device image, for the emulated driver's tests. */
#include <stddef.h>
#include <stdint.h>

double scale = 2;
static uint64_t n_runs;
uint64_t *runs = &n_runs;

void __omp_offloading_scale(void *dyn_ptr, double *values, size_t n);
void __omp_offloading_many(uint64_t *sum, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
                           uint64_t g, uint64_t h);

void __omp_offloading_scale(void *dyn_ptr, double *values, size_t n)
{
    (void)dyn_ptr;
    n_runs++;
    for (size_t i = 0; i < n; i++)
        values[i] *= scale;
}

/* More arguments than registers. */
void __omp_offloading_many(uint64_t *sum, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
                           uint64_t g, uint64_t h)
{
    *sum = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}
