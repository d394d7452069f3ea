// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each function of the driver's that the program uses answers with an error, at each of its calls, one at a time: the
// program ends with status 1 and one line that says why, or it recovers and its results are right; a driver that can't
// be used at all leaves the regions to the host. It never hangs, never crashes and never computes something wrong. The
// program does what regions can do: small and large maps of ordinary, pinned and managed memory each way, firstprivate
// data, data that stays, updates, several streams at a time, variables of the device's, copies by address, foreign
// streams, two GPUs. Faults by chance, always the same; CUDAEMU_EVERY_FAULT=1 before lit's command tries every one.
//
// RUN: %cc-plugin
// RUN: %fault-everywhere 120 "%on-cuda NOWAIT_COMPLETION=event CUDAEMU_DEVICES=2" %t.plugin
#include "emulated.h"

void *llvm_omp_target_alloc_host(size_t size, int device);
void llvm_omp_target_free_host(void *address, int device);

enum { SMALL = 100, LARGE = 1 << 18, REGIONS = 6 };

#pragma omp declare target
int global = 5;
#pragma omp end declare target
int linked[SMALL];
#pragma omp declare target link(linked)

static int small[SMALL], large[LARGE], kept[LARGE];

static void regions(int *pinned)
{
    int values[40], sum[40] = {0};
    for (int round = 1; round <= REGIONS; round++) {
        for (int i = 0; i < 40; i++)
            values[i] = i + round;
#pragma omp target map(tofrom : small) firstprivate(values) depend(inout : small) nowait
        for (int i = 0; i < SMALL; i++)
            small[i] += values[i % 40];
#pragma omp target map(tofrom : large) depend(inout : large) nowait
        for (int i = 0; i < LARGE; i++)
            large[i] += i;
#pragma omp target map(tofrom : pinned[0 : LARGE]) depend(inout : pinned[0]) nowait
        for (int i = 0; i < LARGE; i++)
            pinned[i]++;
        for (int i = 0; i < 40; i++)
            sum[i] += i + round;
    }
#pragma omp taskwait
    for (int i = 0; i < SMALL; i++)
        CHECK_EQ(small[i], sum[i % 40]);
    for (int i = 0; i < LARGE; i++) {
        CHECK_EQ(large[i], REGIONS * i);
        CHECK_EQ(pinned[i], REGIONS);
    }
}

static void data_that_stays(int device)
{
#pragma omp target enter data map(to : kept, linked) device(device) depend(out : kept) nowait
#pragma omp target map(tofrom : kept) device(device) depend(inout : kept) nowait
    for (int i = 0; i < LARGE; i++)
        kept[i] += global + linked[i % SMALL];
#pragma omp target update from(kept[LARGE - SMALL : SMALL]) device(device) depend(inout : kept) nowait
#pragma omp taskwait
    CHECK_EQ(kept[LARGE - 1], 5);
    kept[0] = 1000;
#pragma omp target update to(kept[0 : 1]) device(device) depend(inout : kept) nowait
#pragma omp target exit data map(from : kept) map(release : linked) device(device) depend(inout : kept) nowait
#pragma omp taskwait
    CHECK_EQ(kept[0], 1000);
    CHECK_EQ(kept[1], 5);
    memset(kept, 0, sizeof kept);
    global = 6;
#pragma omp target update to(global) device(device)
    int seen = 0;
#pragma omp target map(from : seen) device(device)
    seen = global;
    CHECK_EQ(seen, 6);
    global = 5;
#pragma omp target update to(global) device(device)
}

/* A routine that has failed has said so; what to do about it is up to the program. */
static void leave_if(int failed)
{
    if (failed)
        _exit(1);
}

static void copies_by_address(int from, int to)
{
    int host[SMALL];
    int *first = omp_target_alloc(sizeof host, from), *second = omp_target_alloc(sizeof host, to);
    leave_if(!first || !second);
    for (int i = 0; i < SMALL; i++)
        host[i] = i;
    leave_if(omp_target_memcpy(first, host, sizeof host, 0, 0, from, omp_get_initial_device()));
    leave_if(omp_target_memcpy(second, first, sizeof host, 0, 0, to, from));
    memset(host, 0, sizeof host);
    leave_if(omp_target_memcpy_async(host, second, sizeof host, 0, 0, omp_get_initial_device(), to, 0, NULL));
#pragma omp taskwait
    for (int i = 0; i < SMALL; i++)
        CHECK_EQ(host[i], i);
    omp_target_free(first, from);
    omp_target_free(second, to);
}

static void foreign_streams(void)
{
    omp_interop_t object = omp_interop_none;
    int value = 1;
#pragma omp target map(tofrom : value) depend(inout : value) nowait
    value++;
#pragma omp interop init(targetsync : object) depend(inout : value)
    (void)omp_get_interop_ptr(object, omp_ipr_targetsync, NULL);
#pragma omp target enter data map(to : value)
    for (int i = 0; i < 2; i++) {
#pragma omp target map(tofrom : value) depend(inout : value) nowait
        value++;
#pragma omp interop use(object) nowait depend(inout : value)
    }
#pragma omp target exit data map(from : value) depend(inout : value)
#pragma omp interop destroy(object) nowait depend(inout : value)
#pragma omp target map(tofrom : value) depend(inout : value) nowait
    value++;
#pragma omp taskwait
    CHECK_EQ(value, 5);
}

int main(void)
{
    watchdog(60);
    for (int i = 0; i < SMALL; i++)
        linked[i] = 0;
    int last = omp_get_num_devices() - 1;
    int *pinned = last < 0 ? NULL : llvm_omp_target_alloc_host(LARGE * sizeof *pinned, 0), *own = NULL;
    if (!pinned)
        pinned = own = malloc(LARGE * sizeof *pinned);
    memset(pinned, 0, LARGE * sizeof *pinned);
    regions(pinned);
    data_that_stays(0);
    if (last > 0)
        data_that_stays(last);
    if (last >= 0)
        copies_by_address(0, last);
    foreign_streams();
    if (own)
        free(own);
    else
        llvm_omp_target_free_host(pinned, 0);
    puts("all right");
    return 0;
}
