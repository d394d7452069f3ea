/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/op.h"

#include <stdlib.h>
#include <string.h>

#include "core/images.h"
#include "core/stats.h"
#include "core/tool.h"
#include "core/transfer.h"
#include "support/futex.h"
#include "support/log.h"
#include "support/settings.h"
#include "support/spin.h"

/* Set in the state word while a thread sleeps on it. */
#define WAITED 0x80u

/* Steps for n map entries: an entry makes one, or two if it is a pointer and its pointee. */
static uint32_t steps_for(uint32_t n_maps)
{
    return 2 * n_maps + 1;
}

/* The implicit first argument, and one for each entry. */
static uint32_t args_for(uint32_t n_maps)
{
    return n_maps + 1;
}

size_t nw_op_size(uint32_t n_maps)
{
    return sizeof(nw_op_t) + steps_for(n_maps) * sizeof(nw_step_t) + args_for(n_maps) * sizeof(uint64_t);
}

void nw_op_init(nw_op_t *op, uint32_t n_maps)
{
    memset(op, 0, sizeof *op);
    op->step_capacity = steps_for(n_maps);
    op->arg_capacity = args_for(n_maps);
    op->work.steps = (nw_step_t *)(op + 1);
    op->work.launch.args = (uint64_t *)(op->work.steps + op->step_capacity);
}

static void op_done(nw_work_t *work, nw_status_t status);

void nw_op_begin(nw_op_t *op, nw_core_device_t *device, const nw_ident_t *loc)
{
    op->device = device;
    op->work.device = &device->base;
    op->work.loc = loc;
    op->work.done = op_done;
    atomic_store_explicit(&op->blockers, 1, memory_order_relaxed);
}

