// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers and what they point at, mapped in either order, in one construct and in several, on the region and before:
// the device's pointer leads to the device's data, the host's keeps its value, the pointer's own count is unchanged by
// mapping what lies behind it (llvm/llvm-project PRs 149036, 153683, 163878).
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { N = 10 };

struct node {
    int *p;
    int n;
};

static int device;
static int data[N];

static void reset(void)
{
    for (int i = 0; i < N; i++)
        data[i] = i;
}

static void check_gone(const struct node *s)
{
    CHECK(!omp_target_is_present(s, device));
    CHECK(!omp_target_is_present(data, device));
    CHECK_PTR_EQ(s->p, data);
}

static void pointer_first(void)
{
    struct node s = {data, N};
    reset();
#pragma omp target enter data map(to : s) nowait
#pragma omp taskwait
#pragma omp target enter data map(to : s.p [0:N]) nowait
#pragma omp taskwait
#pragma omp target map(alloc : s) nowait
    for (int i = 0; i < s.n; i++)
        s.p[i] += 100;
#pragma omp taskwait
#pragma omp target exit data map(from : s.p [0:N])
    CHECK_EQ(data[3], 103);
    CHECK(omp_target_is_present(&s, device));
#pragma omp target exit data map(delete : s)
    check_gone(&s);
}

static void one_construct(void)
{
    struct node s = {data, N};
    reset();
#pragma omp target enter data map(to : s, s.p [0:N]) nowait
#pragma omp taskwait
#pragma omp target map(alloc : s)
    s.p[1] += 200;
#pragma omp target update from(s.p [0:N])
    CHECK_EQ(data[1], 201);
#pragma omp target exit data map(delete : s.p [0:N])
#pragma omp target exit data map(delete : s)
    check_gone(&s);
}

static void on_the_region(void)
{
    struct node s = {data, N}, *q = &s;
    reset();
#pragma omp target map(tofrom : q[0:1], q->p [0:N]) nowait
    {
        q->p[2] += 300;
        q->n = 5;
    }
#pragma omp taskwait
    CHECK_EQ(data[2], 302);
    CHECK_EQ(s.n, 5);
    check_gone(&s);
}

/* Another hop changes nothing of what is present already. */
static void counts_of_the_first_hop(void)
{
    struct node s = {data, N};
    reset();
#pragma omp target enter data map(to : s)
#pragma omp target enter data map(to : s.p [0:N])
#pragma omp target map(tofrom : s.p [0:N])
    s.p[4] += 400;
#pragma omp target exit data map(from : s.p [0:N])
    CHECK_EQ(data[4], 404);
    CHECK(!omp_target_is_present(data, device));
#pragma omp target exit data map(release : s)
    check_gone(&s);
}

/* Data mapped, ended and mapped again elsewhere: the pointer follows. Clang 19 counts the structure with each mapping
 * of what lies behind its pointer, and ends it with `delete`; hence the two constructs, and `release`. */
static void data_that_moves(void)
{
    static int other[N];
    struct node s = {data, N};
    reset();
#pragma omp target enter data map(to : s)
#pragma omp target enter data map(to : s.p [0:N])
#pragma omp target exit data map(release : s.p [0:N])
    CHECK(!omp_target_is_present(data, device));
    for (int i = 0; i < N; i++)
        other[i] = 1000 + i;
    s.p = other;
#pragma omp target enter data map(to : s.p [0:N])
    int got = 0;
#pragma omp target map(alloc : s) map(from : got)
    got = s.p[7];
    CHECK_EQ(got, 1007);
#pragma omp target exit data map(release : s.p [0:N])
#pragma omp target exit data map(from : s)
    CHECK_PTR_EQ(s.p, other);
}

int main(void)
{
    watchdog(40);
    device = omp_get_default_device();
    for (int i = 0; i < 10; i++) {
        pointer_first();
        one_construct();
        on_the_region();
        counts_of_the_first_hop();
        data_that_moves();
    }
    return 0;
}
