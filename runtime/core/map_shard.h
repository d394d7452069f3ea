/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One shard of a device's mapping table: the mappings of a range of host addresses. See core/map_table.h for what the
 * whole is; only core/map_table.c and core/map_hold.c need this one's functions.
 *
 * A mapping whose count drops to zero leaves the live index at once, so that a later construct makes a fresh one, but
 * its memory stays until the last operation in flight that uses it is over, and it stays in an ending tree while it
 * still has to write to host memory, so that later copies of those bytes wait, or while a region may follow a device
 * pointer to it, so that whoever turns the pointer to a fresh mapping waits. It also stays there while it holds what
 * a copy of the host's bytes would bring: then a later construct takes it over (core/reuse.h). Where it need not be
 * waited for, it is made live again; otherwise a successor gets its memory.
 *
 * All functions need the shard's lock unless they say otherwise.
 */
#ifndef NW_MAP_SHARD_H
#define NW_MAP_SHARD_H

#include <bsd/sys/tree.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/map_index.h"
#include "core/section.h"
#include "device/device_state.h"

typedef struct nw_op nw_op_t;

/* See nw_map_shard: the logarithms of how many hints a shard has at first, and at most. */
#define NW_HINTS_LOG2 8
#define NW_MOST_HINTS_LOG2 21

/* Count of a mapping that never ends: a global variable, or one made by omp_target_associate_ptr. */
#define NW_FOREVER UINT64_MAX

/* A device pointer inside a mapping's device memory that was made to point at another mapping (an attached pointer).
 * Copies leave its bytes alone on both sides: the host keeps the host's pointer, the device keeps the device's. */
typedef struct nw_attachment {
    size_t offset;   /* of the pointer, from the mapping's begin, bytes */
    size_t size;     /* bytes */
    uintptr_t value; /* what the device pointer holds */
} nw_attachment_t;

typedef struct nw_mapping {
    /* What a construct that finds it present looks at is one cache line. */
    char *host;                /* first host byte */
    char *host_end;            /* behind the last */
    char *base;                /* base of the entry that made it, such as the array's begin; anywhere */
    char *device;              /* device address of *host */
    uint64_t dynamic_count;
    uint64_t hold_count;
    uint32_t users;            /* operations in flight that use it, once for each step */
    uint32_t ender_users;      /* of those, the steps of `ender`; while a construct ends, of that */
    bool live;
    bool ending;               /* in the ending tree */
    bool ender_waits;          /* `ender` waits until it is the only user */
    bool is_global;
    bool told;                 /* a tool has been told of it; core/tool_steps.c */
    bool is_pointee;           /* a device pointer has been made to point into it */
    bool is_shared;            /* host and device share its memory (unified shared memory): `device` is `host` */
    bool writes_host;          /* its end copies to the host */
    RB_ENTRY(nw_mapping) link; /* in the ending tree */
    void *block;               /* device memory to free, NULL if it is not the table's */
    size_t block_size;
    uint64_t born;             /* number of the construct that made it */
    uint64_t copied_out;       /* number of the last construct that copies from it */
    uint64_t order;            /* tie-breaker in the ending tree */
    uint32_t vouchers;         /* operations in flight that say that it has the host's bytes; core/reuse.h */
    uint64_t copied_out_whole; /* number of the last construct that copies all of it */
    bool is_stale;             /* its bytes and the host's have gone apart since it is no longer live */
    struct nw_mapping *successor;   /* has its memory, and one use of it counts there until this one is gone */
    struct nw_mapping *predecessor; /* the other way round */
    struct nw_mapping *next_idle; /* list of mappings whose ender may go on; core/op.c */
    nw_op_t *ender;            /* the operation whose construct took the mapping out of the live tree */
    nw_op_t *transfer;         /* the operation that still has to copy data in, NULL if none */
    _Atomic uint32_t n_attached;
    uint32_t attached_capacity;
    nw_attachment_t *attached; /* sorted by offset */
    size_t longest_attached;   /* bytes */
    const char *name;          /* ";name;file;line;column;;", may be NULL */
} nw_mapping_t;

RB_HEAD(nw_ending_tree, nw_mapping);

