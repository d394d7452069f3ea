/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The part of OpenMP's tool interface that concerns devices (OpenMP 5.2, sections 19.4.4 and 19.5.2): values and
 * prototypes as the specification has them, under names of our own. The header with the standard's names belongs to the
 * compiler and is not always there; where it is, a test compares the two.
 */
#ifndef NW_OMPT_H
#define NW_OMPT_H

#include <stddef.h>
#include <stdint.h>

typedef union nw_ompt_data {
    uint64_t value;
    void *ptr;
} nw_ompt_data_t;

typedef void (*nw_ompt_function_t)(void);
typedef nw_ompt_function_t (*nw_ompt_lookup_t)(const char *name);

/* ompt_scope_endpoint_t */
typedef enum nw_ompt_scope { NW_OMPT_BEGIN = 1, NW_OMPT_END = 2, NW_OMPT_BEGIN_END = 3 } nw_ompt_scope_t;

/* ompt_target_t; a construct with nowait has NW_OMPT_NOWAIT more. */
enum { NW_OMPT_TARGET = 1, NW_OMPT_ENTER_DATA = 2, NW_OMPT_EXIT_DATA = 3, NW_OMPT_UPDATE = 4, NW_OMPT_NOWAIT = 8 };

/* ompt_target_data_op_t. Those for asynchronous operations are not used: begin and end enclose the operation itself, on
 * the thread that does it. */
typedef enum nw_ompt_data_op {
    NW_OMPT_ALLOC = 1,
    NW_OMPT_TO_DEVICE = 2,
    NW_OMPT_FROM_DEVICE = 3,
    NW_OMPT_DELETE = 4,
    NW_OMPT_ASSOCIATE = 5,
    NW_OMPT_DISASSOCIATE = 6,
} nw_ompt_data_op_t;

/* ompt_target_map_flag_t */
enum {
    NW_OMPT_MAP_TO = 0x1,
    NW_OMPT_MAP_FROM = 0x2,
    NW_OMPT_MAP_ALLOC = 0x4,
    NW_OMPT_MAP_RELEASE = 0x8,
    NW_OMPT_MAP_DELETE = 0x10,
    NW_OMPT_MAP_IMPLICIT = 0x20,
};

/* ompt_dependence_type_t */
enum {
    NW_OMPT_DEPENDENCE_IN = 1,
    NW_OMPT_DEPENDENCE_OUT = 2,
    NW_OMPT_DEPENDENCE_INOUT = 3,
    NW_OMPT_DEPENDENCE_MUTEXINOUTSET = 4,
    NW_OMPT_DEPENDENCE_INOUTSET = 7,
    NW_OMPT_DEPENDENCE_OUT_ALL_MEMORY = 34,
};

/* ompt_dependence_t */
typedef struct nw_ompt_dependence {
    nw_ompt_data_t variable; /* ptr: the address */
    int type;
} nw_ompt_dependence_t;

/* The number of a callback that concerns host tasks, too. */
#define NW_OMPT_DEPENDENCES 18

/* Callbacks that a tool may register: name, number (ompt_callbacks_t), parameters. */
#define NW_OMPT_CALLBACKS(X) \
    X(target, 8, (int kind, int scope, int device, nw_ompt_data_t *task, uint64_t target_id, const void *codeptr)) \
    X(target_data_op, 9, \
      (uint64_t target_id, uint64_t host_op_id, int op, void *from, int from_device, void *to, int to_device, \
       size_t bytes, const void *codeptr)) \
    X(target_submit, 10, (uint64_t target_id, uint64_t host_op_id, unsigned num_teams)) \
    X(device_initialize, 12, \
      (int device, const char *type, void *handle, nw_ompt_lookup_t lookup, const char *documentation)) \
    X(device_finalize, 13, (int device)) \
    X(device_load, 14, \
      (int device, const char *file, int64_t offset_in_file, void *address_in_file, size_t bytes, void *host, \
       void *device_address, uint64_t module)) \
    X(device_unload, 15, (int device, uint64_t module)) \
    X(dependences, NW_OMPT_DEPENDENCES, (nw_ompt_data_t * task, const nw_ompt_dependence_t *list, int n)) \
    X(target_map, 22, \
      (uint64_t target_id, unsigned n, void **host, void **device, size_t *bytes, unsigned *flags, \
       const void *codeptr)) \
    X(target_emi, 33, \
      (int kind, int scope, int device, nw_ompt_data_t *task, nw_ompt_data_t *target_task, nw_ompt_data_t *target, \
       const void *codeptr)) \
    X(target_data_op_emi, 34, \
      (int scope, nw_ompt_data_t *target_task, nw_ompt_data_t *target, uint64_t *host_op_id, int op, void *from, \
       int from_device, void *to, int to_device, size_t bytes, const void *codeptr)) \
    X(target_submit_emi, 35, (int scope, nw_ompt_data_t *target, uint64_t *host_op_id, unsigned num_teams)) \
    X(target_map_emi, 36, \
      (nw_ompt_data_t *target, unsigned n, void **host, void **device, size_t *bytes, unsigned *flags, \
       const void *codeptr))

#define NW_OMPT_TYPE(name, number, parameters) typedef void (*nw_ompt_##name##_t) parameters;
NW_OMPT_CALLBACKS(NW_OMPT_TYPE)
#undef NW_OMPT_TYPE

/* ompt_addr_none: the answer for an address that does not exist. */
#define NW_OMPT_NO_ADDRESS ((void *)~(uintptr_t)0)

/* ompt_start_tool_result_t: what the two sides of a connection hand each other. */
typedef struct nw_ompt_start {
    int (*initialize)(nw_ompt_lookup_t lookup, int initial_device, nw_ompt_data_t *tool_data);
    void (*finalize)(nw_ompt_data_t *tool_data);
    nw_ompt_data_t tool_data;
} nw_ompt_start_t;

#endif
