// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// taskwait depend(...) nowait is an empty task: it returns at once, and whatever depends on it comes after whatever it
// depends on. The region is held by a gate that the host opens only after the directive. (llvm-project 219247: stock
// libomp ignores nowait, and waits.)
//
// RUN: %cc-both
// RUN: %run-nonblocking
#include "check.h"

enum { REPETITIONS = 20 };

/* The directive joins two addresses: what reads b comes after what writes a. */
static void joins_addresses(int with_host_task)
{
    int a = 0, b = 0, seen[2] = {0, 0}, words[2] = {0, 0}, *gate = &words[0], *over = &words[1];
#pragma omp target map(to : a) is_device_ptr(gate, over) depend(out : a) nowait
    {
        gate_wait(gate);
        sleep_us(500);
        count_up(over);
    }
#pragma omp taskwait depend(in : a) depend(out : b) nowait
#pragma omp target map(from : seen [0:1]) is_device_ptr(over) depend(in : b) nowait
    seen[0] = peek(over);
    if (with_host_task) {
#pragma omp task shared(seen, words) depend(in : b)
        seen[1] = peek(&words[1]);
    }
    CHECK_EQ(peek(over), 0);
    gate_open(gate);
#pragma omp taskwait
    CHECK_EQ(seen[0], 1);
    CHECK_EQ(seen[1], with_host_task);
}

/* What it does not name goes on. (In a team the host's threads must be free to take b's region from their queue.) */
static void holds_nothing_else(void)
{
    int a = 0, b = 0, words[2] = {0, 0}, *gate = &words[0], *over = &words[1];
#pragma omp target map(to : a) is_device_ptr(gate) depend(inout : a) nowait
    gate_wait(gate);
#pragma omp taskwait depend(inout : a) nowait
#pragma omp target map(tofrom : b) is_device_ptr(over) depend(inout : b) nowait
    count_up(over);
    wait_for(over, 1);
    gate_open(gate);
#pragma omp taskwait depend(in : a)
#pragma omp taskwait
}

static void all_memory(void)
{
    int a = 0, sum = 0, word = 0, *gate = &word;
#pragma omp target map(tofrom : a) is_device_ptr(gate) depend(out : a) nowait
    {
        gate_wait(gate);
        a = 4;
    }
#pragma omp taskwait depend(out : omp_all_memory) nowait
#pragma omp target map(to : a) map(from : sum) depend(in : sum) nowait
    sum = a + 1;
    gate_open(gate);
#pragma omp taskwait
    CHECK_EQ(sum, 5);
}

static void pass(int with_host_task)
{
    joins_addresses(with_host_task);
    all_memory();
}

int main(void)
{
    watchdog(40);
    /* In serial code the first host task with dependences waits for the regions before it; here there are none. */
    for (int with_host_task = 0; with_host_task <= 1; with_host_task++) {
        for (int i = 0; i < REPETITIONS; i++) {
            pass(with_host_task);
            holds_nothing_else();
        }
        int x = 0;
#pragma omp task depend(inout : x) shared(x)
        x++;
#pragma omp taskwait
        CHECK_EQ(x, 1);
    }
#pragma omp parallel num_threads(3)
    for (int i = 0; i < REPETITIONS; i++)
        pass(1);
    return 0;
}
