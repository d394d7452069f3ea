/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Works one after the other, oldest first, linked by their `next`. Zeros are an empty list. Guarded by its owner. */
#ifndef NW_WORK_LIST_H
#define NW_WORK_LIST_H

#include "device/device.h"

typedef struct nw_work_list {
    nw_work_t *first, *last;
} nw_work_list_t;

static inline void nw_work_list_add(nw_work_list_t *list, nw_work_t *work)
{
    work->next = NULL;
    if (list->first)
        list->last->next = work;
    else
        list->first = work;
    list->last = work;
}

/* Puts a work back in front. */
static inline void nw_work_list_put_back(nw_work_list_t *list, nw_work_t *work)
{
    work->next = list->first;
    if (!list->first)
        list->last = work;
    list->first = work;
}

/* Takes the oldest; NULL if there is none. */
static inline nw_work_t *nw_work_list_take(nw_work_list_t *list)
{
    nw_work_t *work = list->first;
    if (work)
        list->first = work->next;
    return work;
}

#endif
