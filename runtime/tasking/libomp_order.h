/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What ThreadSanitizer is told of the order that libomp makes between target tasks and what waits for them; nothing in
 * a library that is built without it.
 *
 * libomp is not instrumented, and its tool Archer knows nothing of tasks that a device completes. So each region
 * releases, at its end, what may be waited for: its parent's children, the addresses of its dependences, its memory.
 * Whoever waits acquires that one thing. An order that libomp, or this library, does not make is still found.
 */
#ifndef NW_LIBOMP_ORDER_H
#define NW_LIBOMP_ORDER_H

#include "tasking/libomp.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NW_TELLS_ORDER
#endif
#endif

#ifdef NW_TELLS_ORDER

void __tsan_acquire(void *address);
void __tsan_release(void *address);

/* Dependences of a task that are told; of one with more the rest looks like a race. */
#define NW_MOST_ORDERED 16

/* Of a target task, in its slot. Zeroed: names nothing. */
typedef struct nw_order_told {
    const void *parent;
    uint32_t n;
    struct nowait_depend_info deps[NW_MOST_ORDERED];
} nw_order_told_t;

/* Readers of an address are not ordered among each other: what they release has a place of its own. */
static inline void nw_order_acquire(const struct nowait_depend_info *dep)
{
    char *address = (char *)dep->base;
    if (dep->base == 0 || dep->base == -1)
        return;
    __tsan_acquire(address);
    if (dep->flags != NW_DEPEND_IN)
        __tsan_acquire(address + 1);
}

/* The task is handed to libomp by its parent. */
static inline void nw_order_submitted(nw_order_told_t *told, const void *parent, int32_t n,
                                      const struct nowait_depend_info *deps)
{
    told->parent = parent;
    for (int32_t i = 0; i < n && told->n < NW_MOST_ORDERED; i++) {
        /* Not omp_all_memory, which is no address. */
        if (deps[i].base && deps[i].base != -1)
            told->deps[told->n++] = deps[i];
    }
}

/* What it depends on is over. */
static inline void nw_order_starts(const nw_order_told_t *told)
{
    for (uint32_t i = 0; i < told->n; i++)
        nw_order_acquire(&told->deps[i]);
}

/* It is over; libomp has not heard of it yet. Its memory is not touched any more. */
static inline void nw_order_ends(const nw_order_told_t *told, void *task)
{
    for (uint32_t i = 0; i < told->n; i++)
        __tsan_release((char *)told->deps[i].base + (told->deps[i].flags == NW_DEPEND_IN));
    if (told->parent)
        __tsan_release((void *)(uintptr_t)told->parent);
    __tsan_release(task);
}

/* Its memory is not touched any more. */
static inline void nw_order_freed(void *task)
{
    __tsan_release(task);
}

/* Its memory is used again. */
static inline void nw_order_reused(void *task)
{
    __tsan_acquire(task);
}

/* The task has waited for its children; a task for these dependences. */
static inline void nw_order_waited(const void *parent)
{
    if (parent)
        __tsan_acquire((void *)(uintptr_t)parent);
}

static inline void nw_order_waited_for(int32_t n, const struct nowait_depend_info *deps)
{
    for (int32_t i = 0; i < n; i++)
        nw_order_acquire(&deps[i]);
}

#define NW_ORDER(call) nw_order_##call
#else
#define NW_ORDER(call) ((void)0)
#endif

#endif
