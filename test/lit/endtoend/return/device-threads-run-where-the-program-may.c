// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With OMP_PROC_BIND libomp binds the initial thread to one processor, and any thread that calls it. The threads that
// serve devices, which the initial thread makes and which complete tasks, run wherever the program might when it began,
// beside whatever the initial thread computes. (This needs two processors to show.)
//
// RUN: %cc-both
// RUN: env OMP_PROC_BIND=true NOWAIT_COMPLETION=event %t.plugin
// RUN: env OMP_PROC_BIND=true NOWAIT_COMPLETION=event %nowait-run %t.stock
// RUN: %on-cuda OMP_PROC_BIND=true NOWAIT_COMPLETION=event %t.plugin
#define _GNU_SOURCE
#include <sched.h>

#include "check.h"

enum { REGIONS = 64 };

static cpu_set_t at_start;

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
        CHECK(CPU_EQUAL(&set, &at_start));
        n++;
    }
    closedir(folder);
    return n;
}

int main(void)
{
    int x[REGIONS] = {0};
    cpu_set_t bound;
    watchdog(60);
    CHECK_EQ(sched_getaffinity(0, sizeof at_start, &at_start), 0);
#pragma omp parallel
    CHECK(omp_get_proc_bind() != omp_proc_bind_false);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < REGIONS; i++) {
#pragma omp target map(tofrom : x[i : 1]) depend(inout : x[i]) nowait
            x[i]++;
        }
#pragma omp taskwait
        CHECK_GE(check_device_threads(), 1);
    }
    for (int i = 0; i < REGIONS; i++)
        CHECK_EQ(x[i], 2);
    /* The program's own thread stays where libomp has put it. */
    CHECK_EQ(sched_getaffinity(0, sizeof bound, &bound), 0);
    CHECK_EQ(CPU_COUNT(&bound), 1);
    return 0;
}
