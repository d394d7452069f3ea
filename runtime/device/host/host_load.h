/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NW_HOST_LOAD_H
#define NW_HOST_LOAD_H

#include <stdatomic.h>
#include <stdint.h>

/*
 * How many kernels the CPU devices have had at once lately. The number at one moment says little of a program with many
 * small regions in flight: the first of a burst starts before the others are there, and forms a team of all threads
 * in their way. (A conjugate-gradients solver on four devices took a hundred times as long on two busy cores.)
 *
 * Threads: any; nothing blocks. All zero at first.
 */
typedef struct nw_host_load {
    _Atomic uint64_t word; /* window (upper half), the most in it, the most in the one before (16 bits each) */
} nw_host_load_t;

enum { NW_HOST_LOAD_WINDOW_BITS = 24 }; /* a window is 2^24 ns, 17 ms */

/* Notes that there are `n` kernels now, at `time` (ns, monotonic; the window before the present one counts as that).
 * Returns the most in this window and in the one before it, at least n. n: 1 to 65535, larger ones count as that. */
static inline int32_t nw_host_load_note(nw_host_load_t *load, uint32_t n, int64_t time)
{
    uint32_t window = (uint32_t)((uint64_t)time >> NW_HOST_LOAD_WINDOW_BITS);
    n = n < UINT16_MAX ? n : UINT16_MAX;
    uint64_t old = atomic_load_explicit(&load->word, memory_order_relaxed);
    for (;;) {
        uint32_t passed = window - (uint32_t)(old >> 32), most = (uint16_t)(old >> 16), before = (uint16_t)old;
        if (passed + 1 <= 1) { /* 0 or -1 */
            window -= passed;
            most = n > most ? n : most;
        } else {
            before = passed == 1 ? most : 0;
            most = n;
        }
        uint64_t new = (uint64_t)window << 32 | most << 16 | before;
        /* Nearly always nothing changes, and the line stays in every processor's cache. */
        if (new == old || atomic_compare_exchange_weak_explicit(&load->word, &old, new, memory_order_relaxed,
                                                                memory_order_relaxed))
            return (int32_t)(most > before ? most : before);
    }
}

#endif
