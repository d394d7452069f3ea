/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the fake libomp offers: the table of functions, in the place of tasking/libomp.c. */
#include "support/fake_libomp_state.h"

bool fake_cancellation_allowed;

void fake_libomp_allow_cancellation(void)
{
    fake_cancellation_allowed = true;
}

static int32_t task(nw_ident_t *loc, int32_t gtid, void *head)
{
    (void)loc;
    schedule_point();
    fake_omp_task(fake_thread(gtid), fake_task_of(head), true);
    schedule_point();
    return 0;
}

/* In a team of one thread dependences count for nothing until it has had a task that ends elsewhere. */
static bool ignores_deps(const fake_thread_t *thread)
{
    return thread->current->team_serial && !(thread->task_team && thread->task_team->found_proxy_tasks);
}

static int32_t task_with_deps(nw_ident_t *loc, int32_t gtid, void *head, int32_t n_deps,
                              struct nowait_depend_info *deps, int32_t n_noalias, struct nowait_depend_info *noalias)
{
    (void)loc;
    schedule_point();
    fake_thread_t *thread = fake_thread(gtid);
    fake_task_t *new_task = fake_task_of(head);
    if (!ignores_deps(thread) && n_deps + n_noalias > 0) {
        new_task->node = fake_new_node();
        if (fake_check_deps(new_task->node, new_task, &thread->current->table, n_deps, deps, n_noalias, noalias)) {
            schedule_point();
            return 0;
        }
    }
    fake_omp_task(thread, new_task, true);
    schedule_point();
    return 0;
}

static void taskwait_deps(nw_ident_t *loc, int32_t gtid, int32_t n_deps, struct nowait_depend_info *deps,
                          int32_t n_noalias, struct nowait_depend_info *noalias, int32_t no_wait)
{
    (void)loc;
    (void)no_wait;
    schedule_point();
    fake_thread_t *thread = fake_thread(gtid);
    /* The order of the real one's questions makes a team of one without task team look at its dependences. */
    bool ignores = thread->task_team && ignores_deps(thread);
    if (n_deps + n_noalias == 0 || ignores || !thread->current->table)
        return;
    fake_node_t *node = fake_new_node();
    if (fake_check_deps(node, NULL, &thread->current->table, n_deps, deps, n_noalias, noalias))
        fake_wait_for(thread, &node->predecessors);
}

static int32_t taskwait(nw_ident_t *loc, int32_t gtid)
{
    (void)loc;
    fake_thread_t *thread = fake_thread(gtid);
    fake_task_t *current = thread->current;
    schedule_point();
    current->waits = true;
    if (!current->team_serial || (thread->task_team && thread->task_team->found_proxy_tasks))
        fake_wait_for(thread, &current->incomplete_children);
    current->waits = false;
    schedule_point();
    return 0;
}

static int32_t taskyield(nw_ident_t *loc, int32_t gtid, int32_t end_part)
{
    (void)loc;
    (void)end_part;
    fake_thread_t *thread = fake_thread(gtid);
    bool finished = false, any = false;
    fake_task_t *current = thread->current;
    current->waits = true;
    if (!current->team_serial && thread->task_team && thread->task_team->found_tasks)
        any = fake_execute_tasks(thread, NULL, NULL, false, &finished, true);
    current->waits = false;
    if (!any)
        schedule_point();
    return 0;
}

static void task_begin_if0(nw_ident_t *loc, int32_t gtid, void *head)
{
    (void)loc;
    fake_task_t *begun = fake_task_of(head);
    begun->untied_count += !begun->tied;
    begun->task_serial = true;
    fake_thread(gtid)->current = begun;
    schedule_point();
}

static void task_complete_if0(nw_ident_t *loc, int32_t gtid, void *head)
{
    (void)loc;
    fake_task_t *ended = fake_task_of(head);
    fake_finish_task(fake_thread(gtid), ended, ended->parent);
    schedule_point();
}

static void *task_allow_completion_event(nw_ident_t *loc, int32_t gtid, nw_kmp_task_t *head)
{
    (void)loc;
    (void)gtid;
    fake_task_t *of = fake_task_of(head);
    of->allows_completion = true;
    return &of->allows_completion;
}

static void fulfill_event(void *event)
{
    fake_task_t *of = (fake_task_t *)((char *)event - offsetof(fake_task_t, allows_completion));
    fake_touch(of, "its event");
    if (!of->allows_completion)
        return;
    bool detached = of->proxy;
    of->allows_completion = false;
    schedule_point();
    if (!detached)
        return;
    const fake_thread_t *thread = fake_known_thread(fake_gtid_if_known());
    if (thread && thread->team == of->team)
        fake_complete_in_place(thread->gtid, &of->head);
    else
        fake_complete_out_of_order(&of->head);
}

