/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/entry_kinds.h"

#include <stdatomic.h>
#include <stdint.h>

#include "tasking/entry_code.h"

/* Open addressing without locks. A program has as many entries as deferred target constructs; when the table is full
 * the rest stay unknown, which costs speed only. The kind sits below the address, whose highest byte no program's has:
 * compilers that optimise for size align code to nothing. */
#define CAPACITY 4096u
#define KIND_BITS 8
#define KIND_MASK (((uintptr_t)1 << KIND_BITS) - 1)

static _Atomic uintptr_t table[CAPACITY];

static uint32_t first_place(uintptr_t address)
{
    return (uint32_t)((address * UINT64_C(0x9E3779B97F4A7C15)) >> 40) % CAPACITY;
}

/* A new entry: reads its code, once if the table has room for it. */
static __attribute__((cold, noinline)) nw_entry_kind_t meet(nowait_task_entry_t entry)
{
    nw_entry_kind_t kind = nw_entry_code_read(entry);
    nw_entry_kind_learn(entry, kind);
    return kind;
}

nw_entry_kind_t nw_entry_kind_get(nowait_task_entry_t entry)
{
    uintptr_t address = (uintptr_t)entry;
    uint32_t place = first_place(address);
    for (uint32_t i = 0; i < CAPACITY; i++) {
        uintptr_t word = atomic_load_explicit(&table[(place + i) % CAPACITY], memory_order_relaxed);
        if (word == 0)
            return meet(entry);
        if (word >> KIND_BITS == address)
            return (nw_entry_kind_t)(word & KIND_MASK);
    }
    return NW_ENTRY_UNKNOWN;
}

void nw_entry_kind_learn(nowait_task_entry_t entry, nw_entry_kind_t kind)
{
    uintptr_t address = (uintptr_t)entry;
    uintptr_t known = address << KIND_BITS | (uintptr_t)kind;
    uint32_t place = first_place(address);
    for (uint32_t i = 0; i < CAPACITY; i++) {
        _Atomic uintptr_t *slot = &table[(place + i) % CAPACITY];
        uintptr_t word = atomic_load_explicit(slot, memory_order_relaxed);
        if (word == 0 &&
            atomic_compare_exchange_strong_explicit(slot, &word, known, memory_order_relaxed, memory_order_relaxed))
            return;
        if (word >> KIND_BITS == address) {
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
