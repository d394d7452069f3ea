/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/spin.h"

#include <sched.h>

/* An offer after which this many nanoseconds are gone has been taken by a thread with work of its own. */
#define LONG_OFFER 100000
/* So long, in ns, a thread sleeps early after that; twice as long each time that it happens again, */
#define SHORTEST_PENALTY 4000000
#define LONGEST_PENALTY 256000000
/* unless the last time is so long ago. */
#define TIME_TO_FORGET 1000000000

static _Thread_local struct {
    int64_t early_until;
    int64_t penalty; /* the next one; 0: the shortest */
    int64_t taken;   /* when the last offer was */
} self;

bool nw_spin_is_futile(int64_t now)
{
    return now < self.early_until;
}

static void offer_is_taken(int64_t now)
{
    if (self.penalty == 0 || now - self.taken > TIME_TO_FORGET)
        self.penalty = SHORTEST_PENALTY;
    self.taken = now;
    self.early_until = now + self.penalty;
    if (self.penalty < LONGEST_PENALTY)
        self.penalty *= 2;
}

bool nw_spin_offer(nw_spin_t *spin, int64_t ns)
{
    int64_t before = nw_clock_ns();
    if (spin->deadline == 0)
        spin->deadline = before + ns;
    if (before >= spin->deadline || nw_spin_is_futile(before))
        return false;
    sched_yield();
    int64_t now = nw_clock_ns();
    if (now - before > LONG_OFFER)
        offer_is_taken(now);
    return true;
}
