/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/reduction_copies.h"

#include <pthread.h>

#include "core/map_types.h"

/* Items that are remembered; with more, the region needs the originals. */
#define MOST_ITEMS 4

/* libomp gives each thread's copy whole cache lines, of 128 or at least 64 bytes (kmp_tasking.cpp, CACHE_LINE). */
#define LEAST_COPY_BYTES 64

typedef struct item {
    char *original, *copy;
} item_t;

static _Thread_local struct {
    const nw_kmp_task_t *task; /* whose entry runs; NULL: none */
    uint32_t n;                /* items noted, more than MOST_ITEMS at times */
    item_t items[MOST_ITEMS];
} self;

/* Held by the region that works on originals. */
static pthread_mutex_t originals = PTHREAD_MUTEX_INITIALIZER;

void nw_reduction_entry_begins(const nw_kmp_task_t *task)
{
    self.task = task;
    self.n = 0;
}

void nw_reduction_entry_ends(void)
{
    self.task = NULL;
    self.n = 0;
}

void nw_reduction_note(int32_t gtid, void *original, void *copy)
{
    if (!self.task || !nw_libomp_is_current(gtid, self.task))
        return;
    if (self.n < MOST_ITEMS)
        self.items[self.n] = (item_t){.original = original, .copy = copy};
    self.n += self.n <= MOST_ITEMS;
}

bool nw_reduction_noted(void)
{
    return self.n > 0;
}

static bool is_led_to_copy(const nw_map_args_t *args, int32_t i, const item_t *item)
{
    if (args->ptrs[i] != item->original || (args->types[i] & NW_MAP_LITERAL))
        return false;
    if (args->sizes[i] > LEAST_COPY_BYTES)
        return false;
    if (args->bases[i] == args->ptrs[i])
        args->bases[i] = item->copy;
    args->ptrs[i] = item->copy;
    return true;
}

bool nw_reduction_redirect(int32_t gtid, const nw_map_args_t *args)
{
    /* A host version may meet other tasks' regions. */
    if (!self.task || !nw_libomp_is_current(gtid, self.task))
        return false;
    bool all = self.n <= MOST_ITEMS;
    uint32_t n = all ? self.n : MOST_ITEMS;
    for (uint32_t k = 0; k < n; k++) {
        /* In a team of one the original is the copy. */
        bool found = self.items[k].copy == self.items[k].original;
        for (int32_t i = 0; i < args->n && !found; i++)
            found = is_led_to_copy(args, i, &self.items[k]);
        all = all && found;
    }
    if (!all)
        pthread_mutex_lock(&originals);
    return !all;
}

void nw_reduction_release(void)
{
    pthread_mutex_unlock(&originals);
}
