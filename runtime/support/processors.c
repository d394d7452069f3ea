/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/processors.h"

#include <string.h>

static nw_processors_t all;

static void get_own(nw_processors_t *processors)
{
    memset(processors, 0, sizeof *processors);
    processors->valid = sched_getaffinity(0, sizeof processors->sets, processors->sets) == 0;
}

void nw_processors_remember(void)
{
    get_own(&all);
}

void nw_processors_use_all(void)
{
    if (all.valid)
        (void)sched_setaffinity(0, sizeof all.sets, all.sets);
}

void nw_processors_borrow(nw_processors_t *own_p)
{
    get_own(own_p);
    own_p->valid = own_p->valid && all.valid && memcmp(own_p->sets, all.sets, sizeof all.sets) != 0;
    if (own_p->valid)
        nw_processors_use_all();
}

void nw_processors_return(const nw_processors_t *own)
{
    if (own->valid)
        (void)sched_setaffinity(0, sizeof own->sets, own->sets);
}
