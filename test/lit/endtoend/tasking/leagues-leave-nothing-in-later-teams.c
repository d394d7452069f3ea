// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread of libomp's pool that has served as a team of a region keeps what it was told there. Later it joins a team
// of the program's that grows, and runs teams regions, parallel regions and reductions of its own, on each level: they
// must have the sizes and sums that they ask for, as if the thread were new. (libomp asserts that th_set_nproc >= 1,
// one run in twenty; or its parallel regions inside such a team run on no thread of their own.)
//
// RUN: %cc-both
// RUN: env KMP_TEAMS_THREAD_LIMIT=64 sh -ec "%run-both"
#include "check.h"

enum { REGIONS = 8, REPETITIONS = 6, MOST = 6, TEAMS = 3 };

/* Regions whose leagues take threads from the pool, and give them back when the next one is smaller. */
static void leagues(int level)
{
    int met[REGIONS];
    for (int i = 0; i < REGIONS; i++) {
        met[i] = 0;
        int teams = i % 2 ? TEAMS : 2;
#pragma omp target teams num_teams(teams) thread_limit(2) map(tofrom : met[i : 1]) nowait
#pragma omp atomic
        met[i]++;
    }
    int met_here = 0;
#pragma omp target teams num_teams(TEAMS) thread_limit(1) map(tofrom : met_here)
#pragma omp atomic
    met_here++;
#pragma omp taskwait
    for (int i = 0; i < REGIONS; i++)
        CHECK_EQ(met[i], i % 2 ? TEAMS : 2);
    CHECK_EQ(met_here, TEAMS);
    CHECK_EQ(omp_get_num_teams(), 1);
    CHECK_EQ(omp_get_team_num(), 0);
    CHECK_EQ(omp_get_level(), level);
}

/* A teams region without clauses has one team, which sums up its own share. */
static void plain_region(void)
{
    int teams = 0;
    long sum = 0;
#pragma omp target teams map(tofrom : teams)
#pragma omp atomic
    teams++;
    CHECK_EQ(teams, 1);
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
    for (int i = 1; i <= 100; i++)
        sum += i;
    CHECK_EQ(sum, 5050);
}

static void inner_team(void)
{
    int threads = 0, level = omp_get_level();
#pragma omp parallel num_threads(2) reduction(+ : threads)
    {
        CHECK_EQ(omp_get_level(), level + 1);
        CHECK_EQ(omp_get_num_threads(), 2);
        threads++;
    }
    CHECK_EQ(threads, 2);
}

int main(void)
{
    watchdog(100);
    omp_set_max_active_levels(2);
    for (int rep = 0; rep < REPETITIONS; rep++) {
        leagues(0);
        for (int n = 2; n <= MOST; n++) {
            int sum = 0;
#pragma omp parallel num_threads(n) reduction(+ : sum)
            {
                CHECK_EQ(omp_get_num_teams(), 1);
                inner_team();
                plain_region();
                inner_team();
                if (omp_get_thread_num() == rep % n)
                    leagues(1);
                sum += omp_get_thread_num() + 1;
            }
            CHECK_EQ(sum, n * (n + 1) / 2);
        }
    }
    return 0;
}
