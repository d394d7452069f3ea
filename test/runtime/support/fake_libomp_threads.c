/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fake libomp's threads, teams, queues and barriers: the rest of kmp_tasking.cpp, and kmp_barrier.cpp's gather and
 * release. */
#include <string.h>

#include "support/fake_libomp_state.h"

static fake_thread_t threads[SCHEDULE_MAX_THREADS];
static int n_threads;

static _Thread_local fake_thread_t *self;

fake_thread_t *fake_known_thread(int32_t gtid)
{
    return gtid >= 0 && gtid < n_threads ? &threads[gtid] : NULL;
}

fake_thread_t *fake_thread(int32_t gtid)
{
    fake_thread_t *thread = fake_known_thread(gtid);
    if (!thread || thread != self)
        schedule_fail("libomp is called with another thread's number, %d", gtid);
    return thread;
}

int32_t fake_gtid_if_known(void)
{
    return self ? self->gtid : -1;
}

static fake_task_team_t *new_task_team(const fake_team_t *team)
{
    fake_task_team_t *task_team = fake_new(sizeof *task_team);
    task_team->active = true;
    task_team->unfinished_threads = team->n;
    return task_team;
}

static fake_task_t *new_implicit_task(fake_team_t *team, fake_task_t *parent)
{
    fake_task_t *task = fake_new(sizeof *task);
    *task = (fake_task_t){.parent = parent,
                          .team = team,
                          .level = parent ? parent->level + 1 : 0,
                          .implicit = true,
                          .tied = true,
                          .task_serial = true,
                          .team_serial = team->serial};
    task->last_tied = task;
    return task;
}

/* A thread that libomp meets has a team of its own. */
static fake_thread_t *new_thread(fake_team_t *team, int number, fake_task_t *parent)
{
    fake_thread_t *thread = &threads[n_threads];
    *thread = (fake_thread_t){.gtid = n_threads++, .number = number, .team = team};
    team->threads[number] = thread;
    thread->task_team = team->task_teams[0];
    thread->current = new_implicit_task(team, parent);
    return thread;
}

int32_t fake_libomp_gtid(void)
{
    if (!self) {
        fake_team_t *team = fake_new(sizeof *team);
        team->n = 1;
        team->serial = true;
        self = new_thread(team, 0, NULL);
    }
    return self->gtid;
}

void fake_enable_tasking(fake_thread_t *thread, bool proxy)
{
    fake_team_t *team = thread->team;
    if (!thread->task_team) {
        if (!team->serial)
            schedule_fail("a task is made between a barrier's end and its thread's next set of queues");
        if (!team->task_teams[0])
            team->task_teams[0] = new_task_team(team);
        thread->task_team = team->task_teams[0];
    }
    thread->task_team->found_tasks = true;
    thread->task_team->queues[thread->number].made = true;
    thread->task_team->found_proxy_tasks |= proxy;
}

static void put(fake_queue_t *queue, fake_task_t *task)
{
    if (queue->n == FAKE_MAX_QUEUE)
        schedule_fail("a queue has too many tasks");
    queue->tasks[queue->n++] = task;
}

static fake_task_t *take(fake_queue_t *queue, int i)
{
    fake_task_t *task = queue->tasks[i];
    memmove(&queue->tasks[i], &queue->tasks[i + 1], (size_t)(--queue->n - i) * sizeof queue->tasks[0]);
    return task;
}

bool fake_push_task(fake_thread_t *thread, fake_task_t *task)
{
    if (!task->tied)
        task->untied_count++;
    if (task->task_serial)
        return false;
    fake_enable_tasking(thread, false);
    put(&thread->task_team->queues[thread->number], task);
    return true;
}

void fake_give_task(fake_task_t *task, int start)
{
    fake_task_team_t *task_team = task->task_team;
    int n = task->team->n;
    for (int i = 1; i <= n; i++) {
        fake_queue_t *queue = &task_team->queues[(start + i) % n];
        if (queue->made) {
            put(queue, task);
            return;
        }
    }
    schedule_fail("the team has no queue for the second half of a completion");
}

