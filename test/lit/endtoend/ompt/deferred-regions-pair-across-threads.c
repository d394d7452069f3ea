// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Deferred regions that are launched, dispatched and completed by different threads: begin and end of each carry the
// same target data and the data of the task that has generated it, and each operation lies inside its region. Public
// reports: llvm/llvm-project 62764, 67664, 93472, 156020; HPCToolkit 585, 586 (no enclosing parallel region).
//
// RUN: %cc-both
// RUN: %tell-both
#define TIMELINE_QUIET
#include "check.h"
#include "timeline.h"

#define THREADS 4
#define ROUNDS 12

static uint64_t generators[64 + THREADS * ROUNDS * 4];
static int n_generators;

/* A region's generating task is the one that runs here. */
static void note_generator(void)
{
    generators[count_up(&n_generators)] = timeline_current_task();
}

static void launch(int *value, int *order)
{
    note_generator();
#pragma omp target map(tofrom : value[0 : 64]) nowait
    value[0]++;
    note_generator();
#pragma omp target map(tofrom : value[64 : 64]) depend(inout : order[0]) nowait
    {
        sleep_us(200);
        value[64]++;
    }
    note_generator();
#pragma omp target teams num_teams(2) map(tofrom : value[128 : 64]) depend(inout : order[0]) nowait
    if (omp_get_team_num() == 0)
        value[128]++;
}

static void check_generators(void)
{
    int n = 0, elsewhere = 0;
    uint64_t told[sizeof generators / sizeof generators[0]];
    for (int i = 0; i < timeline_n; i++) {
        const event_t *event = &timeline_events[i];
        if (!is_target(event))
            continue;
        if (event->endpoint == ompt_scope_end) {
            elsewhere += event->thread != timeline_events[event->partner].thread;
            continue;
        }
        CHECK_EQ(event->kind, ompt_target_nowait);
        told[n++] = event->task;
    }
    CHECK_EQ(n, n_generators);
    /* The same tasks, as often. */
    for (int i = 0; i < n; i++) {
        int balance = 0;
        for (int k = 0; k < n; k++)
            balance += (told[k] == generators[i]) - (generators[k] == generators[i]);
        CHECK_EQ(balance, 0);
        CHECK(generators[i] != 0);
    }
    printf("%d regions, ends on other threads: %s\n", n, elsewhere > n / 2 ? "most" : elsewhere ? "some" : "none");
}

int main(void)
{
    static int values[THREADS * 2 + 1][192], orders[THREADS * 2 + 1];
    watchdog(100);
    /* No parallel region encloses these. */
    for (int i = 0; i < 4; i++)
        launch(values[THREADS * 2], &orders[THREADS * 2]);
#pragma omp taskwait
#pragma omp parallel num_threads(THREADS)
    {
        int me = omp_get_thread_num();
        for (int i = 0; i < ROUNDS / 2; i++) {
            launch(values[me], &orders[me]);
#pragma omp task firstprivate(me)
            {
                launch(values[THREADS + me], &orders[THREADS + me]);
#pragma omp taskwait
            }
#pragma omp taskwait
        }
    }
    for (int t = 0; t < THREADS * 2; t++) {
        CHECK_EQ(values[t][0], ROUNDS / 2);
        CHECK_EQ(values[t][64], ROUNDS / 2);
        CHECK_EQ(values[t][128], ROUNDS / 2);
    }
    pair_events();
    check_generators();
    for (int i = 0; i < timeline_n; i++)
        timeline_events[i].partner = -1;
    return 0;
}

// CHECK: 156 regions, ends on other threads: most
// CHECK: timeline: ok
