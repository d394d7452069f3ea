// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omp_pause_resource and omp_pause_resource_all: regions run before and after any of them; a soft pause keeps the data
// of a device, a hard one frees what is mapped without copying it back; what can't be paused is refused.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"
#include <pthread.h>

enum { N = 1000, ROUNDS = 5 };

static int array[N];
#pragma omp declare target
static int global;
#pragma omp end declare target

static int increment(int v)
{
#pragma omp target map(tofrom : v) depend(inout : v) nowait
    v++;
#pragma omp target map(tofrom : v) depend(inout : v) nowait
    v++;
#pragma omp taskwait
    return v;
}

static int on_device(int i)
{
    int value = -1;
#pragma omp target map(from : value) map(to : array[0 : N])
    value = array[i];
    return value;
}

/* The compiler asks libomp for the thread's number once in a function. */
static void all_in_one_function(omp_pause_resource_t kind)
{
    int sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp target map(tofrom : sum) nowait
        sum++;
#pragma omp taskwait
        CHECK_EQ(omp_pause_resource_all(kind), 0);
        CHECK_EQ(omp_get_default_device(), 0);
#pragma omp task shared(sum)
        sum++;
#pragma omp taskwait
    }
    CHECK_EQ(sum, 2 * ROUNDS);
}

static void with_teams(omp_pause_resource_t kind)
{
    int counts[4] = {0};
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp parallel num_threads(4)
        {
            int *own = &counts[omp_get_thread_num()];
#pragma omp target map(tofrom : own[0 : 1]) nowait
            own[0]++;
#pragma omp taskwait
        }
        CHECK_EQ(omp_pause_resource_all(kind), 0);
        CHECK_EQ(omp_pause_resource(kind, omp_get_initial_device()), 0);
    }
    for (int i = 0; i < 4; i++)
        CHECK_EQ(counts[i], ROUNDS);
}

static void in_flight_at_the_pause(omp_pause_resource_t kind)
{
    static int v;
    v = 0;
#pragma omp target map(tofrom : v) nowait
    {
        sleep_us(5000);
        v++;
    }
    CHECK_EQ(omp_pause_resource_all(kind), 0);
    CHECK_EQ(v, 1);
}

static void data_of_a_device(void)
{
    int device = omp_get_default_device();
    void *memory = omp_target_alloc(64, device);
    for (int i = 0; i < N; i++)
        array[i] = i;
#pragma omp target enter data map(to : array)
#pragma omp target
    {
        array[1] = 100;
        global = 7;
    }
    CHECK_EQ(omp_pause_resource(omp_pause_soft, device), 0);
    CHECK_EQ(omp_target_is_present(array, device), 1);
    CHECK_EQ(on_device(1), 100);
    CHECK_EQ(omp_pause_resource(omp_pause_hard, device), 0);
    CHECK_EQ(omp_target_is_present(array, device), 0);
    CHECK_EQ(array[1], 1);
    CHECK_EQ(on_device(1), 1);
    int value = 0;
#pragma omp target map(from : value)
    value = global;
    CHECK_EQ(value, 7);
    CHECK_EQ(omp_target_memcpy(memory, array, 64, 0, 0, device, omp_get_initial_device()), 0);
    omp_target_free(memory, device);
    /* Again, with nothing there. */
    CHECK_EQ(omp_pause_resource(omp_pause_hard, device), 0);
    /* What was mapped counts from nothing. */
#pragma omp target enter data map(to : array)
#pragma omp target exit data map(release : array)
    CHECK_EQ(omp_target_is_present(array, device), 0);
}

static void refusals(void)
{
    int refused = 0;
    CHECK_NE(omp_pause_resource(omp_pause_hard, omp_get_num_devices() + 1), 0);
    CHECK_NE(omp_pause_resource(omp_pause_hard, -7), 0);
    CHECK_NE(omp_pause_resource((omp_pause_resource_t)77, 0), 0);
    CHECK_NE(omp_pause_resource_all((omp_pause_resource_t)77), 0);
#pragma omp parallel num_threads(2) reduction(+ : refused)
    refused += omp_pause_resource(omp_pause_hard, 0) != 0;
    CHECK_EQ(refused, 2);
}

/* Then libomp's own pause is as it is, and begins anew behind it. */
static void before_any_region(void)
{
    int n = 0;
#pragma omp parallel num_threads(3) reduction(+ : n)
    n++;
    CHECK_EQ(omp_pause_resource_all(omp_pause_hard), 0);
    CHECK_EQ(n, 3);
}

static int stop;

static void *launch_on(void *unused)
{
    (void)unused;
    int v = 0, n = 0;
    while (!peek(&stop)) {
        v = increment(v);
        n += 2;
        CHECK_EQ(v, n);
    }
    return NULL;
}

static void beside_another_thread(omp_pause_resource_t kind)
{
    pthread_t thread;
    stop = 0;
    CHECK_EQ(pthread_create(&thread, NULL, launch_on, NULL), 0);
    for (int i = 0, v = 0; i < 20; i++) {
        v = increment(v);
        CHECK_EQ(v, 2 * i + 2);
        CHECK_EQ(omp_pause_resource_all(kind), 0);
    }
    gate_open(&stop);
    CHECK_EQ(pthread_join(thread, NULL), 0);
}

int main(void)
{
    watchdog(100);
    before_any_region();
    CHECK_EQ(increment(1), 3);
    for (int hard = 0; hard <= 1; hard++) {
        omp_pause_resource_t kind = hard ? omp_pause_hard : omp_pause_soft;
        all_in_one_function(kind);
        with_teams(kind);
        in_flight_at_the_pause(kind);
        beside_another_thread(kind);
        CHECK_EQ(increment(1), 3);
    }
    data_of_a_device();
    refusals();
    CHECK_EQ(increment(1), 3);
    return 0;
}
