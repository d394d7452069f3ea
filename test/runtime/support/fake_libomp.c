/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fake libomp's tasks, from allocation to the end: kmp_tasking.cpp. */
#include "support/fake_libomp.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "support/fake_libomp_state.h"

#define PAGE 4096u
#define TASK_PAGES 4u
#define MOST_TASKS 512u

/* Memory of tasks, each with pages of its own, which are taken away when it is freed. */
static char *arena;
static bool freed[MOST_TASKS];
static uint32_t n_tasks, n_freed;

static uint32_t number_of(const void *address)
{
    size_t offset = (size_t)((const char *)address - arena);
    return offset < (size_t)MOST_TASKS * TASK_PAGES * PAGE ? (uint32_t)(offset / (TASK_PAGES * PAGE)) : MOST_TASKS;
}

static void on_fault(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number;
    (void)context;
    uint32_t number = number_of(info->si_addr);
    if (number < MOST_TASKS && freed[number])
        schedule_fail("task %u is touched at byte %d after it was freed", number + 1,
                      (int)((size_t)((char *)info->si_addr - arena) % (TASK_PAGES * PAGE)));
    schedule_fail("memory fault at %p", info->si_addr);
}

void fake_libomp_begin(void)
{
    arena = mmap(NULL, (size_t)MOST_TASKS * TASK_PAGES * PAGE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    (void)fake_libomp_gtid();
}

fake_task_t *fake_task_of(void *head)
{
    return (fake_task_t *)((char *)head - offsetof(fake_task_t, head));
}

void fake_touch(const fake_task_t *task, const char *who)
{
    uint32_t number = number_of(task);
    if (number < MOST_TASKS && freed[number])
        schedule_fail("task %u is read by %s after it was freed", number + 1, who);
}

static bool tracks_children(const fake_task_t *task)
{
    return !task->team_serial || task->proxy || task->detachable || task->parent->incomplete_children > 0;
}

static void count_down(int *count, const char *what)
{
    if (--*count < 0)
        schedule_fail("libomp's count of %s is below 0", what);
}

nw_kmp_task_t *fake_task_alloc(nw_ident_t *loc, int32_t gtid, int32_t flags, size_t sizeof_task, size_t sizeof_shareds,
                               nowait_task_entry_t entry)
{
    (void)loc;
    schedule_point();
    fake_thread_t *thread = fake_thread(gtid);
    bool proxy = flags & NW_KMP_PROXY, detachable = flags & NW_KMP_DETACHABLE;
    bool tied = (flags & NW_KMP_TIED) && !proxy;
    if (!(flags & NW_KMP_TIED) && !thread->team->serial && thread->task_team)
        thread->task_team->untied_task_encountered = true;
    if (proxy || detachable)
        fake_enable_tasking(thread, true);
    size_t shareds = (offsetof(fake_task_t, head) + sizeof_task + 7) / 8 * 8;
    if (n_tasks == MOST_TASKS || shareds + sizeof_shareds > TASK_PAGES * PAGE)
        schedule_fail("the fake libomp has no room for a task");
    fake_task_t *task = (fake_task_t *)(arena + (size_t)n_tasks * TASK_PAGES * PAGE);
    /* Memory of freed tasks is handed on as it is. */
    memset(task, 0xA5, shareds + sizeof_shareds);
    *task = (fake_task_t){.parent = thread->current,
                          .team = thread->team,
                          .task_team = thread->task_team,
                          .level = thread->current->level + 1,
                          .tied = tied,
                          .proxy = proxy,
                          .detachable = detachable,
                          .destructors = flags & NW_KMP_DESTRUCTORS,
                          .team_serial = thread->team->serial,
                          .task_serial = thread->team->serial || proxy,
                          .allocated_children = 1,
                          .last_tied = tied ? task : NULL,
                          .group = thread->current->group,
                          .number = ++n_tasks,
                          .head = {.routine = entry}};
    if (sizeof_shareds > 0)
        task->head.shareds = (char *)task + shareds;
    task->counted = tracks_children(task);
    if (task->counted) {
        task->parent->incomplete_children++;
        if (task->group)
            task->group->count++;
        if (!task->parent->implicit)
            task->parent->allocated_children++;
    }
    return &task->head;
}

/* Never freed: libomp has counted one of its children that does not count itself out. */
static void keep(fake_task_t *task)
{
    for (; !task->implicit && !task->kept; task = task->parent)
        task->kept = true;
}

static void free_task_and_ancestors(fake_task_t *task)
{
    bool alone = task->team_serial && !task->proxy;
    count_down(&task->allocated_children, "allocated children");
    while (task->allocated_children == 0) {
        fake_task_t *parent = task->parent;
        if (task->incomplete_children != 0)
            schedule_fail("task %u is freed with %d unfinished children", task->number, task->incomplete_children);
        freed[task->number - 1] = true;
        n_freed++;
        bool counted = task->counted;
        mprotect(task, (size_t)TASK_PAGES * PAGE, PROT_NONE);
        if (alone && counted && !parent->implicit)
            keep(parent);
        if (alone || parent->implicit)
            return;
        task = parent;
        count_down(&task->allocated_children, "allocated children");
    }
}

void fake_finish_task(fake_thread_t *thread, fake_task_t *task, fake_task_t *resumed)
{
    if (!task->tied && --task->untied_count > 0)
        schedule_fail("an untied task ends in the middle");
    if (task->destructors)
        task->head.data1.destructors(thread->gtid, &task->head);
    schedule_point();
    bool completed = true;
    if (task->detachable && task->allows_completion) {
        task->proxy = true;
        completed = false;
        task->is_left = true;
        schedule_point();
        fake_touch(task, "the thread that has run it");
        task->is_left = false;
    }
    if (task->async_handle) {
        fake_give_task(task, thread->number);
        schedule_point();
        completed = false;
    }
    if (completed) {
        task->complete = true;
        if (tracks_children(task)) {
            fake_release_deps(thread, task);
            count_down(&task->parent->incomplete_children, "children");
            if (task->group)
                count_down(&task->group->count, "a taskgroup's tasks");
        } else if (thread->task_team && thread->task_team->found_proxy_tasks) {
            fake_release_deps(thread, task);
        }
        schedule_point();
    }
    thread->current = resumed;
    if (completed)
        free_task_and_ancestors(task);
}

static bool is_whole(void *task)
{
    return !((const fake_task_t *)task)->top_half;
}

static void bottom_half(fake_thread_t *thread, fake_task_t *task)
{
    if (task->top_half)
        schedule_wait(is_whole, task);
    fake_release_deps(thread, task);
    free_task_and_ancestors(task);
}

static void first_top_half(fake_task_t *task)
{
    fake_touch(task, "its completion");
    if (!task->proxy || task->complete)
        schedule_fail("task %u is completed %s", task->number, task->complete ? "twice" : "and has not detached");
    task->complete = true;
    if (task->group)
        count_down(&task->group->count, "a taskgroup's tasks");
    task->top_half = true;
    schedule_point();
}

static void second_top_half(fake_task_t *task)
{
    count_down(&task->parent->incomplete_children, "children");
    schedule_point();
    task->top_half = false;
}

void fake_complete_in_place(int32_t gtid, nw_kmp_task_t *head)
{
    fake_thread_t *thread = fake_thread(gtid);
    fake_task_t *task = fake_task_of(head);
    first_top_half(task);
    second_top_half(task);
    bottom_half(thread, task);
    schedule_point();
}

void fake_complete_out_of_order(nw_kmp_task_t *head)
{
    fake_task_t *task = fake_task_of(head);
    first_top_half(task);
    fake_give_task(task, 0);
    schedule_point();
    second_top_half(task);
    schedule_point();
}

void fake_invoke_task(fake_thread_t *thread, fake_task_t *task)
{
    fake_touch(task, "the thread that runs it");
    fake_task_t *current = thread->current;
    if (task->proxy && task->complete) {
        bottom_half(thread, task);
        return;
    }
    bool proxy = task->proxy;
    if (!proxy)
        thread->current = task;
    if (!(fake_cancellation_allowed && task->group && task->group->cancelled)) {
        if (!task->tied)
            task->last_tied = current->last_tied;
        schedule_point();
        if (task->async_handle)
            schedule_fail("a task in requeue mode: not in this libomp");
        task->head.routine(thread->gtid, &task->head);
        schedule_point();
    }
    fake_touch(task, "the thread that has run it");
    if (!task->proxy)
        fake_finish_task(thread, task, current);
}

void fake_omp_task(fake_thread_t *thread, fake_task_t *task, bool serialize)
{
    if (!task->proxy && fake_push_task(thread, task))
        return;
    task->task_serial |= serialize;
    fake_invoke_task(thread, task);
}

uint32_t fake_task_left(void)
{
    for (uint32_t i = 0; i < n_tasks; i++) {
        if (!freed[i] && !((const fake_task_t *)(arena + (size_t)i * TASK_PAGES * PAGE))->kept)
            return i + 1;
    }
    return 0;
}
