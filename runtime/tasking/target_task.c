/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/target_task.h"

#include <string.h>

#include "core/stats.h"
#include "core/tool.h"
#include "support/clock.h"
#include "support/log.h"
#include "support/settings.h"
#include "tasking/completion.h"
#include "tasking/dependence_wait.h"
#include "tasking/entry_kinds.h"
#include "tasking/gate.h"
#include "tasking/launcher.h"
#include "tasking/pin.h"
#include "tasking/policy.h"
#include "tasking/reduction_copies.h"
#include "tasking/requeue.h"
#include "tasking/shutdown.h"
#include "tasking/task_form.h"
#include "tasking/task_trace.h"
#include "tasking/tool_dependences.h"

/* Map entries that a slot has room for when nothing is known of the region. */
#define DEFAULT_MAPS 16

/* A construct that is handing its task to libomp. */
typedef struct launch {
    nw_slot_t *slot;
    bool started; /* and libomp still looks at the task: the construct gives up the entry's hold */
} launch_t;

static _Thread_local struct {
    nw_slot_t *current; /* whose entry is running */
    launch_t *launch;   /* the construct in progress, innermost */
    bool reduces;       /* the entry that is running reads a reduction's copy */
} self;

static int32_t routine(int32_t gtid, void *task_memory);

nw_slot_t *nw_target_task_slot(const nw_kmp_task_t *task)
{
    /* The last word before the shared variables; see nw_target_task_alloc. */
    return ((nw_slot_t **)task->shareds)[-1];
}

nw_slot_t *nw_target_task_current(void)
{
    return self.current;
}

bool nw_target_task_is_ours(const nw_kmp_task_t *task)
{
    return task->routine == routine;
}

void nw_target_task_warn_bypassed(const nw_ident_t *loc)
{
    static _Atomic bool warned;
    if (!atomic_exchange_explicit(&warned, true, memory_order_relaxed))
        nw_log_at(NW_LOG_WARNING, loc,
                  "deferred regions wait for their device, since libomp comes before libnowait in "
                  "the search order; link with -lnowait first, or start with nowait-run");
}

void nw_target_task_note_reduction(void)
{
    self.reduces = true;
}

nw_core_device_t *nw_target_task_device(const nw_slot_t *slot)
{
    /* Its construct has opened it. What has been registered since is not the region's, and this may be a thread of a
     * device's, for which somebody with the loader's lock waits. */
    nw_core_device_t *device = slot->device == NW_HOST_DEVICE ? NULL : nw_devices_ready(slot->device);
    return NW_LIKELY(device) ? device : nw_policy_open(slot->loc, slot->device);
}

void nw_target_task_after_fork(void)
{
    nw_completion_after_fork();
    nw_launcher_after_fork();
    nw_team_wait_after_fork();
    nw_graph_after_fork();
}

static void operation_completed(nw_op_t *op)
{
    nw_slot_t *slot = (nw_slot_t *)((char *)op - offsetof(nw_slot_t, op));
    /* What is left of a region that was dispatched early is the launcher's to run, so it must not sleep any more. */
    nw_launcher_t *launcher = nw_slot_frees_launcher_early(slot) ? slot->launcher : NULL;
    nw_node_t *node = slot->node;
    slot->node = NULL;
    NW_ORDER(ends(&slot->order, slot->task));
    /* What follows it on a device comes first. */
    if (node)
        nw_node_over(node);
    nw_completion_release(slot);
    if (launcher)
        nw_launcher_region_ends(launcher);
}

/* In requeue mode a query finishes the task: the operation may be gone by now. */
static void operation_ended(nw_op_t *op)
{
    (void)op;
    nw_stats_region_ends();
}

/* Remembers what a run of the entry has shown. */
static void learn(nw_slot_t *slot, nw_entry_kind_t kind)
{
    if (NW_LIKELY(kind == (nw_entry_kind_t)slot->kind))
        return;
    slot->kind = (uint8_t)kind;
    nw_entry_kind_learn(slot->entry, kind);
}

