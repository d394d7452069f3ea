// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With OMP_PROC_BIND libomp binds the initial thread to one processor, and any thread that calls it. The threads that
// serve devices, which the initial thread makes and which complete tasks, run wherever the program might when it began,
// beside whatever the initial thread computes. Where libomp binds nothing, they stay where a program that has bound
// itself has put them. (This needs two processors to show.)
//
// RUN: %cc-both
// RUN: env OMP_PROC_BIND=true OMP_PLACES=threads NOWAIT_COMPLETION=event %t.plugin
// RUN: env OMP_PROC_BIND=true OMP_PLACES=threads NOWAIT_COMPLETION=event %t.plugin team
// RUN: env OMP_PROC_BIND=true OMP_PLACES=threads NOWAIT_COMPLETION=block %t.plugin
// RUN: env OMP_PROC_BIND=true OMP_PLACES=threads NOWAIT_COMPLETION=event %nowait-run %t.stock
// RUN: %on-cuda OMP_PROC_BIND=true OMP_PLACES=threads NOWAIT_COMPLETION=event %t.plugin
// RUN: %on-cuda OMP_PROC_BIND=true OMP_PLACES=threads NOWAIT_COMPLETION=event %t.plugin team
// RUN: env -u OMP_PROC_BIND -u OMP_PLACES %t.plugin restricted
// RUN: env OMP_PROC_BIND=false OMP_PLACES=threads %t.plugin restricted
#define _GNU_SOURCE
#include <sched.h>

#include "check.h"

enum { REGIONS = 64 };

/* Where the threads of devices may run. */
static cpu_set_t expected;

/* Whether the thread is one of the runtime's. */
static int serves_a_device(const char *tid)
{
    char path[300], name[16] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", tid);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(name, sizeof name, file))
        name[0] = '\0';
    if (file)
        fclose(file);
    return strncmp(name, "nowait-", 7) == 0;
}

static int check_device_threads(void)
{
    int n = 0;
    DIR *folder = opendir("/proc/self/task");
    CHECK(folder != NULL);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        cpu_set_t set;
        if (!serves_a_device(entry->d_name))
            continue;
        CHECK_EQ(sched_getaffinity(atoi(entry->d_name), sizeof set, &set), 0);
        CHECK(CPU_EQUAL(&set, &expected));
        n++;
    }
    closedir(folder);
    return n;
}

/* A region that takes long enough for other workers to take part. */
static void launch(int *x)
{
#pragma omp target map(tofrom : x[0 : 1]) depend(inout : x[0]) nowait
    {
        sleep_us(300);
        x[0]++;
    }
}

static void launch_all(int *x, int team)
{
    if (team) {
#pragma omp parallel num_threads(2)
        {
#pragma omp for
            for (int i = 0; i < REGIONS; i++)
                launch(&x[i]);
#pragma omp taskwait
        }
    } else {
        for (int i = 0; i < REGIONS; i++)
            launch(&x[i]);
#pragma omp taskwait
    }
}

static void restrict_to_one(void)
{
    int cpu = 0;
    while (!CPU_ISSET(cpu, &expected))
        cpu++;
    CPU_ZERO(&expected);
    CPU_SET(cpu, &expected);
    CHECK_EQ(sched_setaffinity(0, sizeof expected, &expected), 0);
}

int main(int argc, char **argv)
{
    int x[REGIONS] = {0};
    int restricted = argc > 1 && strcmp(argv[1], "restricted") == 0;
    cpu_set_t bound;
    watchdog(60);
    CHECK_EQ(sched_getaffinity(0, sizeof expected, &expected), 0);
    if (restricted)
        restrict_to_one();
#pragma omp parallel
    CHECK_EQ(omp_get_proc_bind() == omp_proc_bind_false, restricted);
    for (int round = 0; round < 2; round++) {
        launch_all(x, argc > 1 && strcmp(argv[1], "team") == 0);
        CHECK_GE(check_device_threads(), 1);
    }
    for (int i = 0; i < REGIONS; i++)
        CHECK_EQ(x[i], 2);
    /* The program's own thread stays where libomp, or the program, has put it. */
    CHECK_EQ(sched_getaffinity(0, sizeof bound, &bound), 0);
    CHECK_EQ(CPU_COUNT(&bound), 1);
    return 0;
}
