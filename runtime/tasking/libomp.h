/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The functions of stock libomp that target tasks stand on. They are looked up at run time: libnowait precedes libomp
 * in the program's search order (it interposes some of these names), and works with libomp 19 and 22 alike.
 */
#ifndef NW_LIBOMP_H
#define NW_LIBOMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/ompt.h"
#include "nowait/abi.h"
#include "support/ident.h"

/* libomp's kmp_task_t: the public head of a task (40 bytes; openmp/runtime/src/kmp.h, the same since LLVM 3.9). */
typedef struct nw_kmp_task {
    void *shareds;
    nowait_task_entry_t routine;
    int32_t part_id;
    union {
        int32_t priority;
        nowait_task_entry_t destructors;
    } data1, data2;
} nw_kmp_task_t;

_Static_assert(sizeof(nw_kmp_task_t) == 40, "kmp_task_t");
_Static_assert(offsetof(nw_kmp_task_t, shareds) == 0, "kmp_task_t");
_Static_assert(offsetof(nw_kmp_task_t, routine) == 8, "kmp_task_t");
_Static_assert(offsetof(nw_kmp_task_t, part_id) == 16, "kmp_task_t");
_Static_assert(offsetof(nw_kmp_task_t, data1) == 24, "kmp_task_t");
_Static_assert(offsetof(nw_kmp_task_t, data2) == 32, "kmp_task_t");

/* libomp's kmp_depend_info (24 bytes). */
struct nowait_depend_info {
    intptr_t base;
    size_t length;
    uint8_t flags;
};

_Static_assert(sizeof(struct nowait_depend_info) == 24, "kmp_depend_info");
_Static_assert(offsetof(struct nowait_depend_info, base) == 0, "kmp_depend_info");
_Static_assert(offsetof(struct nowait_depend_info, length) == 8, "kmp_depend_info");
_Static_assert(offsetof(struct nowait_depend_info, flags) == 16, "kmp_depend_info");

enum {
    NW_DEPEND_IN = 1,
    NW_DEPEND_INOUT = 3,
    NW_DEPEND_MUTEXINOUTSET = 4,
    NW_DEPEND_INOUTSET = 8,
    NW_DEPEND_ALL_MEMORY = 0x80
};

/* Flags of a task allocation (kmp_tasking_flags_t). */
enum {
    NW_KMP_TIED = 0x1,
    NW_KMP_DESTRUCTORS = 0x8,
    NW_KMP_PROXY = 0x10,
    NW_KMP_DETACHABLE = 0x40,
    /* The library's own, in both: tools are told that the task is a target task. */
    NW_KMP_TARGET = 0x2000000,
};

/* omp_pause_resource_t; the first is libomp's own. */
enum { NW_PAUSE_RESUME, NW_PAUSE_SOFT, NW_PAUSE_HARD };