static void run_entry(nw_slot_t *slot, int32_t gtid)
{
    nw_slot_t *outer = self.current;
    bool outer_reduces = self.reduces;
    self.current = slot;
    self.reduces = false;
    if (slot->depends && !slot->captures)
        NW_ORDER(starts(&slot->order));
    nw_reduction_entry_begins(slot->task);
    slot->entry(gtid, slot->task);
    nw_reduction_entry_ends();
    self.current = outer;
    self.reduces = outer_reduces;
}

/* The region's turn in its graph: runs its entry. */
static void decide(nw_node_t *node)
{
    nw_slot_t *slot = node->task;
    run_entry(slot, slot->gtid);
    if (slot->dispatched)
        return;
    node->task = NULL;
    nw_completion_release(slot);
}

/* All that the node follows is over. */
static void start(nw_node_t *node)
{
    nw_slot_t *slot = node->task;
    if (node->kind == NW_NODE_GATE) {
        nw_gate_open(node);
    } else if (node->kind == NW_NODE_WAIT) {
        nw_dependence_met(node);
    } else if (node->kind == NW_NODE_CALL) {
        run_entry(slot, slot->gtid);
        nw_completion_release(slot);
    } else if (slot) {
        nw_op_unblock(&slot->op, node->n_edges > 0);
    }
}

void nw_target_task_prepare(void)
{
    nw_graph_set_calls(&(nw_graph_calls_t){.decide = decide, .start = start});
}

/* Runs the task's entry, now or when its place in the graph allows. */
static void enter(nw_slot_t *slot, int32_t gtid)
{
    nw_node_t *node = slot->node;
    slot->entered = true;
    if (slot->ordered)
        nw_graph_entered(node);
    else
        run_entry(slot, gtid);
}

/* What libomp runs for every target task. */
static int32_t routine(int32_t gtid, void *task_memory)
{
    nw_slot_t *slot = nw_target_task_slot(task_memory);
    if (!slot->entered)
        enter(slot, gtid);
    if (NW_UNLIKELY(slot->kind == NW_ENTRY_UNKNOWN && slot->device != NW_HOST_DEVICE))
        learn(slot, NW_ENTRY_HOST_ONLY);
    bool in_construct = self.launch && self.launch->slot == slot;
    switch ((nw_task_form_t)slot->form) {
    case NW_TASK_PROXY:
        if (NW_LIKELY(in_construct))
            self.launch->started = true;
        else
            nw_completion_release(slot);
        break;
    case NW_TASK_DETACHED:
        /* If the operation is over already, the task ends with this call like any other. */
        if (atomic_load_explicit(&slot->holds, memory_order_acquire) > 1)
            nw_completion_detach(slot, gtid);
        nw_completion_leave(slot);
        break;
    case NW_TASK_BLOCK:
    case NW_TASK_HOST:
        NW_ORDER(ends(&slot->order, slot->task));
        if (slot->node)
            nw_node_over(slot->node);
        break;
    case NW_TASK_REQUEUE:
        NW_ORDER(ends(&slot->order, slot->task));
        break;
    }
    return 0;
}

/* Asks libomp for a task of this form. */
static nw_kmp_task_t *alloc_task(const nw_task_request_t *request, nw_task_form_t form, size_t size, size_t shareds,
                                 bool tool)
{
    const nw_libomp_t *omp = nw_libomp();
    /* Target tasks are untied (OpenMP 5.2, 13.8). Destructors: see destroy. */
    int32_t flags = request->flags & ~NW_KMP_TIED;
    if (NW_UNLIKELY(tool))
        flags |= NW_KMP_TARGET;
    int32_t no_destructors = flags & ~NW_KMP_DESTRUCTORS;
    switch (form) {
    case NW_TASK_REQUEUE:
        return omp->target_task_alloc(request->loc, request->gtid, no_destructors, size, shareds, routine,
                                      request->device);
    case NW_TASK_PROXY:
        flags = no_destructors | NW_KMP_PROXY;
        break;
    case NW_TASK_DETACHED:
        flags = no_destructors | NW_KMP_DETACHABLE;
        break;
    case NW_TASK_BLOCK:
    case NW_TASK_HOST:
        flags = nw_launcher_host_flags(flags);
        break;
    }
    return omp->task_alloc(request->loc, request->gtid, flags, size, shareds, routine);
}

