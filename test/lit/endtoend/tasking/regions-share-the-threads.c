// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A deferred region on a CPU device forms teams of its share of the threads that the program may use: all of them
// while it runs alone, one while as many other regions run. With the whole number for each, 256 regions with 256 small
// parallel loops each took ten times as long on two cores. That goes for teams constructs too, with and without
// clauses; the number of teams stays what the program says.
//
// REQUIRES: device-host
// RUN: %cc-both
// RUN: env OMP_NUM_THREADS=4 KMP_TEAMS_THREAD_LIMIT=16 %t.plugin
// RUN: env OMP_NUM_THREADS=4 KMP_TEAMS_THREAD_LIMIT=16 %nowait-run %t.stock
#include "check.h"

enum { HELD = 4, TRIES = 6000 };

/* The threads of a team in a region. */
static int team_size(void)
{
    int n = 0;
#pragma omp target map(from : n) nowait
    {
#pragma omp parallel
#pragma omp single
        n = omp_get_num_threads();
    }
#pragma omp taskwait
    return n;
}

/* The threads of a team of a teams construct in a region; the number of teams goes to *n_teams. */
static int teams_size(int *n_teams)
{
    int n = 0, teams = 0;
#pragma omp target teams num_teams(3) thread_limit(4) map(from : n, teams) nowait
    {
        int size = 0;
#pragma omp parallel
#pragma omp single
        size = omp_get_num_threads();
        if (omp_get_team_num() == 2) {
            n = size;
            teams = omp_get_num_teams();
        }
    }
#pragma omp taskwait
    *n_teams = teams;
    return n;
}

/* As above, while others run: waits for this region only. */
static int teams_size_beside(int *n_teams)
{
    int n_word = 0, *n = &n_word, teams_word = 0, *teams = &teams_word;
#pragma omp target teams num_teams(3) thread_limit(4) is_device_ptr(n, teams) depend(out : n_word) nowait
    {
        int size = 0;
#pragma omp parallel
#pragma omp single
        size = omp_get_num_threads();
        if (omp_get_team_num() == 2) {
            *n = size;
            *teams = omp_get_num_teams();
        }
    }
#pragma omp taskwait depend(in : n_word)
    *n_teams = teams_word;
    return n_word;
}

/* The same for all forms, while others run. */
static void check_beside(int *gate)
{
    int n_word = 0, *n = &n_word, combined_word = 0, *combined = &combined_word, teams = 0;
#pragma omp target is_device_ptr(n) nowait
    {
        int size = 0;
#pragma omp parallel
#pragma omp single
        size = omp_get_num_threads();
        __atomic_store_n(n, size, __ATOMIC_RELEASE);
    }
    wait_for(n, 1);
#pragma omp target teams distribute parallel for is_device_ptr(combined) nowait
    for (int i = 0; i < 100; i++)
        __atomic_store_n(combined, omp_get_num_threads(), __ATOMIC_RELEASE);
    wait_for(combined, 1);
    int clauses = teams_size_beside(&teams);
    gate_open(gate);
#pragma omp taskwait
    CHECK_EQ(n_word, 1);
    CHECK_EQ(combined_word, 1);
    CHECK_EQ(clauses, 1);
    CHECK_EQ(teams, 3);
}

int main(void)
{
    int gate_word = 0, *gate = &gate_word, started_word = 0, *started = &started_word;
    watchdog(40);
    for (int i = 0; i < HELD; i++) {
#pragma omp target is_device_ptr(gate, started) nowait
        {
            count_up(started);
            gate_wait(gate);
        }
    }
    wait_for(started, HELD);
    check_beside(gate);
    /* The other threads may need a moment before they sleep. */
    int tries = 0;
    while (team_size() != 4) {
        CHECK_LE(++tries, TRIES);
        sleep_us(10000);
    }
    int teams = 0;
    CHECK_EQ(teams_size(&teams), 4);
    CHECK_EQ(teams, 3);
    return 0;
}
