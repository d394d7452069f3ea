// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omp_target_memcpy_rect and its asynchronous form, 1 to 6 dimensions, random extents, volumes (also empty ones) and
// offsets, between random places: every byte as a plain loop would leave it, those outside the volume untouched. And
// the number of dimensions that are supported, asked by two null addresses.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"
#include <limits.h>

enum { MAX_DIMS = 6, ROUNDS = 300, MAX_BYTES = 1 << 16 };

static unsigned long long state = 12345;

static size_t below(size_t n)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (size_t)(state >> 33) % n;
}

static unsigned char to_model[MAX_BYTES], from_model[MAX_BYTES], result[MAX_BYTES];

static void model(size_t element, int dims, const size_t *volume, const size_t *to_off, const size_t *from_off,
                  const size_t *to_dim, const size_t *from_dim)
{
    size_t n = 1;
    for (int d = 0; d < dims; d++)
        n *= volume[d];
    for (size_t i = 0; i < n; i++) {
        size_t index[MAX_DIMS], rest = i, to = 0, from = 0;
        for (int d = dims - 1; d >= 0; d--) {
            index[d] = rest % volume[d];
            rest /= volume[d];
        }
        for (int d = 0; d < dims; d++) {
            to = to * to_dim[d] + to_off[d] + index[d];
            from = from * from_dim[d] + from_off[d] + index[d];
        }
        memcpy(to_model + to * element, from_model + from * element, element);
    }
}

int main(void)
{
    int places[] = {0, 1, omp_get_initial_device()};
    watchdog(60);
    CHECK_EQ(omp_target_memcpy_rect(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, 0), INT_MAX);
    CHECK_EQ(omp_target_memcpy_rect_async(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, NULL), INT_MAX);
    for (int round = 0; round < ROUNDS; round++) {
        size_t volume[MAX_DIMS], to_off[MAX_DIMS], from_off[MAX_DIMS], to_dim[MAX_DIMS], from_dim[MAX_DIMS];
        size_t element = 1 + below(3), to_size = element, from_size = element;
        int dims = 1 + (int)below(MAX_DIMS), host = omp_get_initial_device();
        int to_device = places[below(3)], from_device = places[below(3)];
        for (int d = 0; d < dims; d++) {
            volume[d] = below(4) == 0 ? below(4) : 1 + below(4);
            int whole = below(3) == 0;
            to_off[d] = whole ? 0 : below(2);
            from_off[d] = whole ? 0 : below(2);
            to_dim[d] = volume[d] + to_off[d] + (whole ? 0 : below(2));
            from_dim[d] = volume[d] + from_off[d] + (whole ? 0 : below(2));
            to_size *= to_dim[d];
            from_size *= from_dim[d];
        }
        if (to_size == 0 || from_size == 0 || to_size > MAX_BYTES || from_size > MAX_BYTES)
            continue;
        for (size_t i = 0; i < to_size; i++)
            to_model[i] = (unsigned char)below(256);
        for (size_t i = 0; i < from_size; i++)
            from_model[i] = (unsigned char)below(256);
        char *to = omp_target_alloc(to_size, to_device), *from = omp_target_alloc(from_size, from_device);
        CHECK(to != NULL && from != NULL);
        CHECK_EQ(omp_target_memcpy(to, to_model, to_size, 0, 0, to_device, host), 0);
        CHECK_EQ(omp_target_memcpy(from, from_model, from_size, 0, 0, from_device, host), 0);
        if (round % 2)
            CHECK_EQ(omp_target_memcpy_rect(to, from, element, dims, volume, to_off, from_off, to_dim, from_dim,
                                            to_device, from_device),
                     0);
        else
            CHECK_EQ(omp_target_memcpy_rect_async(to, from, element, dims, volume, to_off, from_off, to_dim, from_dim,
                                                  to_device, from_device, 0, NULL),
                     0);
        /* The call has read its arrays: they may go at once. */
        model(element, dims, volume, to_off, from_off, to_dim, from_dim);
        memset(volume, 0xFF, sizeof volume);
        memset(to_dim, 0xFF, sizeof to_dim);
#pragma omp taskwait
        CHECK_EQ(omp_target_memcpy(result, to, to_size, 0, 0, host, to_device), 0);
        CHECK_EQ(memcmp(result, to_model, to_size), 0);
        omp_target_free(to, to_device);
        omp_target_free(from, from_device);
    }
    return 0;
}