nw_kmp_task_t *nw_target_task_alloc(const nw_task_request_t *request)
{
    nw_shutdown_prepare();
    int64_t device = nw_policy_device(request->loc, request->device);
    nw_entry_kind_t kind = request->plugin ? NW_ENTRY_DISPATCHES : nw_entry_kind_get(request->entry);
    bool tool = nw_tool_attached();
    if (NW_UNLIKELY(tool))
        nw_task_find_tool_data(request->loc, request->gtid);
    nw_task_form_t form = nw_task_form_choose(request, device, kind);
    /* Here, not on a thread of a device. That it can't be opened matters only if the region wants it. */
    if (NW_LIKELY(device != NW_HOST_DEVICE))
        (void)nw_devices_get(device);
    uint32_t n_maps = form == NW_TASK_HOST ? 0 : request->plugin ? request->n_maps : DEFAULT_MAPS;
    size_t slot_offset = NOWAIT_SLOT_OFFSET(request->sizeof_task);
    /* The slot, and a word that leads from the shared variables behind it back to the slot. */
    size_t slot_size = (offsetof(nw_slot_t, op) + nw_op_size(n_maps) + sizeof(nw_slot_t *) + 15) / 16 * 16;
    /* Between the two, what the tool is told about. */
    if (NW_UNLIKELY(tool))
        slot_size += (sizeof(nw_tool_region_t) + 15) / 16 * 16;
    /* The pointer to the shared variables is the way back to the slot, so there always are some. */
    size_t shareds = request->sizeof_shareds ? request->sizeof_shareds : sizeof(void *);
    nw_kmp_task_t *task = alloc_task(request, form, slot_offset + slot_size, shareds, tool);
    NW_ORDER(reused(task));
    nw_slot_t *slot = (nw_slot_t *)((char *)task + slot_offset);
    /* All but the operation, which has an initialiser of its own. */
    memset(slot, 0, offsetof(nw_slot_t, op));
    slot->task = task;
    slot->entry = request->entry;
    slot->loc = request->loc;
    slot->device = form == NW_TASK_HOST ? NW_HOST_DEVICE : device;
    slot->flags = request->flags;
    slot->form = (uint8_t)form;
    slot->plugin = request->plugin;
    slot->calls = request->calls;
    slot->gtid = request->gtid;
    slot->kind = (uint8_t)kind;
    slot->private_size = request->sizeof_task - sizeof(nw_kmp_task_t);
    atomic_store_explicit(&slot->holds, 1, memory_order_relaxed);
    nw_op_init(&slot->op, n_maps);
    if (NW_UNLIKELY(tool) && form != NW_TASK_HOST) {
        slot->op.work.tool = (nw_tool_region_t *)((char *)slot + offsetof(nw_slot_t, op) + nw_op_size(n_maps));
        nw_tool_region_init(slot->op.work.tool);
    }
    if (nw_trace_on() && form != NW_TASK_HOST)
        slot->op.work.trace = (nw_trace_mark_t){.op = nw_trace_new_op(), .since = nw_clock_ns()};
    ((nw_slot_t **)task->shareds)[-1] = slot;
    nw_launcher_note_target_task();
    return task;
}

/* Saves the firstprivate variables of a task that does not start inside its construct; see capture.h. */
static void capture(nw_slot_t *slot, int32_t gtid)
{
    if (slot->plugin || slot->form == NW_TASK_HOST || slot->kind == NW_ENTRY_DISPATCHES)
        return;
    if (slot->kind == NW_ENTRY_UNKNOWN) {
        slot->captured = nw_capture_stack(slot->task + 1, slot->private_size);
        slot->captured_stack = true;
        return;
    }
    slot->captures = true;
    run_entry(slot, gtid);
    slot->captures = false;
    slot->captured_stack = false;
}

