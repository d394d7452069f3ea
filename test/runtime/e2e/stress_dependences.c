/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Dependences between regions, data constructs and host tasks: chains, diamonds, and firstprivate values that must be
 * those of the construct although the region starts later. */
#include "e2e.h"

enum { N = 16, LINKS = 6 };

static void chain_with_host_tasks(void)
{
    int x = 1, expected = 1;
    for (int i = 0; i < LINKS; i++) {
#pragma omp target map(tofrom : x) depend(inout : x) nowait
        x = 2 * x + 1;
        BEFORE_HOST_TASK();
#pragma omp task depend(inout : x) shared(x)
        {
            AFTER_REGIONS_ON(&x);
            x = 3 * x + 2;
            HOST_TASK_ENDS();
        }
        expected = 3 * (2 * expected + 1) + 2;
    }
#pragma omp taskwait
    CHECK_EQ(x, expected);
}

static void diamond(void)
{
    int a = 0, b = 0, c = 0, d = 0;
#pragma omp target map(from : a) depend(out : a) nowait
    a = 5;
#pragma omp target map(to : a) map(from : b) depend(in : a) depend(out : b) nowait
    b = a + 1;
#pragma omp target map(to : a) map(from : c) depend(in : a) depend(out : c) nowait
    c = a + 2;
#pragma omp target map(to : b, c) map(from : d) depend(in : b, c) depend(out : d) nowait
    d = 10 * b + c;
#pragma omp taskwait
    CHECK_EQ(d, 67);
}

/* The captured variables change, and their frame is used again, while the regions still wait for the first one. */
static void start_with_captures(int *sum, int salt)
{
    int values[4] = {salt, salt + 1, salt + 2, salt + 3};
    struct {
        int factor;
        char padding[200];
    } pair = {2, {0}};
    for (int i = 0; i < LINKS; i++) {
#pragma omp target map(tofrom : sum [0:1]) firstprivate(values, pair, i) depend(inout : sum[0]) nowait
        sum[0] += pair.factor * (values[0] + values[3]) + i;
    }
    memset(values, -1, sizeof values);
    memset(&pair, -1, sizeof pair);
}

static int overwrite_stack(void)
{
    volatile int junk[400];
    for (int i = 0; i < 400; i++)
        junk[i] = -i;
    return junk[7];
}

static void firstprivate_values_survive(int salt)
{
    int sum = 0;
    start_with_captures(&sum, salt);
    overwrite_stack();
#pragma omp taskwait
    CHECK_EQ(sum, LINKS * 2 * (2 * salt + 3) + LINKS * (LINKS - 1) / 2);
}

static void data_constructs_in_a_chain(void)
{
    int data[N], seen = 0;
    for (int i = 0; i < N; i++)
        data[i] = i;
#pragma omp target enter data map(to : data) depend(inout : data) nowait
#pragma omp target map(tofrom : data) depend(inout : data) nowait
    for (int i = 0; i < N; i++)
        data[i] += 100;
#pragma omp target update from(data) depend(inout : data) nowait
#pragma omp task depend(inout : data) shared(data, seen)
    {
        AFTER_REGIONS_ON(data);
        seen = data[3];
        data[4] = 1000;
    }
#pragma omp target update to(data) depend(inout : data) nowait
#pragma omp target map(tofrom : data) depend(inout : data) nowait
    for (int i = 0; i < N; i++)
        data[i] += 1;
#pragma omp target exit data map(from : data) depend(inout : data) nowait
#pragma omp taskwait
    CHECK_EQ(seen, 103);
    CHECK_EQ(data[3], 104);
    CHECK_EQ(data[4], 1001);
}

static void every_shape(int salt)
{
    chain_with_host_tasks();
    diamond();
    firstprivate_values_survive(salt);
    data_constructs_in_a_chain();
}

int main(int argc, char **argv)
{
    start(argc, argv);
    for (int i = 0; i < repetitions; i++)
        every_shape(i);
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < repetitions; i++)
        every_shape(i);
        /* Each of the threads does its part of the repetitions. */
#pragma omp parallel num_threads(8)
    for (int i = 0; i < repetitions / 8; i++)
        every_shape(i);
    return 0;
}
