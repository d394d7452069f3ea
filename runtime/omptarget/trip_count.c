/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "omptarget/trip_count.h"

#include "support/log.h"

static _Thread_local struct {
    uint64_t trip_count; /* 0: none */
    int64_t device;
} pushed;

void nw_trip_count_push(int64_t device, uint64_t trip_count)
{
    pushed.trip_count = trip_count;
    pushed.device = device;
}

uint64_t nw_trip_count_take(int64_t device)
{
    uint64_t trip_count = pushed.trip_count;
    if (NW_LIKELY(trip_count == 0) || pushed.device != device)
        return 0;
    pushed.trip_count = 0;
    return trip_count;
}