/* The task scheduling constraint, and the locks of mutexinoutset. */
static bool is_allowed(const fake_thread_t *thread, bool constrained, const fake_task_t *task)
{
    fake_touch(task, "its queue");
    const fake_task_t *waiting = thread->current->last_tied;
    if (constrained && task->tied && (!waiting->implicit || waiting->waits)) {
        const fake_task_t *parent = task->parent;
        while (parent != waiting && parent->level > waiting->level)
            parent = parent->parent;
        if (parent != waiting)
            return false;
    }
    return fake_take_locks(task->node);
}

static fake_task_t *take_own(fake_thread_t *thread, bool constrained)
{
    fake_queue_t *queue = &thread->task_team->queues[thread->number];
    if (queue->n == 0 || !is_allowed(thread, constrained, queue->tasks[queue->n - 1]))
        return NULL;
    return take(queue, queue->n - 1);
}

static fake_task_t *steal(fake_thread_t *thread, bool constrained, bool *finished)
{
    fake_task_team_t *task_team = thread->task_team;
    int victims[FAKE_MAX_TEAM], n = 0;
    for (int i = 0; i < thread->team->n; i++) {
        if (i != thread->number && task_team->queues[i].n > 0)
            victims[n++] = i;
    }
    if (n == 0)
        return NULL;
    fake_queue_t *queue = &task_team->queues[victims[schedule_choose((uint32_t)n)]];
    for (int i = 0; i < queue->n; i++) {
        if (is_allowed(thread, constrained, queue->tasks[i])) {
            task_team->unfinished_threads += *finished;
            *finished = false;
            return take(queue, i);
        }
        if (!task_team->untied_task_encountered)
            return NULL;
    }
    return NULL;
}

bool fake_execute_tasks(fake_thread_t *thread, fake_done_t done, const void *argument, bool final_spin, bool *finished,
                        bool constrained)
{
    bool any = false, own = true;
    fake_task_team_t *task_team = thread->task_team;
    while (task_team) {
        schedule_point();
        fake_task_t *task = own ? take_own(thread, constrained) : NULL;
        if (!task && thread->team->n > 1) {
            own = false;
            task = steal(thread, constrained, finished);
        }
        if (!task)
            break;
        any = true;
        fake_invoke_task(thread, task);
        if (!done || (!final_spin && done(argument)))
            return true;
        if (!thread->task_team)
            return any;
        own = own || task_team->queues[thread->number].n > 0;
    }
    schedule_point();
    if (task_team && final_spin && thread->current->incomplete_children == 0 && !*finished) {
        task_team->unfinished_threads--;
        *finished = true;
    }
    return any;
}

static bool is_zero(const void *count)
{
    return *(const int *)count == 0;
}

void fake_wait_for(fake_thread_t *thread, const int *count)
{
    bool finished = false;
    schedule_point();
    while (*count != 0) {
        if (!fake_execute_tasks(thread, is_zero, count, false, &finished, true) && *count != 0)
            schedule_pause();
    }
}

/* A worker's part of a barrier: waits for the release, or for the end of the team. */
static bool is_released(const void *thread_memory)
{
    const fake_thread_t *thread = thread_memory;
    return thread->team->released > thread->task_state || thread->team->ended;
}

static void wait_for_release(fake_thread_t *thread)
{
    bool finished = false;
    thread->team->arrived++;
    schedule_point();
    while (!is_released(thread)) {
        bool any = false;
        if (thread->task_team && !thread->task_team->active)
            thread->task_team = NULL;
        else if (thread->task_team && thread->task_team->found_tasks)
            any = fake_execute_tasks(thread, is_released, thread, true, &finished, false);
        if (!any && !is_released(thread))
            schedule_pause();
    }
}

static bool all_have_arrived(const void *team_memory)
{
    const fake_team_t *team = team_memory;
    return team->arrived == team->n - 1;
}

