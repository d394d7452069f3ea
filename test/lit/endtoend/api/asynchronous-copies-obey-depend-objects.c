// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies take part in the order that depend objects make: between each other, with regions and with host
// tasks; objects of kind in run side by side; an object that has been updated counts as it is now; one made with an
// iterator names all its addresses; a copy of no bytes still passes the order on. In serial code, in a team, and from a
// thread that OpenMP has not made.
// Stock libomptarget looks at the first address of each object only.
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env NOWAIT_COMPLETION=event OMP_NUM_THREADS=1 %t.plugin
#include "check.h"
#include <pthread.h>

enum { N = 1000, REPETITIONS = 30 };

static void chain(int device, int other)
{
    int host = omp_get_initial_device();
    int *a = omp_target_alloc(N * sizeof(int), device), *b = omp_target_alloc(N * sizeof(int), other);
    int source[N], result[N], checked = 0;
    omp_depend_t of_a, of_b, of_source, of_result;
    CHECK(a != NULL && b != NULL);
#pragma omp depobj(of_a) depend(inout : a[0])
#pragma omp depobj(of_b) depend(inout : b[0])
#pragma omp depobj(of_source) depend(in : source)
#pragma omp depobj(of_result) depend(inout : result)
    for (int rep = 0; rep < REPETITIONS; rep++) {
        memset(result, 0, sizeof result);
#pragma omp task depend(out : source) shared(source) firstprivate(rep)
        for (int i = 0; i < N; i++)
            source[i] = rep + i;
        omp_depend_t to_a[] = {of_source, of_a}, to_b[] = {of_a, of_b}, to_result[] = {of_b, of_result};
        CHECK_EQ(omp_target_memcpy_async(a, source, sizeof source, 0, 0, device, host, 2, to_a), 0);
#pragma omp target is_device_ptr(a) depend(inout : a[0]) device(device) nowait
        for (int i = 0; i < N; i++)
            a[i] *= 3;
        CHECK_EQ(omp_target_memcpy_async(b, a, sizeof source, 0, 0, other, device, 2, to_b), 0);
#pragma omp target is_device_ptr(b) depend(inout : b[0]) device(other) nowait
        for (int i = 0; i < N; i++)
            b[i] += 1;
        CHECK_EQ(omp_target_memcpy_async(result, b, sizeof source, 0, 0, host, other, 2, to_result), 0);
#pragma omp task depend(in : result) shared(result, checked) firstprivate(rep)
        {
            for (int i = 0; i < N; i++)
                CHECK_EQ(result[i], 3 * (rep + i) + 1);
            checked++;
        }
#pragma omp taskwait
        CHECK_EQ(checked, rep + 1);
    }
#pragma omp depobj(of_a) destroy
#pragma omp depobj(of_b) destroy
#pragma omp depobj(of_source) destroy
#pragma omp depobj(of_result) destroy
    omp_target_free(a, device);
    omp_target_free(b, other);
}

/* From x to y by a copy of nothing, or through an object with several addresses. */
static void passes_on(int form)
{
    int x = 0, y = 0, over_word = 0, *over = &over_word, nothing = 0, seen = 0, addresses[4] = {0};
    int host = omp_get_initial_device();
    omp_depend_t of_x, of_y, of_all;
#pragma omp depobj(of_x) depend(in : x)
#pragma omp depobj(of_y) depend(in : y)
#pragma omp depobj(of_y) update(inout)
#pragma omp depobj(of_all) depend(iterator(i = 0 : 4), inout : addresses[i])
#pragma omp target is_device_ptr(over) depend(out : x, addresses[2]) nowait
    {
        sleep_us(2000);
        gate_open(over);
    }
    omp_depend_t both[] = {of_x, of_y};
    if (form == 0)
        CHECK_EQ(omp_target_memcpy_async(&nothing, &nothing, 0, 0, 0, host, host, 2, both), 0);
    else
        omp_target_memset_async(&nothing, 1, sizeof nothing, host, 1, &of_all);
#pragma omp task depend(in : y) depend(in : addresses[1]) shared(seen, over_word)
    seen = peek(&over_word);
#pragma omp taskwait
    /* The task has seen what the region did last. */
    CHECK_EQ(seen, 1);
#pragma omp depobj(of_x) destroy
#pragma omp depobj(of_y) destroy
#pragma omp depobj(of_all) destroy
}

static void *foreign(void *unused)
{
    (void)unused;
    chain(0, 1);
    passes_on(0);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    watchdog(100);
    chain(0, 0);
    chain(1, 3);
#pragma omp parallel num_threads(3)
    {
        chain(omp_get_thread_num(), 3);
#pragma omp barrier
#pragma omp single
        chain(0, 2);
    }
    for (int rep = 0; rep < REPETITIONS; rep++)
        passes_on(rep % 2);
    CHECK_EQ(pthread_create(&thread, NULL, foreign, NULL), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    return 0;
}
