/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Contract between code rewritten by the nowait plugin and libnowait.so.
 *
 * Clang lowers a deferred target construct (OpenMP 5.2, section 13.8 "target", clause nowait, and the data constructs
 * of section 13) to a target task: an allocation call, stores into the task, and a submission call. The plugin replaces
 * the calls below one for one; every replacement takes the arguments of the call that it replaces, in the same order,
 * and then its own. Nothing here is meant to be called from source code.
 *
 * The slot. __nowait_target_task_alloc asks libomp for a task that is larger than the compiler's by the size of one
 * asynchronous operation; that part of the task is the slot. It begins at
 *
 *     (char *)task + NOWAIT_SLOT_OFFSET(sizeof_task)
 *
 * where sizeof_task is the constant that the compiler passes to the allocation call, so compiled code reaches its slot
 * by adding a constant to the task pointer that it already holds. The slot's layout is the runtime's own business.
 */
#ifndef NOWAIT_ABI_H
#define NOWAIT_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this contract; the low byte of every task info word. Raised when a signature or a meaning changes. */
#define NOWAIT_ABI_VERSION 1u

/* Byte distance from the task pointer to the slot: the compiler's task size rounded up to 16. */
#define NOWAIT_SLOT_OFFSET(sizeof_task) (((size_t)(sizeof_task) + 15u) & ~(size_t)15u)

/* Task info word: what the plugin knows of a target task when it compiles it. */
#define NOWAIT_TASK_INFO_VERSION_MASK 0xffu
/* The region reads a task reduction's private copy (clause in_reduction): it shares that copy with the thread that runs
 * it, so no other work of that thread may overlap it. */
#define NOWAIT_TASK_INFO_IN_REDUCTION 0x100u
/* Every bit that this version knows. */
#define NOWAIT_TASK_INFO_KNOWN (NOWAIT_TASK_INFO_VERSION_MASK | NOWAIT_TASK_INFO_IN_REDUCTION)

/*
 * Sections that do not lie together (target update to(a[0:n:2])). Clang describes one by records of three 64-bit words
 * {offset, count, stride}, the last of them {0, 1, size of the element}, and offsets in a unit that it does not pass.
 * The plugin rewrites the last record to
 *
 *     {address of the section's first byte, size of the element, NOWAIT_SECTION_PLACED}
 *
 * which makes all offsets, and the map entry's size, without meaning. In constructs with and without nowait.
 */
#define NOWAIT_SECTION_PLACED UINT64_C(0x646563616c702d6e) /* "n-placed" */

/* Source location as clang passes it (24 bytes; psource is ";file;function;line;column;;", may be null). */
struct nowait_ident;
/* Kernel argument block as clang passes it (KernelArgsTy, 104 bytes, versions 1 to 3). */
struct nowait_kernel_args;
/* One depend item as clang passes it (kmp_depend_info, 24 bytes). */
struct nowait_depend_info;

typedef int32_t (*nowait_task_entry_t)(int32_t gtid, void *task);

/*
 * Replaces __kmpc_omp_target_task_alloc.
 *
 * n_maps: the number of entries in the offload arrays that the task's entry passes on (0 if it has none); the slot is
 *         made large enough for them, so that dispatching needs no allocation.
 * info:   NOWAIT_ABI_VERSION | NOWAIT_TASK_INFO_* bits.
 * Returns the task (kmp_task_t *), with the slot initialised; never NULL.
 * Owns:    libomp owns the task and frees it when it has completed.
 * Threads: the thread that encounters the construct. Blocks: never.
 */
void *__nowait_target_task_alloc(struct nowait_ident *loc, int32_t gtid, int32_t flags, size_t sizeof_task,
                                 size_t sizeof_shareds, nowait_task_entry_t entry, int64_t device, uint32_t n_maps,
                                 uint32_t info);

/*
 * Replace __kmpc_omp_task and __kmpc_omp_task_with_deps for a task from __nowait_target_task_alloc. The region is
 * dispatched before they return if nothing that it depends on is unfinished. The task must not be touched afterwards.
 * Returns what libomp returns (0: the current task was not suspended).
 * Threads: the thread that allocated the task. Blocks: never in the event mode, unless there is no device to run on.
 */
int32_t __nowait_target_task(struct nowait_ident *loc, int32_t gtid, void *task);
int32_t __nowait_target_task_with_deps(struct nowait_ident *loc, int32_t gtid, void *task, int32_t n_deps,
                                       struct nowait_depend_info *deps, int32_t n_noalias,
                                       struct nowait_depend_info *noalias);

/*
 * Replaces __tgt_target_kernel inside the entry of a task from __nowait_target_task_alloc.
 *
 * gtid, task: the entry's own two parameters. slot: computed from task, see above.
 * Returns 0 if the region was taken over, non-zero if the caller must run the host version of the region.
 * Owns:    args and the arrays it points at need to stay valid during the call only.
 * Threads: the thread that runs the entry. Blocks: never in the event mode.
 */
int32_t __nowait_target_kernel(struct nowait_ident *loc, int64_t device, int32_t num_teams, int32_t thread_limit,
                               void *region_id, struct nowait_kernel_args *args, int32_t gtid, void *task, void *slot);

/* Replace __tgt_target_data_{begin,end,update}_nowait_mapper (less their four dependence arguments, which clang always
 * passes as zero) inside the entry of a task from __nowait_target_task_alloc. */
void __nowait_target_data_begin(struct nowait_ident *loc, int64_t device, int32_t n, void **bases, void **ptrs,
                                int64_t *sizes, int64_t *types, void **names, void **mappers, int32_t gtid, void *task,
                                void *slot);
void __nowait_target_data_end(struct nowait_ident *loc, int64_t device, int32_t n, void **bases, void **ptrs,
                              int64_t *sizes, int64_t *types, void **names, void **mappers, int32_t gtid, void *task,
                              void *slot);
void __nowait_target_data_update(struct nowait_ident *loc, int64_t device, int32_t n, void **bases, void **ptrs,
                                 int64_t *sizes, int64_t *types, void **names, void **mappers, int32_t gtid,
                                 void *task, void *slot);

/*
 * Called by a constructor of every program and library that the plugin has rewritten, with the plugin's
 * NOWAIT_ABI_VERSION. Ends the program with one line if this library serves another.
 */
void __nowait_require_abi(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
