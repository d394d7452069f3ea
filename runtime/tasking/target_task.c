/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/target_task.h"

#include "core/stats.h"
#include "support/clock.h"
#include "support/log.h"
#include "support/settings.h"
#include "tasking/entry_kinds.h"
#include "tasking/policy.h"
#include "tasking/requeue.h"
#include "tasking/shutdown.h"

/* Map entries that a slot has room for when nothing is known of the region. */
#define DEFAULT_MAPS 16

/*
 * Completed proxy and detached tasks wait in their team's queue for a thread that frees them. A thread that only ever
 * launches, and never waits for anything unfinished, would let them pile up; so it looks after the queue once in so
 * many launches. A deferred construct is a task scheduling point (OpenMP 5.2, 12.9).
 */
#define LAUNCHES_BETWEEN_YIELDS 128u

static _Thread_local struct {
    nw_slot_t *current;   /* whose entry is running */
    nw_slot_t *launching; /* that is inside its construct */
    nw_kmp_task_t *fresh;
    uint32_t launches;
    bool reduces;         /* the entry that is running reads a reduction's copy */
} self __attribute__((tls_model("initial-exec")));

nw_slot_t *nw_target_task_slot(const nw_kmp_task_t *task)
{
    /* The last word before the shared variables; see nw_target_task_alloc. */
    return ((nw_slot_t **)task->shareds)[-1];
}

nw_slot_t *nw_target_task_current(void)
{
    return self.current;
}

nw_kmp_task_t *nw_target_task_fresh(void)
{
    return self.fresh;
}

void nw_target_task_note_reduction(void)
{
    self.reduces = true;
}

nw_core_device_t *nw_target_task_device(const nw_slot_t *slot)
{
    if (slot->device == NW_HOST_DEVICE)
        return NULL;
    nw_core_device_t *device = nw_devices_get(slot->device);
    if (NW_UNLIKELY(!device))
        nw_fatal(slot->loc, "device %d cannot be used", (int)slot->device);
    return device;
}

/* Completes the task: the last touch of its slot. */
static void complete(nw_slot_t *slot)
{
    const nw_libomp_t *omp = nw_libomp();
    nw_kmp_task_t *task = slot->task;
    if (slot->dispatched)
        nw_stats_region_ends();
    if (slot->form == NW_TASK_PROXY) {
        /* libomp runs the destructors of firstprivate variables for tasks that it finishes itself, not for these. */
        if (slot->flags & NW_KMP_DESTRUCTORS)
            task->data1.destructors(0, task);
        omp->proxy_task_completed(task);
    } else if (slot->event) {
        omp->fulfill_event(slot->event);
    }
}

static void release_hold(nw_slot_t *slot)
{
    /* Acquire and release: the last one sees what the other did. */
    if (atomic_fetch_sub_explicit(&slot->holds, 1, memory_order_acq_rel) == 1)
        complete(slot);
}

static void operation_completed(nw_op_t *op)
{
    release_hold((nw_slot_t *)((char *)op - offsetof(nw_slot_t, op)));
}

/* For forms whose task is finished by libomp: the operation may be gone by now. */
static void operation_ended(nw_op_t *op)
{
    (void)op;
    nw_stats_region_ends();
}

/* What libomp runs for every target task. */
static int32_t routine(int32_t gtid, void *task_memory)
{
    nw_slot_t *slot = nw_target_task_slot(task_memory);
    nw_slot_t *outer = self.current;
    bool outer_reduces = self.reduces;
    bool learns = slot->kind == NW_ENTRY_UNKNOWN && slot->device != NW_HOST_DEVICE;
    self.current = slot;
    self.reduces = false;
    slot->entry(gtid, task_memory);
    bool reduces = self.reduces;
    self.current = outer;
    self.reduces = outer_reduces;
    if (NW_UNLIKELY(learns))
        nw_entry_kind_learn(slot->entry, slot->kind == NW_ENTRY_UNKNOWN ? NW_ENTRY_HOST_ONLY
                                         : reduces                      ? NW_ENTRY_REDUCES
                                                                        : (nw_entry_kind_t)slot->kind);
    switch ((nw_task_form_t)slot->form) {
    case NW_TASK_PROXY:
        release_hold(slot);
        break;
    case NW_TASK_DETACHED:
        /* If the operation is over already, the task ends with this call like any other. */
        if (atomic_load_explicit(&slot->holds, memory_order_acquire) > 1)
            slot->event = nw_libomp()->task_allow_completion_event(slot->loc, gtid, slot->task);
        release_hold(slot);
        break;
    case NW_TASK_BLOCK:
    case NW_TASK_REQUEUE:
    case NW_TASK_HOST:
        break;
    }
    return 0;
}

