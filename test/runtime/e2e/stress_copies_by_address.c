/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Asynchronous copies by address between regions and host tasks, ordered by depend objects alone: in serial code, by
 * every thread of a team, and by threads that come and go. */
#include "e2e.h"

#include <pthread.h>

enum { N = 24 };

typedef struct buffers {
    int device, other;
    int *near, *far; /* on the two devices */
} buffers_t;

static buffers_t allocate(int device, int other)
{
    return (buffers_t){device, other, omp_target_alloc(N * sizeof(int), device),
                       omp_target_alloc(N * sizeof(int), other)};
}

/* in, region, across as rows, region, out, host task */
static void chain(const buffers_t *buffers, int seed)
{
    int host = omp_get_initial_device(), device = buffers->device, other = buffers->other;
    int *near = buffers->near, *far = buffers->far, in[N], out[N];
    size_t volume[2] = {4, 6}, zero[2] = {0, 0}, dimensions[2] = {4, 6};
    omp_depend_t of_near = NULL, of_far = NULL, of_out = NULL;
    for (int i = 0; i < N; i++) {
        in[i] = seed + i;
        out[i] = -1;
    }
#pragma omp depobj(of_near) depend(inout : near[0])
#pragma omp depobj(of_far) depend(inout : far[0])
#pragma omp depobj(of_out) depend(inout : out)
    omp_depend_t across[] = {of_near, of_far}, back[] = {of_far, of_out};
    CHECK_EQ(omp_target_memcpy_async(near, in, sizeof in, 0, 0, device, host, 1, &of_near), 0);
#pragma omp target is_device_ptr(near) depend(inout : near[0]) device(device) nowait
    for (int i = 0; i < N; i++)
        near[i] *= 2;
    omp_target_memset_async(far, 0, sizeof in, other, 1, &of_far);
    CHECK_EQ(omp_target_memcpy_rect_async(far, near, sizeof(int), 2, volume, zero, zero, dimensions, dimensions, other,
                                          device, 2, across),
             0);
#pragma omp target is_device_ptr(far) depend(inout : far[0]) device(other) nowait
    for (int i = 0; i < N; i++)
        far[i] += 1;
    CHECK_EQ(omp_target_memcpy_async(out, far, sizeof out, 0, 0, host, other, 2, back), 0);
#pragma omp task depend(inout : out) shared(out)
    {
        AFTER_REGIONS_ON(out);
        for (int i = 0; i < N; i++)
            out[i] -= 1;
    }
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        CHECK_EQ(out[i], 2 * (seed + i));
#pragma omp depobj(of_near) destroy
#pragma omp depobj(of_far) destroy
#pragma omp depobj(of_out) destroy
}

/* Many at once, without dependences. */
static void burst(const buffers_t *buffers, int seed)
{
    int host = omp_get_initial_device(), in[N], out[N];
    for (int i = 0; i < N; i++)
        in[i] = seed - i;
    for (int i = 0; i < N; i++)
        omp_target_memcpy_async(buffers->near, in, sizeof(int), (size_t)i * sizeof(int), (size_t)i * sizeof(int),
                                buffers->device, host, 0, NULL);
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        omp_target_memcpy_async(out, buffers->near, sizeof(int), (size_t)i * sizeof(int), (size_t)i * sizeof(int), host,
                                buffers->device, 0, NULL);
#pragma omp taskwait
    for (int i = 0; i < N; i++)
        CHECK_EQ(out[i], seed - i);
}

static void *foreign(void *buffers)
{
    for (int rep = 0; rep < 10; rep++) {
        chain(buffers, rep);
        burst(buffers, rep);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    start(argc, argv);
    buffers_t buffers[3] = {allocate(0, 1), allocate(1, 1), allocate(2, 0)};
    for (int rep = 0; rep < repetitions; rep++) {
        chain(&buffers[rep % 3], rep);
        burst(&buffers[rep % 3], rep);
    }
#pragma omp parallel num_threads(3)
    for (int rep = 0; rep < repetitions / 3; rep++) {
        chain(&buffers[omp_get_thread_num()], rep);
        burst(&buffers[omp_get_thread_num()], rep);
    }
    for (int rep = 0; rep < repetitions / 50; rep++) {
        pthread_t threads[3];
        for (int t = 0; t < 3; t++)
            CHECK_EQ(pthread_create(&threads[t], NULL, foreign, &buffers[t]), 0);
        for (int t = 0; t < 3; t++)
            pthread_join(threads[t], NULL);
    }
    for (int t = 0; t < 3; t++) {
        omp_target_free(buffers[t].near, buffers[t].device);
        omp_target_free(buffers[t].far, buffers[t].other);
    }
    return 0;
}