void *fake_libomp_event(nw_kmp_task_t *head)
{
    fake_task_of(head)->programs_own = true;
    return task_allow_completion_event(NULL, fake_gtid_if_known(), head);
}

bool fake_libomp_may_fulfill(const void *event)
{
    return !((const fake_task_t *)((const char *)event - offsetof(fake_task_t, allows_completion)))->is_left;
}

static void **target_async_handle(int32_t gtid)
{
    fake_thread_t *thread = fake_known_thread(gtid);
    return thread ? &thread->current->async_handle : NULL;
}

static bool has_task_team(int32_t gtid)
{
    return fake_thread(gtid)->task_team != NULL;
}

static void taskgroup(nw_ident_t *loc, int32_t gtid)
{
    (void)loc;
    fake_task_t *current = fake_thread(gtid)->current;
    fake_group_t *group = fake_new(sizeof *group);
    group->outer = current->group;
    current->group = group;
    schedule_point();
}

static void end_taskgroup(nw_ident_t *loc, int32_t gtid)
{
    (void)loc;
    fake_thread_t *thread = fake_thread(gtid);
    fake_task_t *current = thread->current;
    current->waits = true;
    if (!current->team_serial || (thread->task_team && thread->task_team->found_proxy_tasks))
        fake_wait_for(thread, &current->group->count);
    current->waits = false;
    if (current->group->count != 0)
        schedule_fail("a taskgroup ends with %d tasks", current->group->count);
    current->group = current->group->outer;
    schedule_point();
}

void fake_libomp_cancel_taskgroup(void)
{
    fake_thread(fake_gtid_if_known())->current->group->cancelled = fake_cancellation_allowed;
    schedule_point();
}

static nw_kmp_task_t *target_task_alloc(nw_ident_t *loc, int32_t gtid, int32_t flags, size_t sizeof_task,
                                        size_t sizeof_shareds, nowait_task_entry_t entry, int64_t device)
{
    (void)device;
    return fake_task_alloc(loc, gtid, flags & ~NW_KMP_TIED, sizeof_task, sizeof_shareds, entry);
}

static int32_t global_thread_num(nw_ident_t *loc)
{
    (void)loc;
    return fake_libomp_gtid();
}

static int32_t return_0(void)
{
    return 0;
}

static int32_t target_offload(void)
{
    return 1;
}

static void ignore(int32_t number)
{
    (void)number;
}

static int32_t cancellation(void)
{
    return fake_cancellation_allowed;
}

static int32_t in_explicit_task(void)
{
    const fake_thread_t *thread = fake_known_thread(fake_gtid_if_known());
    return thread && !thread->current->implicit;
}

static int32_t num_threads(void)
{
    const fake_thread_t *thread = fake_known_thread(fake_gtid_if_known());
    return thread ? thread->team->n : 1;
}

static const nw_libomp_t table = {
    .file = "the fake libomp",
    .task_alloc = fake_task_alloc,
    .target_task_alloc = target_task_alloc,
    .task = task,
    .task_with_deps = task_with_deps,
    .taskgroup = taskgroup,
    .end_taskgroup = end_taskgroup,
    .taskwait = taskwait,
    .taskwait_deps = taskwait_deps,
    .task_begin_if0 = task_begin_if0,
    .task_complete_if0 = task_complete_if0,
    .taskyield = taskyield,
    .global_thread_num = global_thread_num,
    .proxy_task_completed = fake_complete_out_of_order,
    .proxy_task_completed_in_place = fake_complete_in_place,
    .task_allow_completion_event = task_allow_completion_event,
    .fulfill_event = fulfill_event,
    .target_async_handle = target_async_handle,
    .has_task_team = has_task_team,
    .target_offload = target_offload,
    .default_device = return_0,
    .set_default_device = ignore,
    .cancellation = cancellation,
    .in_final = return_0,
    .in_explicit_task = in_explicit_task,
    .num_threads = num_threads,
};

const nw_libomp_t *nw_libomp(void)
{
    return &table;
}

const nw_libomp_t *nw_libomp_if_loaded(void)
{
    return &table;
}

const void *nw_libomp_current_task(int32_t gtid)
{
    return target_async_handle(gtid);
}

int32_t nw_libomp_empty_routine(int32_t gtid, void *head)
{
    (void)gtid;
    (void)head;
    return 0;
}