/* Whether its task stays incomplete until the runtime says otherwise. */
static bool is_completed_by_us(const nw_slot_t *slot)
{
    return slot->form == NW_TASK_PROXY || slot->form == NW_TASK_DETACHED;
}

/* Whether the runtime's own graph alone orders the task. libomp does it for tasks that it has to run itself, and for
 * those behind host tasks whose end can't be seen. */
static bool is_ours_to_order(const nw_slot_t *slot, nw_graph_t *graph, const nw_dependence_lists_t *lists)
{
    if (!is_completed_by_us(slot) || slot->kind == NW_ENTRY_UNKNOWN)
        return false;
    return NW_LIKELY(!nw_graph_has_open_hosts(graph)) || !(nw_graph_look(graph, lists) & NW_FOLLOWS_OPEN_HOST);
}

/* Takes the task's place in the graph. */
static void order(nw_slot_t *slot, nw_graph_t *graph, const nw_dependence_lists_t *lists)
{
    nw_node_t *node = nw_graph_enter(graph, slot->calls ? NW_NODE_CALL : NW_NODE_REGION, lists, NULL);
    if (NW_UNLIKELY(!node))
        nw_fatal(slot->loc, "%s", nw_status_text(NW_ERR_NO_MEMORY));
    node->task = slot;
    node->trace = slot->op.work.trace.op;
    slot->node = node;
    /* Its routine may be over before its entry has run: that, and the operation, have a hold of their own. */
    atomic_store_explicit(&slot->holds, 2, memory_order_relaxed);
}

/* Whether it has to wait for a thread of the program before it is decided. */
static bool is_undecided(const nw_slot_t *slot)
{
    return slot->node && nw_node_is_undecided(slot->node);
}

/* A detached task without an operation counted as free running, and is none: libomp leaves its end to the team. */
static void give_up_free_running(nw_slot_t *slot)
{
    nw_launcher_region_ends(slot->launcher);
    slot->launcher = NULL;
    nw_launcher_note_other_task();
}

/*
 * Starts a task of which libomp has no dependences inside its construct, if its place in the graph allows, and hands it
 * to libomp. It is not started here if it may be cancelled, since what libomp drops must not have begun; nor with a
 * tool, which must hear of the task first.
 */
static int32_t submit_free(nw_slot_t *slot, nw_ident_t *loc, int32_t gtid, const nw_dependence_lists_t *lists)
{
    bool tells = slot->ordered && slot->op.work.tool;
    bool undecided = is_undecided(slot);
    bool enters = !slot->op.work.tool && slot->kind != NW_ENTRY_UNKNOWN && !nw_task_may_be_cancelled();
    bool starts = !undecided && (enters || slot->form == NW_TASK_PROXY);
    launch_t launch = {.slot = slot}, *outer = self.launch;
    int32_t result = 0;
    if (NW_LIKELY(starts)) {
        slot->launcher = nw_launcher_region_begins(nw_libomp_current_task(gtid));
    } else {
        nw_launcher_note_other_task();
        capture(slot, gtid);
    }
    /* The tool hears of the dependences when it has heard of the task. */
    if (NW_UNLIKELY(tells))
        (void)nw_completion_hold(slot);
    self.launch = &launch;
    if (enters)
        enter(slot, gtid);
    if (slot->launcher && slot->form == NW_TASK_DETACHED && !slot->dispatched)
        give_up_free_running(slot);
    if (enters && slot->in_place)
        launch.started = true;
    else if (slot->in_place || slot->relayed)
        result = nw_libomp()->task(loc, gtid, slot->task);
    else
        result = nw_pin_submit(loc, gtid, slot->task, 0, NULL, 0, NULL);
    self.launch = outer;
    if (NW_UNLIKELY(tells)) {
        nw_tool_tell_dependences(loc, nw_task_tool_data(slot), lists);
        nw_completion_release(slot);
    }
    /* Otherwise the task may be over and its slot gone. */
    if (launch.started)
        nw_completion_release(slot);
    return result;
}

