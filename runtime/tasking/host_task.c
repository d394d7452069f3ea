/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/host_task.h"

#include <string.h>

#include "core/tool.h"
#include "support/log.h"
#include "tasking/dependences.h"
#include "tasking/launcher.h"
#include "tasking/thread_end.h"

/* The task that this thread has made last, if it has flags of ours, and how: a taskloop follows its allocation. */
static _Thread_local struct {
    nw_kmp_task_t *task;
    int32_t flags; /* as compiled code asked for */
    size_t sizeof_task, sizeof_shareds;
} last;

nw_kmp_task_t *nw_host_task_alloc(nw_ident_t *loc, int32_t gtid, int32_t flags, size_t sizeof_task,
                                  size_t sizeof_shareds, nowait_task_entry_t entry)
{
    int32_t all_flags = nw_launcher_host_flags(flags);
    nw_kmp_task_t *task = nw_libomp()->task_alloc(loc, gtid, all_flags, sizeof_task, sizeof_shareds, entry);
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

int32_t nw_host_task_with_deps(nw_ident_t *loc, int32_t gtid, nw_kmp_task_t *task, int32_t n_deps,
                               struct nowait_depend_info *deps, int32_t n_noalias, struct nowait_depend_info *noalias)
{
    (void)nw_thread_end_expect();
    nw_launcher_note_host_task();
    nw_launcher_before_dependences(true);
    nw_dependences_note_host(nw_libomp_current_task(gtid), n_deps, deps);
    return nw_libomp()->task_with_deps(loc, gtid, task, n_deps, deps, n_noalias, noalias);
}
