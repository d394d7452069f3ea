// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between a construct with nowait and its return no call of the driver's waits for the GPU, and none does afterwards,
// whatever is mapped: small and large arrays of ordinary memory each way, firstprivate data, fresh and present data,
// pinned memory, enter data, update and exit data. Counted by the emulated driver; a copy from or to pageable memory
// waits there as on a real one.
//
// RUN: %cc-both
// RUN: %on-cuda %t.plugin
// RUN: %on-cuda %nowait-run %t.stock
// RUN: %on-cuda NOWAIT_CUDA_COMPLETION=event %t.plugin
// RUN: %on-cuda NOWAIT_CUDA_COMPLETION=poll %t.plugin
#include "emulated.h"

enum { SMALL = 100, LARGE = 3 << 20 };

static int small[SMALL], large[LARGE], kept[LARGE];

#define CONSTRUCT(kind)                       \
    CHECK_EQ(own_blocking_calls(NULL), 0);    \
    _Pragma("omp taskwait") CHECK_EQ(blocking_calls(NULL), 0)

static void every_kind_of_map(int round)
{
    int values[40], result = 0;
    for (int i = 0; i < 40; i++)
        values[i] = i + round;
    for (int i = 0; i < LARGE; i++)
        large[i] = i;

#pragma omp target map(to : small) map(from : result) nowait
    result = small[SMALL - 1];
    CONSTRUCT();
    CHECK_EQ(result, small[SMALL - 1]);

#pragma omp target map(tofrom : large) nowait
    for (int i = 0; i < LARGE; i++)
        large[i] += round;
    CONSTRUCT();
    for (int i = 0; i < LARGE; i++)
        CHECK_EQ(large[i], i + round);

#pragma omp target firstprivate(values) map(from : result) nowait
    result = values[39];
    memset(values, 0, sizeof values);
    CONSTRUCT();
    CHECK_EQ(result, 39 + round);

#pragma omp target enter data map(to : kept) nowait
    CONSTRUCT();
#pragma omp target map(tofrom : kept) nowait
    kept[LARGE - 1] = round;
    CONSTRUCT();
#pragma omp target update from(kept[LARGE - 10 : 10]) nowait
    CONSTRUCT();
    CHECK_EQ(kept[LARGE - 1], round);
#pragma omp target update to(kept) nowait
    CONSTRUCT();
#pragma omp target exit data map(from : kept) nowait
    CONSTRUCT();
    CHECK_EQ(kept[LARGE - 1], round);
}

static void pinned_memory(void)
{
    int *pinned;
    CHECK_EQ(((int (*)(void **, size_t, unsigned))emulated("cuMemHostAlloc"))((void **)&pinned, LARGE * sizeof(int), 1),
             0);
    for (int i = 0; i < LARGE; i++)
        pinned[i] = i;
    count_calls();
    uint64_t copies = calls("cuMemcpyHtoDAsync");
#pragma omp target map(tofrom : pinned[0 : LARGE]) nowait
    pinned[7] = 1;
    CONSTRUCT();
    CHECK_EQ(pinned[7], 1);
    CHECK_EQ(pinned[LARGE - 1], LARGE - 1);
    /* It is used as it is: one copy each way, not many through staging. */
    CHECK_EQ(calls("cuMemcpyHtoDAsync") - copies, 1);
    CHECK_EQ(calls("cuMemcpyDtoHAsync"), 1);
    CHECK_EQ(((int (*)(void *))emulated("cuMemFreeHost"))(pinned), 0);
}

int main(void)
{
    watchdog(100);
    small[SMALL - 1] = 12;
    /* Opens the device, and lets the pools grow to what the program uses. */
#pragma omp target map(tofrom : small)
    small[0]++;
    for (int round = 0; round < 3; round++) {
        count_calls();
        every_kind_of_map(round);
    }
    pinned_memory();
    CHECK_EQ(misuses(), 0);
    return 0;
}
