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
    nw_processors_t own;
    nw_processors_borrow(&own);
}

void nw_processors_borrow(nw_processors_t *own_p)
{
    nw_processors_t both = all;
    own_p->valid = false;
    if (!all.valid)
        return;
    get_own(own_p);
    for (size_t i = 0; i < sizeof both.sets / sizeof both.sets[0]; i++)
        CPU_OR(&both.sets[i], &both.sets[i], &own_p->sets[i]);
    own_p->valid = own_p->valid && memcmp(own_p->sets, both.sets, sizeof both.sets) != 0;
    if (own_p->valid)
        (void)sched_setaffinity(0, sizeof both.sets, both.sets);
}

void nw_processors_return(const nw_processors_t *own)
{
    if (own->valid)
        (void)sched_setaffinity(0, sizeof own->sets, own->sets);
}