/* Hands libomp a task that it runs itself. */
static int32_t submit_plain(nw_slot_t *slot, nw_ident_t *loc, int32_t gtid)
{
    nw_launcher_note_other_task();
    capture(slot, gtid);
    return nw_libomp()->task(loc, gtid, slot->task);
}

/* Hands libomp a task with its dependences. */
static int32_t submit_ordered(nw_slot_t *slot, nw_graph_t *graph, nw_ident_t *loc, int32_t gtid,
                              const nw_dependence_lists_t *lists)
{
    nw_gated_t gated = {.lists = *lists};
    slot->depends = true;
    nw_launcher_note_other_task();
    capture(slot, gtid);
    if (graph) {
        nw_gate_before(&gated, graph, loc, gtid, slot->task, lists, NW_NODE_HOST, &slot->node);
        nw_graph_entered(slot->node);
    }
    const nw_dependence_lists_t *d = &gated.lists;
    launch_t launch = {.slot = slot}, *outer = self.launch;
    self.launch = &launch;
    int32_t result =
        !is_completed_by_us(slot)
            ? nw_libomp()->task_with_deps(loc, gtid, slot->task, d->n, d->list, d->n_noalias, d->noalias)
        : slot->relayed ? nw_unpinned_submit(loc, gtid, slot->task, d->n, d->list, d->n_noalias, d->noalias)
                        : nw_pin_submit(loc, gtid, slot->task, d->n, d->list, d->n_noalias, d->noalias);
    self.launch = outer;
    if (launch.started)
        nw_completion_release(slot);
    nw_gated_free(&gated);
    return result;
}

int32_t nw_target_task_submit(nw_ident_t *loc, int32_t gtid, nw_kmp_task_t *task, bool has_deps, int32_t n_deps,
                              struct nowait_depend_info *deps, int32_t n_noalias, struct nowait_depend_info *noalias)
{
    int64_t begin = NW_UNLIKELY(nw_settings.stats) ? nw_clock_ns() : 0;
    nw_slot_t *slot = nw_target_task_slot(task);
    nw_trace_mark_t mark = slot->op.work.trace;
    const nw_dependence_lists_t lists = {.n = n_deps, .list = deps, .n_noalias = n_noalias, .noalias = noalias};
    nw_graph_t *graph = has_deps && nw_task_graph_is_used() ? nw_task_graph(loc, gtid) : NULL;
    NW_ORDER(submitted(&slot->order, nw_libomp_current_task(gtid), n_deps, deps));
    slot->relayed = slot->form == NW_TASK_DETACHED && nw_libomp()->num_threads() > 1;
    if (slot->relayed)
        slot->team_regions = nw_team_region_begins(nw_libomp_current_task(gtid));
    slot->ordered = graph && is_ours_to_order(slot, graph, &lists);
    bool free = is_completed_by_us(slot) && (slot->ordered || !has_deps);
    if (NW_UNLIKELY(slot->op.work.tool != NULL))
        nw_tool_region_submitted(slot->op.work.tool);
    if (slot->ordered)
        order(slot, graph, &lists);
    slot->in_place = free && slot->form == NW_TASK_PROXY && nw_launcher_completes_in_place();
    int32_t result = free       ? submit_free(slot, loc, gtid, &lists)
                     : has_deps ? submit_ordered(slot, graph, loc, gtid, &lists)
                                : submit_plain(slot, loc, gtid);
    if (NW_UNLIKELY(begin))
        nw_stats_dispatch(nw_clock_ns() - begin);
    if (NW_UNLIKELY(mark.op))
        nw_task_trace_construct(mark, loc);
    return result;
}

