/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/entry_kinds.h"

#include <stdatomic.h>
#include <stdint.h>

/* Open addressing without locks. A program has as many entries as deferred target constructs; when the table is full
 * the rest stay unknown, which costs speed only. The kind sits in the low bits of the address: code is aligned to 16
 * bytes; where a compiler aligns less, the entry stays unknown. */
#define CAPACITY 4096u
#define KIND_MASK ((uintptr_t)7)

static _Atomic uintptr_t table[CAPACITY];

static uint32_t first_place(uintptr_t address)
{
    return (uint32_t)((address * UINT64_C(0x9E3779B97F4A7C15)) >> 40) % CAPACITY;
}

nw_entry_kind_t nw_entry_kind_get(nowait_task_entry_t entry)
{
    uintptr_t address = (uintptr_t)entry;
    uint32_t place = first_place(address);
    for (uint32_t i = 0; i < CAPACITY; i++) {
        uintptr_t word = atomic_load_explicit(&table[(place + i) % CAPACITY], memory_order_relaxed);
        if (word == 0)
            break;
        if ((word & ~KIND_MASK) == address)
            return (nw_entry_kind_t)(word & KIND_MASK);
    }
    return NW_ENTRY_UNKNOWN;
}

void nw_entry_kind_learn(nowait_task_entry_t entry, nw_entry_kind_t kind)
{
    uintptr_t address = (uintptr_t)entry;
    if (address & KIND_MASK)
        return;
    uintptr_t known = address | (uintptr_t)kind;
    uint32_t place = first_place(address);
    for (uint32_t i = 0; i < CAPACITY; i++) {
        _Atomic uintptr_t *slot = &table[(place + i) % CAPACITY];
        uintptr_t word = atomic_load_explicit(slot, memory_order_relaxed);
        if (word == 0 && atomic_compare_exchange_strong_explicit(slot, &word, known, memory_order_relaxed,
                                                                 memory_order_relaxed))
            return;
        if ((word & ~KIND_MASK) == address) {
            atomic_store_explicit(slot, known, memory_order_relaxed);
            return;
        }
    }
}

void nw_entry_kinds_forget(void)
{
    for (uint32_t i = 0; i < CAPACITY; i++)
        atomic_store_explicit(&table[i], 0, memory_order_relaxed);
}
