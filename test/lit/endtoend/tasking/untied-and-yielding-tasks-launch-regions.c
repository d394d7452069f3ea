// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Untied tasks that yield between their regions may continue on another thread; priority and deep recursion do not
// disturb the regions either.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

enum { TASKS = 40, STEPS = 5, DEPTH = 6 };

static int sum_tree(int depth)
{
    int left = 0, right = 0, own = 0;
    if (depth > 0) {
#pragma omp task shared(left) untied
        left = sum_tree(depth - 1);
#pragma omp task shared(right) untied
        right = sum_tree(depth - 1);
    }
#pragma omp target map(from : own) firstprivate(depth) nowait
    own = depth;
#pragma omp taskwait
    return left + right + own;
}

int main(void)
{
    int result[TASKS] = {0}, tree = 0, expected_tree = 0;
    watchdog(40);
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        for (int t = 0; t < TASKS; t++) {
#pragma omp task untied firstprivate(t) shared(result) priority(t % 3)
            for (int s = 0; s < STEPS; s++) {
                int x = t + s;
#pragma omp target map(tofrom : x) nowait
                x *= 2;
#pragma omp taskyield
#pragma omp taskwait
#pragma omp atomic
                result[t] += x;
            }
        }
#pragma omp taskwait
        tree = sum_tree(DEPTH);
    }
    for (int t = 0; t < TASKS; t++)
        CHECK_EQ(result[t], 2 * (STEPS * t + STEPS * (STEPS - 1) / 2));
    for (int d = 0; d <= DEPTH; d++)
        expected_tree += d << (DEPTH - d);
    CHECK_EQ(tree, expected_tree);
    return 0;
}