/* Makes the slot's operation ready to be decided, and sees to it that its end completes the task. */
static void begin_dispatch(nw_slot_t *slot, nw_core_device_t *device, nw_ident_t *loc)
{
    nw_op_t *op = &slot->op;
    NW_ASSERT_ALWAYS(nw_op_state(op) == NW_OP_IDLE);
    bool asynchronous = is_completed_by_us(slot);
    bool early = self.launch && self.launch->slot == slot;
    slot->waits = slot->form == NW_TASK_BLOCK || self.reduces;
    nw_op_begin(op, device, loc);
    if (slot->ordered) {
        NW_ASSERT_ALWAYS(!slot->waits);
        nw_op_block(op);
        op->follows = slot->node->n_edges > 0;
    }
    op->work.on_device = nw_launcher_on_device(slot->launcher);
    if (NW_UNLIKELY(op->work.trace.op))
        nw_task_trace_dispatch(&op->work, slot->depends && !early);
    nw_stats_region_begins();
    nw_stats_count(early ? NW_STAT_DISPATCHED_EARLY : NW_STAT_DISPATCHED_BY_LIBOMP);
    if (asynchronous && !slot->waits) {
        slot->dispatched = true;
        op->completed = operation_completed;
        if (!slot->ordered)
            atomic_store_explicit(&slot->holds, 2, memory_order_relaxed);
    } else if (!slot->waits) {
        op->completed = operation_ended;
    }
}

/* Submits the decided operation, and does what the task's form asks for after that. */
static void end_dispatch(nw_slot_t *slot, int32_t gtid)
{
    nw_op_t *op = &slot->op;
    if (NW_UNLIKELY(op->work.trace.op))
        nw_task_trace_dispatched(&op->work);
    nw_op_submit(op);
    if (slot->waits) {
        /* The region runs on a device's thread all the same: libomp refuses a teams construct inside a team's task. */
        nw_op_wait(op);
        nw_stats_region_ends();
    } else if (slot->form == NW_TASK_REQUEUE) {
        nw_requeue_after_dispatch(op, gtid);
    }
}

bool nw_target_task_dispatch_transfer(nw_slot_t *slot, int32_t gtid, nw_ident_t *loc, const nw_transfer_t *transfer)
{
    nw_core_device_t *device = nw_target_task_device(slot);
    if (!device)
        return false;
    begin_dispatch(slot, device, loc);
    /* For a tool this is no region, but its copy is told. */
    if (NW_UNLIKELY(slot->op.work.tool != NULL))
        slot->op.work.tool->target_task = nw_task_tool_data(slot);
    nw_transfer_decide(&slot->op, transfer);
    end_dispatch(slot, gtid);
    return true;
}

/* What the run of an entry that dispatches says of it. */
static nw_entry_kind_t kind_of_run(const nw_map_args_t *args)
{
    return self.reduces ? NW_ENTRY_REDUCES : nw_capture_needed(args) ? NW_ENTRY_CAPTURES : NW_ENTRY_DISPATCHES;
}

static void capture_arguments(nw_slot_t *slot, const nw_ident_t *loc, const nw_map_args_t *args)
{
    if (!nw_capture_needed(args))
        return;
    slot->captured = nw_capture_arguments(args);
    if (!slot->captured)
        nw_fatal(loc, "%s", nw_status_text(NW_ERR_NO_MEMORY));
}

bool nw_target_task_dispatch(nw_slot_t *slot, int32_t gtid, nw_ident_t *loc, nw_construct_kind_t kind,
                             const nw_map_args_t *args, const nw_region_launch_t *launch)
{
    nw_core_device_t *device = nw_target_task_device(slot);
    if (!device)
        return false;
    if (!slot->plugin)
        learn(slot, kind_of_run(args));
    if (NW_UNLIKELY(slot->captures)) {
        capture_arguments(slot, loc, args);
        return true;
    }
    if (slot->captured && slot->captured_stack)
        nw_capture_redirect(slot->captured, args);
    bool alone = NW_UNLIKELY(nw_reduction_noted()) && nw_reduction_redirect(gtid, args);
    begin_dispatch(slot, device, loc);
    if (NW_UNLIKELY(slot->op.work.tool != NULL))
        nw_tool_region_begin(&slot->op, kind, nw_task_tool_data(slot));
    nw_construct_decide(&slot->op, kind, args, launch);
    /* The decision has copied what is private. */
    if (NW_UNLIKELY(slot->captured != NULL))
        nw_capture_free(slot->captured);
    slot->captured = NULL;
    end_dispatch(slot, gtid);
    if (NW_UNLIKELY(alone))
        nw_reduction_release();
    return true;
}
