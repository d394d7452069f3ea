/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prototypes of the entry points that compiled code and libomp call by name; the ABI is that of libomptarget 19, 22. */
#ifndef NW_OMPTARGET_H
#define NW_OMPTARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nowait/abi.h"
#include "omptarget/interop_abi.h"
#include "support/ident.h"

void __tgt_register_lib(void *description);
void __tgt_unregister_lib(void *description);
void __tgt_rtl_init(void);
void __tgt_rtl_deinit(void);
void __tgt_init_all_rtls(void);
void __tgt_register_requires(int64_t flags);
int64_t __tgt_mapper_num_components(void *handle);
void __tgt_push_mapper_component(void *handle, void *base, void *begin, int64_t size, int64_t type, void *name);

int32_t __tgt_target_kernel(nw_ident_t *loc, int64_t device, int32_t num_teams, int32_t thread_limit, void *region_id,
                            struct nowait_kernel_args *args);
int32_t __tgt_target_kernel_nowait(nw_ident_t *loc, int64_t device, int32_t num_teams, int32_t thread_limit,
                                   void *region_id, struct nowait_kernel_args *args, int32_t n_deps, void *deps,
                                   int32_t n_noalias, void *noalias);
void __kmpc_push_target_tripcount(int64_t device, uint64_t trip_count);
void __kmpc_push_target_tripcount_mapper(nw_ident_t *loc, int64_t device, uint64_t trip_count);
int __tgt_activate_record_replay(int64_t device, uint64_t memory_size, void *address, bool is_record, bool save_output,
                                 uint64_t *offset_p);
int __tgt_target_kernel_replay(nw_ident_t *loc, int64_t device, void *region_id, void *memory, int64_t memory_size,
                               void **args, ptrdiff_t *offsets, int32_t n_args, int32_t num_teams,
                               int32_t thread_limit, uint64_t trip_count);
void __tgt_target_nowait_query(void **handle);

struct nw_ompt_start;
void ompt_libomptarget_connect(struct nw_ompt_start *start);

int __tgt_get_num_devices(void);
void __tgt_set_info_flag(uint32_t bits);
int __tgt_print_device_info(int64_t number);

/* CUDA's dim3. */
typedef struct nw_dim3 {
    unsigned x, y, z;
} nw_dim3_t;

unsigned __llvmPushCallConfiguration(nw_dim3_t grid, nw_dim3_t block, size_t shared_memory, void *stream);
unsigned __llvmPopCallConfiguration(nw_dim3_t *grid_p, nw_dim3_t *block_p, size_t *shared_memory_p, void *stream_p);
unsigned llvmLaunchKernel(const void *function, nw_dim3_t grid, nw_dim3_t block, void *args, size_t shared_memory,
                          void *stream);

void *__kmpc_omp_target_task_alloc(nw_ident_t *loc, int32_t gtid, int32_t flags, size_t sizeof_task,
                                   size_t sizeof_shareds, nowait_task_entry_t entry, int64_t device);
int32_t __kmpc_omp_task(nw_ident_t *loc, int32_t gtid, void *task);
int32_t __kmpc_omp_task_with_deps(nw_ident_t *loc, int32_t gtid, void *task, int32_t n_deps,
                                  struct nowait_depend_info *deps, int32_t n_noalias,
                                  struct nowait_depend_info *noalias);
void __kmpc_push_num_teams(nw_ident_t *loc, int32_t gtid, int32_t num_teams, int32_t thread_limit);
void *__kmpc_omp_task_alloc(nw_ident_t *loc, int32_t gtid, int32_t flags, size_t sizeof_task, size_t sizeof_shareds,
                            nowait_task_entry_t entry);
void __kmpc_taskloop(nw_ident_t *loc, int32_t gtid, void *task, int32_t if_value, uint64_t *lower, uint64_t *upper,
                     int64_t stride, int32_t nogroup, int32_t schedule, uint64_t grainsize, void *dup);
void __kmpc_taskloop_5(nw_ident_t *loc, int32_t gtid, void *task, int32_t if_value, uint64_t *lower, uint64_t *upper,
                       int64_t stride, int32_t nogroup, int32_t schedule, uint64_t grainsize, int32_t modifier,
                       void *dup);
void __kmpc_taskgroup(nw_ident_t *loc, int32_t gtid);
void __kmpc_end_taskgroup(nw_ident_t *loc, int32_t gtid);
int32_t __kmpc_omp_taskwait(nw_ident_t *loc, int32_t gtid);
void __kmpc_omp_taskwait_deps_51(nw_ident_t *loc, int32_t gtid, int32_t n_deps, struct nowait_depend_info *deps,
                                 int32_t n_noalias, struct nowait_depend_info *noalias, int32_t no_wait);
void __kmpc_omp_wait_deps(nw_ident_t *loc, int32_t gtid, int32_t n_deps, struct nowait_depend_info *deps,
                          int32_t n_noalias, struct nowait_depend_info *noalias);