typedef struct nw_libomp {
    const char *file; /* as it was found */
    nw_kmp_task_t *(*task_alloc)(nw_ident_t *loc, int32_t gtid, int32_t flags, size_t sizeof_task,
                                 size_t sizeof_shareds, nowait_task_entry_t entry);
    nw_kmp_task_t *(*target_task_alloc)(nw_ident_t *loc, int32_t gtid, int32_t flags, size_t sizeof_task,
                                        size_t sizeof_shareds, nowait_task_entry_t entry, int64_t device);
    int32_t (*task)(nw_ident_t *loc, int32_t gtid, void *task);
    int32_t (*task_with_deps)(nw_ident_t *loc, int32_t gtid, void *task, int32_t n_deps,
                              struct nowait_depend_info *deps, int32_t n_noalias, struct nowait_depend_info *noalias);
    void *(*task_reduction_get_th_data)(int32_t gtid, void *taskgroup, void *data);
    void (*taskgroup)(nw_ident_t *loc, int32_t gtid);
    void (*end_taskgroup)(nw_ident_t *loc, int32_t gtid);
    int32_t (*taskwait)(nw_ident_t *loc, int32_t gtid);
    /* Returns when the dependences are met. no_wait is the directive's nowait clause, which libomp ignores. */
    void (*taskwait_deps)(nw_ident_t *loc, int32_t gtid, int32_t n_deps, struct nowait_depend_info *deps,
                          int32_t n_noalias, struct nowait_depend_info *noalias, int32_t no_wait);
    void (*task_begin_if0)(nw_ident_t *loc, int32_t gtid, void *task);
    void (*task_complete_if0)(nw_ident_t *loc, int32_t gtid, void *task);
    void (*taskloop)(nw_ident_t *loc, int32_t gtid, void *task, int32_t if_value, uint64_t *lower, uint64_t *upper,
                     int64_t stride, int32_t nogroup, int32_t schedule, uint64_t grainsize, void *dup);
    void (*taskloop_5)(nw_ident_t *loc, int32_t gtid, void *task, int32_t if_value, uint64_t *lower, uint64_t *upper,
                       int64_t stride, int32_t nogroup, int32_t schedule, uint64_t grainsize, int32_t modifier,
                       void *dup);
    int32_t (*taskyield)(nw_ident_t *loc, int32_t gtid, int32_t end_part);
    int32_t (*global_thread_num)(nw_ident_t *loc);
    /* Completes a task allocated with NW_KMP_PROXY, from any thread. Its team may free it at once: what is left to do
     * goes into the queue of one of the team's threads ("out of order" completion). */
    void (*proxy_task_completed)(nw_kmp_task_t *task);
    /* As above, but does all on the calling thread. */
    void (*proxy_task_completed_in_place)(int32_t gtid, nw_kmp_task_t *task);
    void *(*task_allow_completion_event)(nw_ident_t *loc, int32_t gtid, nw_kmp_task_t *task);
    /* Completes a detached task, from any thread; libomp may free it at once. */
    void (*fulfill_event)(void *event);
    void **(*target_async_handle)(int32_t gtid); /* NULL if this libomp has none (before LLVM 16) */
    bool (*has_task_team)(int32_t gtid);         /* likewise */
    void (*ompt_connect)(nw_ompt_start_t *start); /* NULL if this libomp has none (before LLVM 17) */
    int32_t (*target_offload)(void); /* 0 disabled, 1 default, 2 mandatory */
    int32_t (*default_device)(void);
    void (*set_default_device)(int32_t number);
    int32_t (*pause)(int32_t kind);  /* of the host: NW_PAUSE_*; returns 0 if it has been done */
    int32_t (*cancellation)(void);
    int32_t (*in_final)(void);
    int32_t (*in_explicit_task)(void); /* NULL before LLVM 18 */
    int32_t (*num_threads)(void);    /* of the calling thread's team */
    int32_t (*active_level)(void);   /* parallel regions of several threads around it */
    int32_t (*max_active_levels)(void);
    int32_t (*level)(void);          /* parallel regions around the calling task, also those of one thread */
    int32_t (*ancestor_thread_num)(int32_t level); /* the thread's number, or its ancestor's, in one of them */
    int32_t (*team_num)(void);       /* in a league */
    int32_t (*max_threads)(void);    /* of teams that the calling task forms; may be NULL, like: */
    void (*set_num_threads)(int32_t n);
    int32_t (*thread_limit)(void);
    void (*set_thread_limit)(nw_ident_t *loc, int32_t gtid, int32_t n); /* NULL before LLVM 17 */
    void (*push_num_teams)(nw_ident_t *loc, int32_t gtid, int32_t num_teams, int32_t thread_limit);
} nw_libomp_t;

/* Returns the table. Ends the program with one line if there is no usable libomp. Threads: any. */
const nw_libomp_t *nw_libomp(void);

/* What tells the calling thread's current task from others; NULL: nothing does, in this libomp. */
const void *nw_libomp_current_task(int32_t gtid);

/* Whether the calling thread's current task is this one. False also where it can't be told, in this libomp. */
static inline bool nw_libomp_is_current(int32_t gtid, const nw_kmp_task_t *task)
{
    /* The handle is the last member of what libomp keeps in front of each task (kmp_taskdata), which is some hundred
     * bytes long and ends in padding of less than 128. */
    uintptr_t handle = (uintptr_t)nw_libomp_current_task(gtid);
    return handle && (uintptr_t)task - handle <= 128;
}

/* The routine of tasks whose dependences, or destructors, are all that matters. */
int32_t nw_libomp_empty_routine(int32_t gtid, void *task);

/* For functions that touch a task that libomp may have freed and handed on: in an order that ThreadSanitizer does not
 * see, since libomp is not instrumented. */
#define NW_IN_RECYCLED_TASK __attribute__((no_sanitize("thread")))

/* As nw_libomp, but returns NULL if libomp is not loaded, and complains of nothing. */
const nw_libomp_t *nw_libomp_if_loaded(void);

#endif
