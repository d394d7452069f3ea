// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Firstprivate variables that lie outside the encountering function's stack: a static array, an array in static storage
// of the thread's, and what a reference leads to. Each region is the first of its construct and starts late, behind a
// dependence, when the variables have changed: it sees the values from the construct. Stock Clang's regions see the
// changed ones.
//
// RUN: %cxx-both
// RUN: %run-both
// RUN: %stock-clangxx -Os -I %S/../Inputs %s -o %t.stock && %nowait-run %t.stock
#include "check.h"

namespace {

struct table_t {
    long value[6];
};

thread_local table_t of_thread;
char gate;

void fill(table_t &table, long value)
{
    for (long &element : table.value)
        element = value;
}

/* What comes next can't start before this is over. */
void close_gate()
{
#pragma omp target depend(out : gate) nowait
    sleep_us(50000);
}

long of_static()
{
    static table_t table;
    long seen = -1;
    fill(table, 11);
    close_gate();
#pragma omp target map(from : seen) firstprivate(table) depend(in : gate) nowait
    seen = table.value[2] + table.value[5];
    fill(table, 0);
#pragma omp taskwait
    return seen;
}

long of_static_array()
{
    static long table[6] = {11, 11, 11, 11, 11, 11};
    long seen = -1;
    close_gate();
#pragma omp target map(from : seen) firstprivate(table) depend(in : gate) nowait
    seen = table[2] + table[5];
    table[2] = table[5] = 0;
#pragma omp taskwait
    return seen;
}

__attribute__((noinline)) long of_reference(table_t &table)
{
    long seen = -1;
    fill(table, 11);
    close_gate();
#pragma omp target map(from : seen) firstprivate(table) depend(in : gate) nowait
    seen = table.value[2] + table.value[5];
    fill(table, 0);
#pragma omp taskwait
    return seen;
}

__attribute__((noinline)) long of_other_reference(table_t &table)
{
    long seen = -1;
    fill(table, 11);
    close_gate();
#pragma omp target map(from : seen) firstprivate(table) depend(in : gate) nowait
    seen = table.value[2] + table.value[5];
    fill(table, 0);
#pragma omp taskwait
    return seen;
}

} // namespace

int main()
{
    watchdog(40);
    table_t *on_heap = new table_t();
    CHECK_EQ(of_static(), 22);
    CHECK_EQ(of_static_array(), 22);
    CHECK_EQ(of_reference(*on_heap), 22);
    CHECK_EQ(of_other_reference(of_thread), 22);
    delete on_heap;
    return 0;
}
