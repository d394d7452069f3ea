// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// to, from, tofrom, alloc, release, delete, always: what each one copies, and what it leaves alone, without and with
// nowait.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

static int present(void *p)
{
    return omp_target_is_present(p, omp_get_default_device());
}

static void copies(void)
{
    int to = 1, from = 2, both = 3, seen = 0;
#pragma omp target map(to : to) map(from : from) map(tofrom : both, seen)
    {
        seen = to * 10 + both;
        to = from = both = 100;
    }
    CHECK_EQ(seen, 13);
    CHECK_EQ(to, 1);
    CHECK_EQ(from, 100);
    CHECK_EQ(both, 100);
    CHECK(!present(&to) && !present(&from) && !present(&both));
#pragma omp target map(to : to) map(from : from) map(tofrom : both, seen) nowait
    {
        seen = to * 10 + both;
        to = from = both = 200;
    }
#pragma omp taskwait
    CHECK_EQ(seen, 110);
    CHECK_EQ(to, 1);
    CHECK_EQ(from, 200);
    CHECK_EQ(both, 200);
    CHECK(!present(&to) && !present(&from) && !present(&both));
}

static void counts(void)
{
    int x = 1, seen = 0;
#pragma omp target enter data map(to : x)
#pragma omp target enter data map(to : x) nowait
#pragma omp taskwait
    CHECK(present(&x));
    x = 2;
    /* Present already: tofrom copies neither way, always does. */
#pragma omp target map(tofrom : x) map(from : seen) nowait
    {
        seen = x;
        x = 50;
    }
#pragma omp taskwait
    CHECK_EQ(seen, 1);
    CHECK_EQ(x, 2);
#pragma omp target map(always, tofrom : x) map(from : seen) nowait
    {
        seen = x;
        x = 60;
    }
#pragma omp taskwait
    CHECK_EQ(seen, 2);
    CHECK_EQ(x, 60);
#pragma omp target map(always, to : x) map(from : seen)
    {
        seen = x;
        x = 70;
    }
    CHECK_EQ(seen, 60);
    CHECK_EQ(x, 60);
#pragma omp target map(always, from : x)
    x += 1;
    CHECK_EQ(x, 71);
#pragma omp target exit data map(from : x) nowait
#pragma omp taskwait
    CHECK(present(&x));
    CHECK_EQ(x, 71);
#pragma omp target map(alloc : x)
    x = 80;
#pragma omp target exit data map(always, from : x) nowait
#pragma omp taskwait
    CHECK_EQ(x, 80);
    CHECK(!present(&x));
}

static void release_and_delete(void)
{
    int x = 1;
#pragma omp target enter data map(to : x)
#pragma omp target enter data map(alloc : x)
#pragma omp target enter data map(alloc : x)
#pragma omp target map(alloc : x)
    x = 9;
#pragma omp target exit data map(release : x) nowait
#pragma omp taskwait
    CHECK(present(&x));
#pragma omp target exit data map(delete : x) nowait
#pragma omp taskwait
    CHECK(!present(&x));
    CHECK_EQ(x, 1);
    /* Nothing there: no effect, no error. */
#pragma omp target exit data map(release : x) nowait
#pragma omp target exit data map(delete : x)
#pragma omp target exit data map(from : x) nowait
#pragma omp target update to(x) nowait
#pragma omp target update from(x)
#pragma omp taskwait
    CHECK_EQ(x, 1);
}

static void structured(void)
{
    int x = 1, y = 2;
#pragma omp target data map(to : x) map(from : y)
    {
        CHECK(present(&x) && present(&y));
#pragma omp target map(tofrom : x, y) nowait
        y = x + 41;
#pragma omp taskwait
        CHECK_EQ(y, 2);
    }
    CHECK_EQ(y, 42);
    CHECK(!present(&x) && !present(&y));
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < 50; i++) {
        copies();
        counts();
        release_and_delete();
        structured();
    }
    return 0;
}
