/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/spin.h"

#include <sched.h>

/* An offer after which this many nanoseconds are gone has been taken by a thread with work of its own. */
#define LONG_OFFER 100000
/* So often a thread sleeps early after that; twice as often each time that it happens again, */
#define FEWEST_EARLY_SLEEPS 64
#define MOST_EARLY_SLEEPS 4096
/* unless so many offers have been declined meanwhile. */
#define OFFERS_TO_FORGET 1024

static _Thread_local struct {
    unsigned early_sleeps; /* left */
    unsigned penalty;      /* of them the next time; 0: the fewest */
    unsigned declined;     /* offers since the last one that was taken */
} self;

bool nw_spin_is_futile(void)
{
    return self.early_sleeps > 0;
}

static void offer_is_taken(void)
{
    if (self.penalty == 0 || self.declined >= OFFERS_TO_FORGET)
        self.penalty = FEWEST_EARLY_SLEEPS;
    self.early_sleeps = self.penalty;
    self.declined = 0;
    if (self.penalty < MOST_EARLY_SLEEPS)
        self.penalty *= 2;
}

bool nw_spin_offer(nw_spin_t *spin, int64_t ns)
{
    int64_t now = nw_clock_ns();
    if (spin->deadline == 0)
        spin->deadline = now + ns;
    if (now >= spin->deadline)
        return false;
    if (self.early_sleeps > 0) {
        self.early_sleeps--;
        return false;
    }
    sched_yield();
    if (nw_clock_ns() - now > LONG_OFFER)
        offer_is_taken();
    else
        self.declined++;
    return true;
}
