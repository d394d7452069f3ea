/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/spin.h"

#include <sched.h>

/* An offer after which this many nanoseconds are gone has been taken by a thread with work of its own. */
#define LONG_OFFER 100000
/* So often a thread sleeps early after that. */
#define EARLY_SLEEPS 64

static _Thread_local unsigned early_sleeps;

bool nw_spin_is_futile(void)
{
    return early_sleeps > 0;
}

bool nw_spin_offer(nw_spin_t *spin, int64_t ns)
{
    int64_t now = nw_clock_ns();
    if (spin->deadline == 0)
        spin->deadline = now + ns;
    if (now >= spin->deadline)
        return false;
    if (early_sleeps > 0) {
        early_sleeps--;
        return false;
    }
    sched_yield();
    if (nw_clock_ns() - now > LONG_OFFER)
        early_sleeps = EARLY_SLEEPS;
    return true;
}
