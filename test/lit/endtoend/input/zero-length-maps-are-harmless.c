// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections of length zero and null pointers in map and motion clauses do nothing; a pointer into mapped data that is
// captured with a section of length zero gets the device address.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { N = 10 };

static void pass(int zero)
{
    int a[N], *p = a + 3, *null = NULL, seen = -1, is_null = -1;
    for (int i = 0; i < N; i++)
        a[i] = i;
#pragma omp target map(tofrom : p [0:zero]) map(from : seen) nowait
    seen = 1;
#pragma omp taskwait
    CHECK_EQ(seen, 1);
#pragma omp target enter data map(to : p [0:zero]) nowait
#pragma omp target update to(p [0:zero]) nowait
#pragma omp target update from(p [0:zero]) nowait
#pragma omp target exit data map(from : p [0:zero]) nowait
#pragma omp taskwait
    CHECK(!omp_target_is_present(p, omp_get_default_device()));
#pragma omp target map(tofrom : null [0:zero]) map(from : is_null) nowait
    is_null = null == NULL;
#pragma omp taskwait
    CHECK_EQ(is_null, 1);
#pragma omp target enter data map(to : a) nowait
#pragma omp taskwait
    a[3] = -1;
#pragma omp target map(tofrom : p [0:zero]) map(from : seen) nowait
    seen = p[0];
#pragma omp taskwait
    CHECK_EQ(seen, 3);
    /* A pointer that is not in any clause is treated the same way. */
#pragma omp target map(from : seen) nowait
    seen = p[1];
#pragma omp taskwait
    CHECK_EQ(seen, 4);
#pragma omp target exit data map(delete : a) nowait
#pragma omp taskwait
}

int main(int argc, char **argv)
{
    (void)argv;
    watchdog(30);
    for (int i = 0; i < 50; i++)
        pass(argc - 1);
    return 0;
}