/* Cancelled tasks lose their entry: see NW_TASK_DETACHED. The setting can't change while the program runs. */
static bool may_be_cancelled(void)
{
    static _Atomic int known;
    int value = atomic_load_explicit(&known, memory_order_relaxed);
    if (NW_UNLIKELY(!value)) {
        value = nw_libomp()->cancellation() ? 2 : 1;
        atomic_store_explicit(&known, value, memory_order_relaxed);
    }
    return value == 2;
}

static nw_task_form_t choose_form(const nw_task_request_t *request, int64_t device, nw_entry_kind_t kind)
{
    if (device == NW_HOST_DEVICE)
        return NW_TASK_HOST;
    if (kind == NW_ENTRY_HOST_ONLY)
        return NW_TASK_HOST;
    if (nw_settings.completion == NW_COMPLETION_BLOCK || request->in_reduction || kind == NW_ENTRY_REDUCES)
        return NW_TASK_BLOCK;
    if (nw_settings.completion == NW_COMPLETION_REQUEUE)
        return NW_TASK_REQUEUE;
    return kind == NW_ENTRY_UNKNOWN || may_be_cancelled() ? NW_TASK_DETACHED : NW_TASK_PROXY;
}

nw_kmp_task_t *nw_target_task_alloc(const nw_task_request_t *request)
{
    const nw_libomp_t *omp = nw_libomp();
    nw_shutdown_prepare();
    int64_t device = nw_policy_device(request->loc, request->device);
    nw_entry_kind_t kind = request->plugin ? NW_ENTRY_DISPATCHES : nw_entry_kind_get(request->entry);
    nw_task_form_t form = choose_form(request, device, kind);
    uint32_t n_maps = form == NW_TASK_HOST ? 0 : request->plugin ? request->n_maps : DEFAULT_MAPS;
    size_t slot_offset = NOWAIT_SLOT_OFFSET(request->sizeof_task);
    /* The slot, and a word that leads from the shared variables behind it back to the slot. */
    size_t slot_size = (offsetof(nw_slot_t, op) + nw_op_size(n_maps) + sizeof(nw_slot_t *) + 15) / 16 * 16;
    size_t size = slot_offset + slot_size;
    /* The pointer to the shared variables is the way back to the slot, so there always are some. */
    size_t shareds = request->sizeof_shareds ? request->sizeof_shareds : sizeof(void *);
    /* Target tasks are untied (OpenMP 5.2, 13.8). */
    int32_t flags = request->flags & ~NW_KMP_TIED;
    nw_kmp_task_t *task;
    if (form == NW_TASK_REQUEUE) {
        task = omp->target_task_alloc(request->loc, request->gtid, request->flags, size, shareds, routine,
                                      request->device);
    } else {
        flags |= form == NW_TASK_PROXY ? NW_KMP_PROXY : form == NW_TASK_DETACHED ? NW_KMP_DETACHABLE : 0;
        task = omp->task_alloc(request->loc, request->gtid, flags, size, shareds, routine);
    }
    nw_slot_t *slot = (nw_slot_t *)((char *)task + slot_offset);
    slot->task = task;
    slot->entry = request->entry;
    slot->loc = request->loc;
    slot->device = form == NW_TASK_HOST ? NW_HOST_DEVICE : device;
    slot->flags = request->flags;
    slot->form = (uint8_t)form;
    slot->plugin = request->plugin;
    slot->dispatched = false;
    slot->waits = false;
    slot->captures = false;
    slot->captured = NULL;
    slot->kind = (uint8_t)kind;
    slot->private_size = request->sizeof_task - sizeof(nw_kmp_task_t);
    slot->event = NULL;
    atomic_store_explicit(&slot->holds, 1, memory_order_relaxed);
    nw_op_init(&slot->op, n_maps);
    ((nw_slot_t **)task->shareds)[-1] = slot;
    self.fresh = task;
    return task;
}