typedef struct nw_map_shard {
    pthread_mutex_t lock; /* guards the rest, and the mappings */
    uint64_t construct;   /* number of the last construct that was decided with this shard held */
    nw_index_t live; /* by `host` */
    /* Mappings that are ending: tree i has those of 2^i to 2^(i + 1) - 1 bytes, bit i of `endings` says that it has
     * some. So a search need not look at many that end before the range that it is about. */
    struct nw_ending_tree ending[64];
    uint64_t endings;
    /* Where a search looks first: the mapping last found or made for an address with this hash. It may have gone since,
     * or be another one now; its structure is still this shard's. There are twice as many as there have been mappings.
     */
    nw_mapping_t **hints;
    uint32_t hints_log2;
    size_t n_live;
    uint64_t n_endings;
    nw_mapping_t *spare; /* free structures, linked through `ender` */
    nw_section_t *spare_sections;
    struct nw_slab *slabs; /* where structures come from */
    nw_device_t *device;
    /* Who met whom, for core/map_hold.c: where the holder before had its data, and how often the lock was taken. */
    const char *last_begin, *last_end;
    uint32_t conflicts;
    uint64_t conflicts_since; /* `construct` when counting began, */
    uint64_t construct_at_sweep; /* and when idle shards were last looked for */
    nw_mapping_t *first_hints[1 << NW_HINTS_LOG2];
} nw_map_shard_t;

typedef enum nw_presence {
    NW_ABSENT,   /* no byte of the range is mapped */
    NW_PRESENT,  /* every byte is */
    NW_PARTIAL   /* some are, and some are not */
} nw_presence_t;

/* Threads: one, before use. No lock needed. */
void nw_map_shard_init(nw_map_shard_t *shard, nw_device_t *device);

/* After fork, in the child. The lock may have been held. */
void nw_map_shard_after_fork(nw_map_shard_t *shard);

/* Free what an empty shard keeps: what hangs on its structures, then the structures. These wander between the shards of
 * a table, so the first is for all of them before the second is for any. Threads: one, after use. */
void nw_map_shard_free_spare(nw_map_shard_t *shard);
void nw_map_shard_destroy(nw_map_shard_t *shard);

/* Where the mapping of an address may be found at once. */
static inline nw_mapping_t **nw_map_shard_hint(nw_map_shard_t *shard, const char *host)
{
    return &shard->hints[(uint64_t)(uintptr_t)host * UINT64_C(0x9E3779B97F4A7C15) >> (64 - shard->hints_log2)];
}

/* The live mapping that holds the byte, or NULL; then *above_p is the next one above it, or NULL. Leaves a hint. */
nw_mapping_t *nw_map_shard_search(nw_map_shard_t *shard, const char *host, nw_mapping_t **above_p);

/* The live mapping with the greatest begin that is not above `host`, and in *above_p the one after it; or NULL. */
nw_mapping_t *nw_map_shard_floor(nw_map_shard_t *shard, const char *host, nw_mapping_t **above_p);

/* As the functions of the same names in core/map_table.h, which see that the range lies in one shard. */
nw_status_t nw_map_shard_insert(nw_map_shard_t *shard, char *host, size_t size, const char *name,
                                nw_mapping_t **mapping_p) NW_MUST_CHECK;
nw_status_t nw_map_shard_associate(nw_map_shard_t *shard, char *host, size_t size, char *device, const char *global,
                                   nw_mapping_t **mapping_p) NW_MUST_CHECK;
nw_status_t nw_map_shard_share(nw_map_shard_t *shard, char *host, size_t size, const char *name,
                               nw_mapping_t **mapping_p) NW_MUST_CHECK;
nw_status_t nw_map_shard_succeed(nw_map_shard_t *shard, nw_mapping_t *old, const char *name,
                                 nw_mapping_t **mapping_p) NW_MUST_CHECK;
nw_status_t nw_map_shard_revive(nw_map_shard_t *shard, nw_mapping_t *mapping) NW_MUST_CHECK;
void nw_map_shard_remove(nw_map_shard_t *shard, nw_mapping_t *mapping, bool ending);
void nw_map_shard_discard(nw_map_shard_t *shard, nw_mapping_t *mapping);
nw_section_t *nw_map_shard_take_section(nw_map_shard_t *shard);
void nw_map_shard_put_section(nw_map_shard_t *shard, nw_section_t *section);
nw_mapping_t *nw_map_shard_next_ending(nw_map_shard_t *shard, const char *host, size_t size, nw_mapping_t *after);
void nw_map_shard_end(nw_map_shard_t *shard, nw_mapping_t *mapping);

/* Walks over the live mappings in the order of their addresses: pass NULL first. */
nw_mapping_t *nw_map_shard_next(nw_map_shard_t *shard, nw_mapping_t *mapping);

/* True if the shard has mappings neither live nor ending. */
bool nw_map_shard_is_empty(nw_map_shard_t *shard);

/* True if some mapping, live or ending, begins before `host` and ends behind it. */
bool nw_map_shard_crosses(nw_map_shard_t *shard, const char *host);

/* True if fewer live mappings lie below `host` than above. Takes time for the fewer. */
bool nw_map_shard_leans_up(nw_map_shard_t *shard, const char *host);

/* Moves the mappings, live and ending, that begin in [begin, end) to another shard, whose lock is held too; end NULL:
 * all from begin on. */
void nw_map_shard_move(nw_map_shard_t *from, nw_map_shard_t *to, const char *begin, const char *end);

#endif
