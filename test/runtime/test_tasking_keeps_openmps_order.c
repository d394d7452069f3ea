/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Small programs of target regions and host tasks on the runtime's tasking, a fake libomp and fake devices: whatever
 * goes on when, tasks come in the order that their dependences give, waits wait for what they must, nothing is stuck,
 * and nothing touches a task that libomp has freed.
 *
 *     test_tasking_keeps_openmps_order [PROGRAMS [FIRST_SEED [RUNS_OF_EACH]]]
 *     test_tasking_keeps_openmps_order repeat TEST PROGRAM SEED [CHOICE...]
 *
 * Each program is run in its usual order, in all orders with one or two deviations from that as far as there is room
 * for them, and in others by chance. A run that has failed can be repeated in a debugger: TEST is 0 to 3.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/harness.h"
#include "support/schedule.h"
#include "support/settings.h"
#include "support/task_program.h"

static uint32_t programs = 40, runs_of_each = 50;
static uint64_t first_seed = 1;

static void run(void *program)
{
    nw_settings.spin = 0;
    program_run(program);
}

static void explore(const program_limits_t *limits)
{
    schedule_totals_t totals = {0};
    program_t program;
    for (uint64_t seed = first_seed; seed < first_seed + programs; seed++) {
        program_draw(&program, seed, limits);
        schedule_limits_t how = {.deviations = 1 + seed % 2,
                                 .most_ordered = runs_of_each / 2,
                                 .random = runs_of_each / 2,
                                 .first_seed = seed};
        const char *failure = schedule_explore(&how, run, &program, &totals);
        if (failure)
            fail_msg("program %" PRIu64 ": %s\n%s", seed, failure, program_text(&program));
    }
    printf("%u programs from seed %" PRIu64 ", %" PRIu64 " runs, %" PRIu64 " points, %" PRIu64
           " programs in all orders\n",
           programs, first_seed, totals.runs, totals.points, totals.complete);
}

static const program_limits_t serial_regions = {.most_nodes = 4, .most_threads = 1};
static const program_limits_t serial = {.most_nodes = 6, .most_threads = 1, .host_tasks = true, .waits = true};
static const program_limits_t team_regions = {.most_nodes = 4, .most_threads = 3};
static const program_limits_t teams = {.most_nodes = 8, .most_threads = 3, .host_tasks = true, .waits = true};

static void test_regions_of_serial_code(void **state)
{
    (void)state;
    explore(&serial_regions);
}

static void test_regions_host_tasks_and_waits_of_serial_code(void **state)
{
    (void)state;
    explore(&serial);
}

static void test_regions_in_teams(void **state)
{
    (void)state;
    explore(&team_regions);
}

static void test_regions_host_tasks_and_waits_in_teams(void **state)
{
    (void)state;
    explore(&teams);
}

/* repeat TEST PROGRAM SEED [CHOICE...] */
static _Noreturn void repeat(int argc, char **argv)
{
    static const program_limits_t *const limits[] = {&serial_regions, &serial, &team_regions, &teams};
    static program_t program;
    program_draw(&program, strtoull(argv[3], NULL, 10), limits[strtoul(argv[2], NULL, 10) % 4]);
    schedule_repeat(strtoull(argv[4], NULL, 10), argc - 5, argv + 5, run, &program);
}

int main(int argc, char **argv)
{
    if (argc > 4 && strcmp(argv[1], "repeat") == 0)
        repeat(argc, argv);
    if (argc > 1)
        programs = (uint32_t)strtoul(argv[1], NULL, 10);
    if (argc > 2)
        first_seed = strtoull(argv[2], NULL, 10);
    if (argc > 3)
        runs_of_each = (uint32_t)strtoul(argv[3], NULL, 10);
    if (argc == 1)
        watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regions_of_serial_code),
        cmocka_unit_test(test_regions_host_tasks_and_waits_of_serial_code),
        cmocka_unit_test(test_regions_in_teams),
        cmocka_unit_test(test_regions_host_tasks_and_waits_in_teams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