/* Saves the firstprivate variables of a task that may not start inside its construct; see capture.h. */
static void capture(nw_slot_t *slot, int32_t gtid, bool has_deps)
{
    bool starts_now = !has_deps && slot->form == NW_TASK_PROXY;
    if (slot->plugin || starts_now || slot->form == NW_TASK_HOST || slot->kind == NW_ENTRY_DISPATCHES)
        return;
    if (slot->kind == NW_ENTRY_UNKNOWN) {
        slot->captured = nw_capture_stack(slot->task + 1, slot->private_size);
        slot->captured_stack = true;
        return;
    }
    nw_slot_t *outer = self.current;
    self.current = slot;
    slot->captures = true;
    slot->entry(gtid, slot->task);
    slot->captures = false;
    slot->captured_stack = false;
    self.current = outer;
}

int32_t nw_target_task_submit(nw_ident_t *loc, int32_t gtid, nw_kmp_task_t *task, bool has_deps, int32_t n_deps,
                              struct nowait_depend_info *deps, int32_t n_noalias, struct nowait_depend_info *noalias)
{
    const nw_libomp_t *omp = nw_libomp();
    int64_t begin = NW_UNLIKELY(nw_settings.stats) ? nw_clock_ns() : 0;
    nw_slot_t *outer = self.launching, *slot = nw_target_task_slot(task);
    capture(slot, gtid, has_deps);
    self.fresh = NULL;
    self.launching = slot;
    int32_t result = has_deps ? omp->task_with_deps(loc, gtid, task, n_deps, deps, n_noalias, noalias)
                              : omp->task(loc, gtid, task);
    self.launching = outer;
    if (NW_UNLIKELY(begin))
        nw_stats_dispatch(nw_clock_ns() - begin);
    if (NW_UNLIKELY(++self.launches % LAUNCHES_BETWEEN_YIELDS == 0) && nw_settings.completion == NW_COMPLETION_EVENT)
        omp->taskyield(loc, gtid, 0);
    return result;
}

bool nw_target_task_dispatch(nw_slot_t *slot, int32_t gtid, nw_ident_t *loc, nw_construct_kind_t kind,
                             const nw_map_args_t *args, const nw_region_launch_t *launch)
{
    nw_core_device_t *device = nw_target_task_device(slot);
    if (!device)
        return false;
    if (NW_UNLIKELY(slot->captures)) {
        slot->captured = nw_capture_arguments(args);
        if (!slot->captured)
            nw_fatal(loc, "%s", nw_status_text(NW_ERR_NO_MEMORY));
        return true;
    }
    nw_op_t *op = &slot->op;
    NW_ASSERT_ALWAYS(nw_op_state(op) == NW_OP_IDLE);
    if (!slot->plugin)
        slot->kind = nw_capture_needed(args) ? NW_ENTRY_CAPTURES : NW_ENTRY_DISPATCHES;
    if (slot->captured && slot->captured_stack)
        nw_capture_redirect(slot->captured, args);
    bool asynchronous = slot->form == NW_TASK_PROXY || slot->form == NW_TASK_DETACHED;
    slot->waits = slot->form == NW_TASK_BLOCK || (asynchronous && self.reduces);
    nw_op_begin(op, device, loc);
    nw_stats_region_begins();
    nw_stats_count(slot == self.launching ? NW_STAT_DISPATCHED_EARLY : NW_STAT_DISPATCHED_BY_LIBOMP);
    if (asynchronous && !slot->waits) {
        slot->dispatched = true;
        op->completed = operation_completed;
        atomic_store_explicit(&slot->holds, 2, memory_order_relaxed);
    } else {
        op->completed = operation_ended;
    }
    nw_construct_decide(op, kind, args, launch);
    /* The decision has copied what is private. */
    if (NW_UNLIKELY(slot->captured != NULL))
        nw_capture_free(slot->captured);
    slot->captured = NULL;
    nw_op_submit(op);
    if (slot->waits)
        nw_op_wait(op);
    else if (slot->form == NW_TASK_REQUEUE)
        nw_requeue_after_dispatch(op, gtid);
    return true;
}
