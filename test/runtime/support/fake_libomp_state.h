/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the fake libomp's files share. Names are libomp's without its prefixes, where it has one. */
#ifndef NW_TEST_FAKE_LIBOMP_STATE_H
#define NW_TEST_FAKE_LIBOMP_STATE_H

#include "support/fake_libomp.h"
#include "support/schedule.h"

#define FAKE_MAX_QUEUE 256
#define FAKE_MAX_LOCKS 4

typedef struct fake_task fake_task_t;
typedef struct fake_node fake_node_t;
typedef struct fake_team fake_team_t;

typedef struct fake_list {
    fake_node_t *node;
    struct fake_list *next;
} fake_list_t;

/* A task's place in the graph of dependences. It outlives the task. */
struct fake_node {
    fake_task_t *task; /* NULL: over, or a wait */
    int predecessors;
    fake_list_t *successors;
    bool *locks[FAKE_MAX_LOCKS];
    int n_locks; /* negative: held */
};

/* What a generating task's children have named. */
typedef struct fake_entry {
    intptr_t address;
    fake_node_t *last_out;
    fake_list_t *last_set, *previous_set;
    uint8_t set_kind; /* 0: there is no set */
    bool lock;        /* of the mutexinoutset */
    struct fake_entry *next;
} fake_entry_t;

typedef struct fake_table {
    fake_entry_t *entries;
    fake_node_t *last_all;
} fake_table_t;

typedef struct fake_group {
    int count;
    bool cancelled;
    struct fake_group *outer;
} fake_group_t;

typedef struct fake_queue {
    bool made;
    int n;
    fake_task_t *tasks[FAKE_MAX_QUEUE]; /* head first */
} fake_queue_t;

typedef struct fake_task_team {
    bool active, found_tasks, found_proxy_tasks, untied_task_encountered;
    int unfinished_threads;
    fake_queue_t queues[FAKE_MAX_TEAM];
} fake_task_team_t;

struct fake_team {
    int n;
    bool serial;
    fake_task_team_t *task_teams[2];
    struct fake_thread *threads[FAKE_MAX_TEAM];
    int arrived, released; /* barriers: threads that have come to the present one, and how many are over */
    bool ended;
};

struct fake_task {
    fake_task_t *parent;
    fake_team_t *team;
    fake_task_team_t *task_team;
    int level;
    bool implicit, tied, proxy, detachable, destructors, team_serial, task_serial, complete;
    bool programs_own; /* its event is */
    bool is_left;  /* it has detached, and its thread has yet to look at it once more */
    bool top_half; /* the first half of a completion is in progress */
    bool counted;  /* among its parent's children, */
    bool kept;     /* and never to be freed */
    bool waits;    /* in taskwait or at the end of a taskgroup */
    int incomplete_children, allocated_children, untied_count;
    fake_task_t *last_tied;
    fake_group_t *group;
    fake_table_t *table;
    fake_node_t *node;
    void *async_handle;
    bool allows_completion;          /* its event has been asked for and is not fulfilled */
    uint32_t number;                 /* 0: implicit */
    _Alignas(16) nw_kmp_task_t head; /* explicit: the program's part follows */
};

typedef struct fake_thread {
    int32_t gtid;
    int number; /* in its team */
    fake_team_t *team;
    fake_task_team_t *task_team;
    int task_state;
    fake_task_t *current;
} fake_thread_t;

/* fake_libomp_threads.c */

fake_thread_t *fake_thread(int32_t gtid);
fake_thread_t *fake_known_thread(int32_t gtid); /* NULL: there is none */
int32_t fake_gtid_if_known(void);               /* -1: libomp does not know the calling thread */

/* A task team for proxy and detachable tasks of the thread, and a queue of its own. */
void fake_enable_tasking(fake_thread_t *thread, bool proxy);

/* Puts a task into the thread's queue; false: it has to be run at once. */
bool fake_push_task(fake_thread_t *thread, fake_task_t *task);

/* Puts a task into a queue of its own team. */
void fake_give_task(fake_task_t *task, int start);

/* Runs tasks until done(argument) or nothing is found; done NULL: one task at most. Returns whether any was run. */
typedef bool (*fake_done_t)(const void *argument);
bool fake_execute_tasks(fake_thread_t *thread, fake_done_t done, const void *argument, bool final_spin, bool *finished,
                        bool constrained);

/* Runs tasks until the count is 0. */
void fake_wait_for(fake_thread_t *thread, const int *count);

/* fake_libomp_calls.c */

extern bool fake_cancellation_allowed;

/* fake_libomp.c */

nw_kmp_task_t *fake_task_alloc(nw_ident_t *loc, int32_t gtid, int32_t flags, size_t sizeof_task, size_t sizeof_shareds,
                               nowait_task_entry_t entry);
fake_task_t *fake_task_of(void *head);
void fake_invoke_task(fake_thread_t *thread, fake_task_t *task);
void fake_omp_task(fake_thread_t *thread, fake_task_t *task, bool serialize);
void fake_finish_task(fake_thread_t *thread, fake_task_t *task, fake_task_t *resumed);
/* Both halves of a completion, and one, whose other is left to the team. */
void fake_complete_in_place(int32_t gtid, nw_kmp_task_t *head);
void fake_complete_out_of_order(nw_kmp_task_t *head);
/* Ends the run if the task has been freed. */
void fake_touch(const fake_task_t *task, const char *who);
/* The number of a task that has not been freed; 0: there is none. */
uint32_t fake_task_left(void);

/* fake_libomp_deps.c */

void *fake_new(size_t size);
fake_node_t *fake_new_node(void);

/* Gives the task its place among its siblings. Returns whether it has to wait. */
bool fake_check_deps(fake_node_t *node, fake_task_t *task, fake_table_t **table_p, int32_t n,
                     struct nowait_depend_info *deps, int32_t n_noalias, struct nowait_depend_info *noalias);
/* The task is over: starts what has waited for it. */
void fake_release_deps(fake_thread_t *thread, fake_task_t *task);
bool fake_take_locks(fake_node_t *node);

#endif
