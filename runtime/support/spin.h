/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Looking for something for a bounded time, before sleeping.
 *
 * What is looked for is another thread's doing, and that thread may be waiting for this very processor: a thread that
 * is woken is often put on the waker's. So a spinning thread offers its processor again and again. Where a third one,
 * with work of its own, takes the offer, a time slice is lost; a thread that has seen that sleeps early for a while,
 * since the kernel brings a sleeper back at once.
 */
#ifndef NW_SPIN_H
#define NW_SPIN_H

#include <stdbool.h>
#include <stdint.h>

#include "support/clock.h"

/* Looks between two offers; about a microsecond. */
#define NW_SPIN_LOOKS 64

typedef struct nw_spin {
    int64_t deadline; /* 0: no offer yet */
    unsigned looks;
} nw_spin_t;

/* After NW_SPIN_LOOKS looks: returns whether to go on looking; may offer the processor to other threads. */
bool nw_spin_offer(nw_spin_t *spin, int64_t ns);

/* Whether this thread sleeps early for now, since others take what it offers. */
bool nw_spin_is_futile(void);

/* Called after each look that found nothing; *spin starts as zeros. Returns false when it is time to sleep: `ns`
 * nanoseconds after the first NW_SPIN_LOOKS looks, or before. Never blocks. */
static inline bool nw_spin(nw_spin_t *spin, int64_t ns)
{
    if (++spin->looks % NW_SPIN_LOOKS == 0)
        return nw_spin_offer(spin, ns);
    nw_cpu_relax();
    return ns > 0;
}

#endif