void __kmpc_omp_task_begin_if0(nw_ident_t *loc, int32_t gtid, void *task);
void __kmpc_omp_task_complete_if0(nw_ident_t *loc, int32_t gtid, void *task);
void *__kmpc_task_reduction_get_th_data(int32_t gtid, void *taskgroup, void *data);

/* A depend object: points at the second element of an array of nowait_depend_info whose first element's base is the
 * number of the others (clang's depobj construct). */
typedef void *omp_depend_t;

struct nw_interop;
void __tgt_interop_init(nw_ident_t *loc, int32_t gtid, struct nw_interop **interop_p, int32_t type, int32_t device,
                        int32_t n_deps, struct nowait_depend_info *deps, int32_t no_wait);
void __tgt_interop_use(nw_ident_t *loc, int32_t gtid, struct nw_interop **interop_p, int32_t device, int32_t n_deps,
                       struct nowait_depend_info *deps, int32_t no_wait);
void __tgt_interop_destroy(nw_ident_t *loc, int32_t gtid, struct nw_interop **interop_p, int32_t device,
                           int32_t n_deps, struct nowait_depend_info *deps, int32_t no_wait);
struct nw_interop *__tgt_interop_get(nw_ident_t *loc, int32_t type, int64_t device, int32_t n_preferred,
                                     const nw_interop_spec_t *preferred, const nw_interop_context_t *context,
                                     const nw_interop_dependences_t *dependences);
int __tgt_interop_use60(nw_ident_t *loc, struct nw_interop *interop, const nw_interop_context_t *context,
                        const nw_interop_dependences_t *dependences);
int __tgt_interop_release(nw_ident_t *loc, struct nw_interop *interop, const nw_interop_context_t *context,
                          const nw_interop_dependences_t *dependences);
void __tgt_target_sync(nw_ident_t *loc, int32_t gtid, void *task, void *event);
int ompx_interop_add_completion_callback(struct nw_interop *interop, nw_interop_callback_t callback, void *data);
int omp_get_num_interop_properties(struct nw_interop *interop);
intptr_t omp_get_interop_int(struct nw_interop *interop, int property, int *error_p);
void *omp_get_interop_ptr(struct nw_interop *interop, int property, int *error_p);
const char *omp_get_interop_str(struct nw_interop *interop, int property, int *error_p);
const char *omp_get_interop_name(struct nw_interop *interop, int property);
const char *omp_get_interop_type_desc(struct nw_interop *interop, int property);
const char *omp_get_interop_rc_desc(struct nw_interop *interop, int code);

int omp_pause_resource(int kind, int device);
int omp_pause_resource_all(int kind);

int omp_get_num_devices(void);
int omp_get_default_device(void);
const char *omp_get_uid_from_device(int device);
int omp_get_device_from_uid(const char *uid);
int omp_target_is_accessible(const void *host, size_t size, int device);
void *llvm_omp_target_alloc_host(size_t size, int device);
void *llvm_omp_target_alloc_shared(size_t size, int device);
void *llvm_omp_target_alloc_device(size_t size, int device);
void llvm_omp_target_free_host(void *address, int device);
void llvm_omp_target_free_shared(void *address, int device);
void llvm_omp_target_free_device(void *address, int device);
void *llvm_omp_target_dynamic_shared_alloc(void);
void *llvm_omp_target_lock_mem(void *address, size_t size, int device);
void llvm_omp_target_unlock_mem(void *address, int device);
int omp_target_memcpy_async(void *to, const void *from, size_t size, size_t to_offset, size_t from_offset,
                            int to_device, int from_device, int n_objects, omp_depend_t *objects);
int omp_target_memcpy_rect_async(void *to, const void *from, size_t element_size, int n_dims, const size_t *volume,
                                 const size_t *to_offsets, const size_t *from_offsets, const size_t *to_dimensions,
                                 const size_t *from_dimensions, int to_device, int from_device, int n_objects,
                                 omp_depend_t *objects);
void *omp_target_memset_async(void *address, int byte, size_t size, int device, int n_objects, omp_depend_t *objects);
int omp_get_device_num(void);
int omp_get_initial_device(void);
void *omp_target_alloc(size_t size, int device);
void omp_target_free(void *address, int device);
int omp_target_is_present(const void *host, int device);
void *omp_get_mapped_ptr(const void *host, int device);
int omp_target_memcpy(void *to, const void *from, size_t size, size_t to_offset, size_t from_offset, int to_device,
                      int from_device);
int omp_target_memcpy_rect(void *to, const void *from, size_t element_size, int n_dims, const size_t *volume,
                           const size_t *to_offsets, const size_t *from_offsets, const size_t *to_dimensions,
                           const size_t *from_dimensions, int to_device, int from_device);
void *omp_target_memset(void *address, int byte, size_t size, int device);
int omp_target_associate_ptr(const void *host, const void *device_address, size_t size, size_t device_offset,
                             int device);
int omp_target_disassociate_ptr(const void *host, int device);
void ompx_dump_mapping_tables(void);

#endif