nw_step_t *nw_op_add_step(nw_op_t *op)
{
    nw_work_t *work = &op->work;
    if (NW_UNLIKELY(work->n_steps == op->step_capacity)) {
        uint32_t capacity = 2 * op->step_capacity;
        nw_step_t *grown = realloc(op->steps_on_heap ? work->steps : NULL, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        if (!op->steps_on_heap)
            memcpy(grown, work->steps, work->n_steps * sizeof *grown);
        op->steps_on_heap = true;
        op->step_capacity = capacity;
        work->steps = grown;
    }
    nw_step_t *step = &work->steps[work->n_steps++];
    memset(step, 0, sizeof *step);
    return step;
}

nw_status_t nw_op_reserve_args(nw_op_t *op, uint32_t n)
{
    if (NW_LIKELY(n <= op->arg_capacity))
        return NW_OK;
    uint64_t *args = malloc(n * sizeof *args);
    if (!args)
        return NW_ERR_NO_MEMORY;
    op->args_on_heap = true;
    op->arg_capacity = n;
    op->work.launch.args = args;
    return NW_OK;
}

/* Returns a waiter of the operation's own; NULL when memory is out. */
static nw_waiter_t *new_waiter(nw_op_t *op)
{
    nw_more_waiters_t *more = op->more_waiters;
    if (op->n_waiters < NW_OP_WAITERS)
        return &op->own_waiters[op->n_waiters++];
    if (!more || more->n == NW_MORE_WAITERS) {
        more = malloc(sizeof *more);
        if (!more)
            return NULL;
        more->n = 0;
        more->next = op->more_waiters;
        op->more_waiters = more;
    }
    return &more->waiters[more->n++];
}

/* In the place of data_waiters once the data is there. */
static nw_waiter_t data_is_there;

/* Adds the operation to those that wait, of which `first` is the first known; unless what they wait for has come. */
static nw_status_t join(nw_op_t *op, nw_waiter_t *_Atomic *waiters, nw_waiter_t *first)
{
    nw_waiter_t *waiter = new_waiter(op);
    if (!waiter)
        return NW_ERR_NO_MEMORY;
    waiter->op = op;
    atomic_fetch_add_explicit(&op->blockers, 1, memory_order_relaxed);
    do {
        if (NW_UNLIKELY(first == &data_is_there)) {
            /* It is being decided, so this is not the last. */
            atomic_fetch_sub_explicit(&op->blockers, 1, memory_order_relaxed);
            return NW_OK;
        }
        waiter->next = first;
    } while (!atomic_compare_exchange_weak_explicit(waiters, &first, waiter, memory_order_acq_rel,
                                                    memory_order_acquire));
    return NW_OK;
}

nw_status_t nw_op_wait_for(nw_op_t *op, nw_op_t *other)
{
    /* Acquire pairs with the release in join: what others have added, while they held another shard, can be read. */
    nw_waiter_t *first = atomic_load_explicit(&other->waiters, memory_order_acquire);
    /* The usual second time. Waiting twice would do no harm. */
    if (first && first->op == op)
        return NW_OK;
    return join(op, &other->waiters, first);
}

nw_status_t nw_op_wait_for_data(nw_op_t *op, nw_op_t *other)
{
    if (NW_LIKELY(!other->work.brings_data))
        return nw_op_wait_for(op, other);
    /* Acquire pairs with the release in nw_work_tell_data: if the data is there, it can be used. Those that wait
     * already may be started, and over, at any time. */
    nw_waiter_t *first = atomic_load_explicit(&other->data_waiters, memory_order_acquire);
    if (op->awaits_data_of == other || first == &data_is_there)
        return NW_OK;
    op->awaits_data_of = other;
    return join(op, &other->data_waiters, first);
}

void nw_op_wait_until_idle(nw_op_t *op, nw_mapping_t *mapping)
{
    mapping->ender_waits = true;
    atomic_fetch_add_explicit(&op->blockers, 1, memory_order_relaxed);
}

bool nw_op_move(nw_op_t *op, nw_op_state_t from, nw_op_state_t to)
{
    uint32_t word = atomic_load_explicit(&op->state, memory_order_relaxed);
    do {
        if ((word & ~WAITED) != (uint32_t)from)
            return false;
        /* Release: DONE publishes what post-processing wrote; acquire: POSTING sees what the device wrote. */
    } while (!atomic_compare_exchange_weak_explicit(&op->state, &word, (word & WAITED) | (uint32_t)to,
                                                    memory_order_acq_rel, memory_order_relaxed));
    /* The owner may free the operation as soon as it is DONE: only the address is used from here on. */
    if (to == NW_OP_DONE && (word & WAITED))
        nw_futex_wake(&op->state, INT_MAX);
    return true;
}

nw_op_state_t nw_op_state(const nw_op_t *op)
{
    return (nw_op_state_t)(atomic_load_explicit(&op->state, memory_order_acquire) & ~WAITED);
}

static void finish(nw_op_t *op, nw_status_t status);

/* The operation may begin. `waited`: it had to wait. */
static __attribute__((cold, noinline)) void trace_ready(nw_op_t *op, bool waited)
{
    nw_trace_mark_t *mark = &op->work.trace;
    int64_t now = nw_clock_ns();
    if (waited)
        nw_trace_state(&(nw_trace_event_t){.kind = NW_TRACE_WAIT, .op = mark->op, .begin = mark->since, .end = now});
    mark->since = now;
}

static inline void start(nw_device_t *device, nw_op_t *op)
{
    /* It brings what others have brought, for whom it has waited. */
    if (!op->work.copies_in)
        nw_work_data_is_there(&op->work);
    device->ops->submit(device, &op->work);
}

/* One blocker less: starts the operation if it was the last. `waited`: a constant; false where the operation itself
 * has been decided. */
static inline void unblock(nw_op_t *op, bool waited)
{
    bool waited_for = op->waited_for;
    nw_device_t *device = &op->device->base;
    /* Acquire and release: the last one to arrive sees what every blocker's operation did. */
    if (atomic_fetch_sub_explicit(&op->blockers, 1, memory_order_acq_rel) != 1)
        return;
    if (NW_UNLIKELY(!waited_for && op->work.trace.op))
        trace_ready(op, waited);
    if (waited_for)
        nw_futex_wake(&op->blockers, INT_MAX);
    else if (!op->needs_device)
        finish(op, NW_OK);
    else
        start(device, op);
}

static void release_waiters(nw_op_t *op, nw_waiter_t *waiter)
{
    /* What is started may free its waiter: the link is read first. */
    while (waiter) {
        nw_waiter_t *next = waiter->next;
        if (NW_UNLIKELY(op->work.trace.op))
            nw_trace_edge(op->work.trace.op, waiter->op->work.trace.op, "data");
        unblock(waiter->op, true);
        waiter = next;
    }
}

void nw_work_tell_data(nw_work_t *work)
{
    nw_op_t *op = (nw_op_t *)work;
    nw_waiter_t *waiter = atomic_exchange_explicit(&op->data_waiters, &data_is_there, memory_order_acq_rel);
    if (waiter != &data_is_there)
        release_waiters(op, waiter);
}

static inline __attribute__((always_inline)) void release_memory(nw_op_t *op)
{
    for (uint32_t i = 0; i < op->work.n_steps; i++) {
        nw_step_t *step = &op->work.steps[i];
        if (step->flags & NW_STEP_OWNED)
            op->work.device->ops->free(op->work.device, step->device, step->size);
    }
    if (op->steps_on_heap)
        free(op->work.steps);
    if (op->args_on_heap)
        free(op->work.launch.args);
    while (op->more_waiters) {
        nw_more_waiters_t *next = op->more_waiters->next;
        free(op->more_waiters);
        op->more_waiters = next;
    }
}

/* What an operation holds in the map table when it is over. */
static bool next_mapping(const void *of, uint32_t *cursor, const char **begin_p, size_t *size_p)
{
    const nw_op_t *op = of;
    while (*cursor < op->work.n_steps) {
        const nw_mapping_t *mapping = op->work.steps[(*cursor)++].mapping;
        if (!mapping)
            continue;
        *begin_p = mapping->host;
        *size_p = (size_t)(mapping->host_end - mapping->host);
        return true;
    }
    return false;
}

/* Post-processing: gives up what the operation held, and starts what waited for it. `told`: to a tool; a constant. */
static inline __attribute__((always_inline)) void post_process(nw_op_t *op, bool told)
{
    nw_map_table_t *table = &op->device->map;
    nw_mapping_t *idle = NULL;
    nw_map_ranges_t ranges = {.next = next_mapping, .of = op};
    nw_map_hold_t hold = nw_map_hold(table, &ranges);
    for (uint32_t i = 0; i < op->work.n_steps; i++) {
        nw_mapping_t *mapping = op->work.steps[i].mapping;
        if (!mapping)
            continue;
        if (op->work.steps[i].flags & NW_STEP_SECTION)
            nw_map_table_put_section(table, mapping->host, op->work.steps[i].section);
        if (mapping->transfer == op)
            mapping->transfer = NULL;
        if (NW_UNLIKELY(op->work.steps[i].flags & NW_STEP_VOUCHES))
            mapping->vouchers--;
        if (mapping->ender == op && nw_mapping_is_awaited(mapping))
            nw_map_table_end(table, mapping);
        if (told)
            nw_tool_take_block(&op->work.steps[i]);
        mapping = nw_map_table_unuse(table, mapping);
        if (mapping) {
            mapping->next_idle = idle;
            idle = mapping;
        }
    }
    /* Whoever still finds something of this operation's holds it, and has thus come before. */
    nw_waiter_t *ready = atomic_load_explicit(&op->waiters, memory_order_acquire);
    nw_map_release(table, hold);
    nw_work_data_is_there(&op->work);
    release_waiters(op, ready);
    /* What is started may free its mapping. */
    while (idle) {
        nw_mapping_t *next = idle->next_idle;
        if (NW_UNLIKELY(op->work.trace.op))
            nw_trace_edge(op->work.trace.op, idle->ender->work.trace.op, "last use");
        unblock(idle->ender, true);
        idle = next;
    }
    if (told)
        nw_tool_free_blocks(op);
    release_memory(op);
}

static __attribute__((cold, noinline)) void post_process_told(nw_op_t *op)
{
    nw_tool_allocations(op);
    post_process(op, true);
    nw_tool_region_end(op);
}

static _Noreturn void fail(const nw_work_t *work, nw_status_t status)
{
    bool region = work->has_kernel, told = work->failure != NULL;
    nw_fatal(work->loc, "%s%s on device %d failed: %s%s%s%s%s%s", region ? "region " : "data transfer",
             region ? work->launch.name : "", work->device->number, nw_status_text(status), told ? ": " : "",
             told ? work->failure : "", told ? " (" : "", told ? work->failed_call : "", told ? ")" : "");
}

static __attribute__((cold, noinline)) void trace_end(const nw_op_t *op, int64_t begin)
{
    const nw_work_t *work = &op->work;
    int64_t now = nw_clock_ns();
    nw_trace_slice(&(nw_trace_event_t){.kind = NW_TRACE_POST,
                                       .flow = NW_TRACE_FLOW_ENDS,
                                       .begin = begin,
                                       .end = now,
                                       .op = work->trace.op,
                                       .loc = work->loc,
                                       .kernel = work->launch.name,
                                       .device = NW_TRACE_THIS_THREAD});
    nw_trace_region_ends(work->trace.op, now, work->loc);
}

static void finish(nw_op_t *op, nw_status_t status)
{
    int64_t begin = NW_UNLIKELY(op->work.trace.op) ? nw_clock_ns() : 0;
    NW_ASSERT_ALWAYS(nw_op_move(op, NW_OP_SUBMITTED, NW_OP_POSTING));
    op->status = status;
    if (NW_UNLIKELY(status != NW_OK))
        fail(&op->work, status);
    if (NW_UNLIKELY(op->work.tool != NULL))
        post_process_told(op);
    else
        post_process(op, false);
    if (NW_UNLIKELY(begin))
        trace_end(op, begin);
    void (*completed)(nw_op_t *) = op->completed;
    nw_region_t *region = op->region;
    NW_ASSERT_ALWAYS(nw_op_move(op, NW_OP_POSTING, NW_OP_DONE));
    if (completed)
        completed(op);
    /* After the last that may run code of the region's library: its task's destructors. */
    if (region)
        nw_region_leave(region);
}

static void op_done(nw_work_t *work, nw_status_t status)
{
    finish((nw_op_t *)work, status);
}

void nw_op_block(nw_op_t *op)
{
    atomic_fetch_add_explicit(&op->blockers, 1, memory_order_relaxed);
}

void nw_op_unblock(nw_op_t *op, bool waited)
{
    unblock(op, waited);
}

void nw_op_submit(nw_op_t *op)
{
    unblock(op, false);
}

nw_status_t nw_op_run(nw_op_t *op)
{
    nw_device_t *device = &op->device->base;
    uint32_t left = atomic_fetch_sub_explicit(&op->blockers, 1, memory_order_acq_rel) - 1;
    bool waited = left > 0;
    if (waited) {
        nw_stats_count(NW_STAT_BLOCKING_WAITS);
        if (NW_UNLIKELY(op->work.tool != NULL))
            nw_tool_allocations(op);
    }
    nw_spin_t spin = {0};
    while (left > 0) {
        if (!nw_spin(&spin, nw_settings.spin))
            nw_futex_wait(&op->blockers, left);
        left = atomic_load_explicit(&op->blockers, memory_order_acquire);
    }
    if (NW_UNLIKELY(op->work.trace.op))
        trace_ready(op, waited);
    if (!op->work.copies_in)
        nw_work_data_is_there(&op->work);
    nw_status_t status = op->needs_device ? device->ops->execute(device, &op->work) : NW_OK;
    finish(op, status);
    return status;
}

void nw_op_wait(nw_op_t *op)
{
    nw_stats_count(NW_STAT_BLOCKING_WAITS);
    nw_spin_t spin = {0};
    uint32_t word;
    while (((word = atomic_load_explicit(&op->state, memory_order_acquire)) & ~WAITED) != NW_OP_DONE) {
        if (nw_spin(&spin, nw_settings.spin))
            continue;
        if ((word & WAITED) || atomic_compare_exchange_strong_explicit(&op->state, &word, word | WAITED,
                                                                       memory_order_relaxed, memory_order_relaxed))
            nw_futex_wait(&op->state, word | WAITED);
    }
}

/* As next_run, for a step that copies a section: the cursor counts the section's own bytes, without its gaps. */
static bool next_run_of_section(const nw_op_t *op, const nw_step_t *step, nw_cursor_t *cursor, nw_chunk_t *chunk_p)
{
    const nw_section_t *section = step->section;
    size_t base = (size_t)(step->host - step->mapping->host);
    for (size_t i; (i = cursor->offset / section->run) < section->n_runs; cursor->offset = (i + 1) * section->run) {
        size_t begin = base + nw_section_run_at(section, i), offset = begin + cursor->offset % section->run, length;
        if (!nw_mapping_next_run(&op->device->map, step->mapping, &offset, begin + section->run, &length))
            continue;
        chunk_p->host = step->host + (offset - base);
        chunk_p->device = step->device + (offset - base);
        chunk_p->size = length;
        cursor->offset = i * section->run + (offset - begin) + length;
        return true;
    }
    return false;
}

/* A step's next run of bytes without attached pointers. */
static bool next_run(const nw_op_t *op, const nw_step_t *step, nw_cursor_t *cursor, nw_chunk_t *chunk_p)
{
    if (!step->mapping) {
        if (cursor->offset > 0 || step->size == 0)
            return false;
        *chunk_p = (nw_chunk_t){.host = step->host, .device = step->device, .size = step->size};
        cursor->offset = step->size;
        return true;
    }
    if (step->flags & NW_STEP_SECTION)
        return next_run_of_section(op, step, cursor, chunk_p);
    size_t base = (size_t)(step->host - step->mapping->host), offset = base + cursor->offset, length;
    if (!nw_mapping_next_run(&op->device->map, step->mapping, &offset, base + step->size, &length))
        return false;
    chunk_p->host = step->host + (offset - base);
    chunk_p->device = step->device + (offset - base);
    chunk_p->size = length;
    cursor->offset = offset - base + length;
    return true;
}

static bool next_in(const nw_work_t *work, nw_cursor_t *cursor, nw_chunk_t *chunk_p)
{
    const nw_op_t *op = (const nw_op_t *)work;
    if (op->transfer)
        return nw_transfer_next_chunk(op->transfer, true, cursor, chunk_p);
    for (; cursor->step < work->n_steps; cursor->step++, cursor->offset = 0) {
        nw_step_t *step = &work->steps[cursor->step];
        if ((step->flags & NW_STEP_POINTER) && cursor->offset == 0) {
            *chunk_p = (nw_chunk_t){.host = (char *)&step->value, .device = step->device, .size = sizeof step->value};
            cursor->offset = sizeof step->value;
            return true;
        }
        if ((step->flags & NW_STEP_IN) && next_run(op, step, cursor, chunk_p))
            return true;
    }
    return false;
}

static bool next_out(const nw_work_t *work, nw_cursor_t *cursor, nw_chunk_t *chunk_p)
{
    const nw_op_t *op = (const nw_op_t *)work;
    if (op->transfer)
        return nw_transfer_next_chunk(op->transfer, false, cursor, chunk_p);
    for (; cursor->step < work->n_steps; cursor->step++, cursor->offset = 0) {
        const nw_step_t *step = &work->steps[work->n_steps - 1 - cursor->step];
        if ((step->flags & NW_STEP_OUT) && next_run(op, step, cursor, chunk_p))
            return true;
    }
    return false;
}

/* As the iterators, and tells the tool where they are: the copy before this place is over, the one there begins. */
static bool next_told(const nw_work_t *work, nw_cursor_t *cursor, nw_chunk_t *chunk_p, bool in)
{
    nw_cursor_t before = *cursor;
    bool more = in ? next_in(work, cursor, chunk_p) : next_out(work, cursor, chunk_p);
    nw_op_t *op = (nw_op_t *)(uintptr_t)work;
    if (op->transfer)
        nw_tool_transfer(op, in ? NW_TRANSFER_IN : NW_TRANSFER_OUT, &before, more);
    else
        nw_tool_copies(op, &before, more ? cursor : NULL, in);
    return more;
}

bool nw_work_next_in(const nw_work_t *work, nw_cursor_t *cursor, nw_chunk_t *chunk_p)
{
    if (NW_UNLIKELY(work->tool != NULL))
        return next_told(work, cursor, chunk_p, true);
    return next_in(work, cursor, chunk_p);
}

bool nw_work_next_out(const nw_work_t *work, nw_cursor_t *cursor, nw_chunk_t *chunk_p)
{
    if (NW_UNLIKELY(work->tool != NULL))
        return next_told(work, cursor, chunk_p, false);
    return next_out(work, cursor, chunk_p);
}

bool nw_work_peek_in(const nw_work_t *work, nw_cursor_t *cursor, nw_chunk_t *chunk_p)
{
    return next_in(work, cursor, chunk_p);
}

bool nw_work_peek_out(const nw_work_t *work, nw_cursor_t *cursor, nw_chunk_t *chunk_p)
{
    return next_out(work, cursor, chunk_p);
}

size_t nw_work_copied_bytes(const nw_work_t *work, bool in)
{
    size_t bytes = 0;
    nw_cursor_t cursor = {0};
    nw_chunk_t chunk;
    while (in ? next_in(work, &cursor, &chunk) : next_out(work, &cursor, &chunk))
        bytes += chunk.size;
    return bytes;
}

bool nw_work_peek_move(const nw_work_t *work, nw_cursor_t *cursor, nw_move_t *move_p)
{
    const nw_op_t *op = (const nw_op_t *)work;
    return op->transfer && nw_transfer_next_move(op->transfer, cursor, move_p);
}

bool nw_work_next_move(const nw_work_t *work, nw_cursor_t *cursor, nw_move_t *move_p)
{
    nw_op_t *op = (nw_op_t *)(uintptr_t)work;
    nw_cursor_t before = *cursor;
    bool more = nw_work_peek_move(work, cursor, move_p);
    if (NW_UNLIKELY(work->tool != NULL))
        nw_tool_transfer(op, NW_TRANSFER_WITHIN, &before, more);
    return more;
}
