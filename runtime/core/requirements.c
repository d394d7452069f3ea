/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/requirements.h"

#include <stdatomic.h>
#include <stddef.h>

#include "support/log.h"

#define UNIFIED_SHARED_MEMORY 8u

static const struct {
    uint64_t bit;
    const char *clause;
} clauses[] = {
    {2, "reverse_offload"},
    {4, "unified_address"},
    {UNIFIED_SHARED_MEMORY, "unified_shared_memory"},
    {16, "dynamic_allocators"},
};

static _Atomic uint64_t all_bits;
static uint64_t declared; /* by the first entry; 0: there has been none */

static void compare(uint64_t bits)
{
    for (size_t i = 0; i < sizeof clauses / sizeof clauses[0]; i++) {
        if (!((bits ^ declared) & clauses[i].bit))
            continue;
        nw_log_llvm("fatal error 2: '#pragma omp requires %s' not used consistently!", clauses[i].clause);
        nw_fatal(NULL, "some objects say `requires %s` and some do not; say it in all or in none",
                 clauses[i].clause);
    }
}

void nw_requirements_declare(uint64_t bits)
{
    if (declared)
        compare(bits);
    else
        declared = bits;
    nw_requirements_add(bits);
}

void nw_requirements_add(uint64_t bits)
{
    atomic_fetch_or_explicit(&all_bits, bits, memory_order_relaxed);
}

bool nw_requirements_shared_memory(void)
{
    return atomic_load_explicit(&all_bits, memory_order_relaxed) & UNIFIED_SHARED_MEMORY;
}