/* The primary thread's part: waits for the others, and for all tasks. */
static void gather(fake_thread_t *thread)
{
    fake_team_t *team = thread->team;
    bool finished = false;
    schedule_point();
    while (!all_have_arrived(team)) {
        bool any = thread->task_team->found_tasks &&
                   fake_execute_tasks(thread, all_have_arrived, team, false, &finished, false);
        if (!any && !all_have_arrived(team))
            schedule_pause();
    }
    team->arrived = 0;
    fake_task_team_t *task_team = thread->task_team;
    if (!task_team->found_tasks)
        return;
    finished = false;
    while (task_team->unfinished_threads != 0) {
        if (!fake_execute_tasks(thread, is_zero, &task_team->unfinished_threads, true, &finished, false) &&
            task_team->unfinished_threads != 0)
            schedule_pause();
    }
    task_team->found_proxy_tasks = task_team->untied_task_encountered = task_team->active = false;
    thread->task_team = NULL;
}

/* From here on the thread uses the other set of queues. */
static void change_queues(fake_thread_t *thread)
{
    thread->task_state++;
    thread->task_team = thread->team->task_teams[thread->task_state % 2];
}

void fake_libomp_barrier(void)
{
    fake_thread_t *thread = self;
    fake_team_t *team = thread->team;
    if (team->serial)
        return;
    if (thread->number > 0) {
        wait_for_release(thread);
        change_queues(thread);
        return;
    }
    gather(thread);
    fake_task_team_t *other = team->task_teams[(thread->task_state + 1) % 2];
    if (!other->active) {
        other->active = true;
        other->found_tasks = other->found_proxy_tasks = false;
        other->unfinished_threads = team->n;
    }
    team->released++;
    change_queues(thread);
    schedule_point();
}

/* When a team ends: no half of a completion is left in its queues, where nobody would look any more. */
static void check_team(const fake_team_t *team)
{
    for (int i = 0; i < team->n; i++) {
        if (team->threads[i]->current->incomplete_children != 0)
            schedule_fail("a parallel region has ended before a child of thread %d's", i);
        for (int k = 0; k < 2; k++) {
            const fake_queue_t *queue = &team->task_teams[k]->queues[i];
            for (int n = 0; n < queue->n; n++) {
                if (!queue->tasks[n]->programs_own)
                    schedule_fail("a parallel region has ended with task %u in a queue", queue->tasks[n]->number);
                queue->tasks[n]->kept = true;
            }
        }
    }
}

typedef struct region {
    fake_team_t *team;
    fake_task_t *parent; /* of the implicit tasks */
    void (*body)(int number, void *argument);
    void *argument;
} region_t;

static void worker(void *region_memory)
{
    const region_t *region = region_memory;
    int number = 1;
    while (region->team->threads[number])
        number++;
    self = new_thread(region->team, number, region->parent);
    region->body(number, region->argument);
    wait_for_release(self);
}

void fake_libomp_parallel(int n, void (*body)(int number, void *argument), void *argument)
{
    fake_thread_t *thread = self;
    fake_team_t *outer = thread->team;
    fake_task_team_t *outer_task_team = thread->task_team;
    fake_task_t *outer_task = thread->current;
    fake_team_t *team = fake_new(sizeof *team);
    team->n = n;
    team->task_teams[0] = new_task_team(team);
    team->task_teams[1] = new_task_team(team);
    team->threads[0] = thread;
    region_t region = {.team = team, .parent = outer_task, .body = body, .argument = argument};
    thread->team = team;
    thread->task_team = team->task_teams[0];
    thread->current = new_implicit_task(team, outer_task);
    for (int i = 1; i < n; i++)
        schedule_start(worker, &region);
    schedule_point();
    body(0, argument);
    gather(thread);
    team->ended = true;
    check_team(team);
    thread->team = outer;
    thread->task_team = outer_task_team;
    thread->task_state = 0;
    thread->current = outer_task;
    schedule_point();
}

void fake_libomp_end(void)
{
    /* What the initial thread would do in its next wait. */
    bool finished = false;
    (void)fake_execute_tasks(self, is_zero, &self->team->arrived, true, &finished, false);
    for (int i = 0; i < n_threads; i++) {
        const fake_task_t *task = threads[i].current;
        if (!task->implicit)
            schedule_fail("thread %d is still in a task", i);
        if (task->incomplete_children != 0)
            schedule_fail("a task has %d unfinished children at the end", task->incomplete_children);
    }
    if (fake_task_left())
        schedule_fail("task %u has not been freed at the end", fake_task_left());
}
