// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In the event mode the helper threads of libomp are not needed, so none is created: the process has the program's own
// threads, and the runtime's, which have names of their own. Stock clang: 8 more threads after the first region.
//
// RUN: %cc-both
// RUN: env NOWAIT_COMPLETION=event %t.plugin
// RUN: env NOWAIT_COMPLETION=event %nowait-run %t.stock
#include "check.h"

enum { REGIONS = 100, TRIES = 3000 };

/* Whether the thread is one of the runtime's or of the emulated driver's. */
static int is_named(const char *tid)
{
    char path[300], name[16] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", tid);
    FILE *file = fopen(path, "r");
    if (!file)
        return 1; /* it has ended */
    CHECK(fgets(name, sizeof name, file) != NULL);
    fclose(file);
    return strncmp(name, "nowait-", 7) == 0 || strncmp(name, "cudaemu-", 8) == 0;
}

static int other_threads(void)
{
    int n = 0;
    DIR *folder = opendir("/proc/self/task");
    CHECK(folder != NULL);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        n += entry->d_name[0] != '.' && !is_named(entry->d_name);
    closedir(folder);
    return n;
}

/* A thread gives itself its name a moment after it has been made. */
static void check_threads(int expected)
{
    for (int i = 0; i < TRIES && other_threads() > expected; i++)
        sleep_us(10000);
    CHECK_EQ(other_threads(), expected);
}

int main(void)
{
    int x = 0, y = 0, sum = 0;
    watchdog(40);
    CHECK_EQ(other_threads(), 1);
    for (int i = 0; i < REGIONS; i++) {
#pragma omp target map(tofrom : x) depend(inout : x) nowait
        x++;
#pragma omp target enter data map(to : y) depend(inout : y) nowait
#pragma omp target update to(y) depend(inout : y) nowait
#pragma omp target exit data map(from : y) depend(inout : y) nowait
    }
#pragma omp taskwait
    CHECK_EQ(x, REGIONS);
    check_threads(1);

#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        int z = 0;
#pragma omp target map(tofrom : z) nowait
        z++;
#pragma omp taskwait
        sum += z;
    }
    CHECK_EQ(sum, 2);
    check_threads(2);
    return 0;
}
