/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/host_task.h"

#include <string.h>

#include "core/tool.h"
#include "support/log.h"
#include "tasking/gate.h"
#include "tasking/launcher.h"
#include "tasking/libomp_order.h"
#include "tasking/task_form.h"
#include "tasking/thread_end.h"

/* The task that this thread has made last, if it has flags of ours, and how: a taskloop follows its allocation. */
static _Thread_local struct {
    nw_kmp_task_t *task;
    int32_t flags; /* as compiled code asked for */
    size_t sizeof_task, sizeof_shareds;
} last;

/* Lies in the task before its shared variables, of which there are some for that reason. */
typedef struct tail {
    nw_node_t *node;             /* in the graph */
    nowait_task_entry_t routine; /* the compiler's */
    bool open;                   /* the end of the routine is not that of the task */
} tail_t;

static tail_t *tail_of(const nw_kmp_task_t *task)
{
    return (tail_t *)task->shareds - 1;
}

/* What libomp runs for a host task in the graph. */
static int32_t run(int32_t gtid, void *task)
{
    const tail_t *tail = tail_of(task);
    nw_node_t *node = tail->node;
    int32_t result = tail->routine(gtid, task);
    nw_node_over(node);
    return result;
}

nw_kmp_task_t *nw_host_task_alloc(nw_ident_t *loc, int32_t gtid, int32_t flags, size_t sizeof_task,
                                  size_t sizeof_shareds, nowait_task_entry_t entry)
{
    int32_t all_flags = nw_launcher_host_flags(flags);
    size_t tail_offset = (sizeof_task + _Alignof(tail_t) - 1) / _Alignof(tail_t) * _Alignof(tail_t);
    nw_kmp_task_t *task =
        nw_libomp()->task_alloc(loc, gtid, all_flags, tail_offset + sizeof(tail_t),
                                sizeof_shareds > 0 ? sizeof_shareds : sizeof(void *), entry);
    NW_ORDER(reused(task));
    /* An untied task may be handed to libomp again by its routine; the program itself ends one that it can detach. */
    *tail_of(task) = (tail_t){.open = !(flags & NW_KMP_TIED) || (flags & NW_KMP_DETACHABLE)};
    /* A task's memory is used again, so a task without our flags must not be taken for an older one that had them. */
    last.task = all_flags != flags ? task : NULL;
    last.flags = flags;
    last.sizeof_task = sizeof_task;
    last.sizeof_shareds = sizeof_shareds;
    return task;
}

nw_kmp_task_t *nw_host_task_taskloop(nw_ident_t *loc, int32_t gtid, nw_kmp_task_t *task, uint64_t **lower_p,
                                     uint64_t **upper_p)
{
    if (task != last.task)
        return task;
    const nw_libomp_t *omp = nw_libomp();
    /* A copy of its contents outlives the task, which ends here without having run, so that nothing is unfinished when
     * its successor is made. */
    char contents[last.sizeof_task], shareds[last.sizeof_shareds + 1];
    memcpy(contents, task, last.sizeof_task);
    if (last.sizeof_shareds)
        memcpy(shareds, task->shareds, last.sizeof_shareds);
    size_t lower = (size_t)((char *)*lower_p - (char *)task), upper = (size_t)((char *)*upper_p - (char *)task);
    nowait_task_entry_t entry = task->routine;
    last.task = NULL;
    omp->task_begin_if0(loc, gtid, task);
    omp->task_complete_if0(loc, gtid, task);
    omp->taskwait(loc, gtid);
    nw_kmp_task_t *moved = omp->task_alloc(loc, gtid, last.flags, last.sizeof_task, last.sizeof_shareds, entry);
    void *moved_shareds = moved->shareds;
    memcpy(moved, contents, last.sizeof_task);
    moved->shareds = moved_shareds;
    if (last.sizeof_shareds)
        memcpy(moved_shareds, shareds, last.sizeof_shareds);
    *lower_p = (uint64_t *)((char *)moved + lower);
    *upper_p = (uint64_t *)((char *)moved + upper);
    return moved;
}

int32_t nw_host_task(nw_ident_t *loc, int32_t gtid, nw_kmp_task_t *task)
{
    const nw_libomp_t *omp = nw_libomp();
    nw_launcher_note_host_task();
    bool flagged = task == last.task;
    /* An untied task hands itself over again while it runs. */
    last.task = NULL;
    if (NW_LIKELY(!flagged) || !omp->in_explicit_task || !omp->in_explicit_task() || nw_tool_attached())
        return omp->task(loc, gtid, task);
    /* In a team of one libomp never frees a task that has had a child with our flags, unless the child ends detached.
     * It runs here and now. */
    void *event = omp->task_allow_completion_event(loc, gtid, task);
    int32_t result = omp->task(loc, gtid, task);
    omp->fulfill_event(event);
    return result;
}

#define NOT_HANDED_OVER INT32_MIN

/* Gives the task its place in the graph. If it has to come after regions, hands it to libomp and returns libomp's
 * answer. */
static __attribute__((noinline)) int32_t enter_graph(nw_ident_t *loc, int32_t gtid, nw_kmp_task_t *task,
                                                     const nw_dependence_lists_t lists)
{
    nw_gated_t gated;
    tail_t *tail = tail_of(task);
    nw_node_kind_t kind = tail->open ? NW_NODE_OPEN_HOST : NW_NODE_HOST;
    nw_gate_before(&gated, nw_task_graph(loc, gtid), loc, gtid, task, &lists, kind, &tail->node);
    if (!tail->open) {
        tail->routine = task->routine;
        task->routine = run;
    }
    nw_graph_entered(tail->node);
    const nw_dependence_lists_t *d = &gated.lists;
    if (NW_LIKELY(d->list == lists.list))
        return NOT_HANDED_OVER;
    int32_t result = nw_libomp()->task_with_deps(loc, gtid, task, d->n, d->list, d->n_noalias, d->noalias);
    nw_gated_free(&gated);
    return result;
}

int32_t nw_host_task_with_deps(nw_ident_t *loc, int32_t gtid, nw_kmp_task_t *task, int32_t n_deps,
                               struct nowait_depend_info *deps, int32_t n_noalias, struct nowait_depend_info *noalias)
{
    (void)nw_thread_end_expect();
    nw_launcher_note_host_task();
    if (nw_task_graph_is_used()) {
        int32_t result = enter_graph(loc, gtid, task,
                                     (nw_dependence_lists_t){
                                         .n = n_deps, .list = deps, .n_noalias = n_noalias, .noalias = noalias});
        if (NW_UNLIKELY(result != NOT_HANDED_OVER))
            return result;
    }
    /* A tail call, so that a tool hears of the program's place. */
    return nw_libomp()->task_with_deps(loc, gtid, task, n_deps, deps, n_noalias, noalias);
}
