// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global variables on the device: declare target to (each side has its own copy, moved by update), link (there while
// mapped), static ones in functions, and arrays; map clauses on them have no effect on the to kind.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

#pragma omp begin declare target
int counter = 5;
int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static int next(void)
{
    static int calls = 100;
    return ++calls;
}
#pragma omp end declare target

static int linked[4] = {10, 20, 30, 40};
#pragma omp declare target link(linked)

int main(void)
{
    int seen = 0, first = 0, second = 0;
    watchdog(40);
    counter = 6;
#pragma omp target map(from : seen) nowait
    {
        seen = counter;
        counter = 70;
        table[3] = 44;
    }
#pragma omp taskwait
    CHECK_EQ(seen, 5);
    CHECK_EQ(counter, 6);
    CHECK_EQ(table[3], 4);
    CHECK(omp_target_is_present(&counter, omp_get_default_device()));

#pragma omp target map(tofrom : counter) map(from : seen) nowait
    seen = counter++;
#pragma omp taskwait
    CHECK_EQ(seen, 70);
    CHECK_EQ(counter, 6);

#pragma omp target update from(counter, table) nowait
#pragma omp taskwait
    CHECK_EQ(counter, 71);
    CHECK_EQ(table[3], 44);
    table[0] = 11;
#pragma omp target update to(table [0:1]) nowait
#pragma omp taskwait
#pragma omp target map(from : seen)
    seen = table[0] + table[3];
    CHECK_EQ(seen, 55);

#pragma omp target map(from : first) nowait
    first = next();
#pragma omp taskwait
#pragma omp target map(from : second)
    second = next();
    CHECK_EQ(second, first + 1);
    CHECK_EQ(next(), 101);

    for (int rep = 0; rep < 3; rep++) {
#pragma omp target map(tofrom : linked) nowait
        for (int i = 0; i < 4; i++)
            linked[i] += 1;
#pragma omp taskwait
        CHECK_EQ(linked[3], 41 + rep);
        CHECK(!omp_target_is_present(linked, omp_get_default_device()));
    }
#pragma omp target enter data map(to : linked) nowait
#pragma omp taskwait
#pragma omp target map(from : seen) nowait
    seen = linked[0];
#pragma omp taskwait
    CHECK_EQ(seen, 13);
#pragma omp target exit data map(delete : linked)
    return 0;
}
