/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The mapping table of one device: which host bytes have a copy on the device, who counts on it, and which copies are
 * on their way out.
 *
 * Everything about a construct is decided in one hold of the table's lock, in program order; what is physical (copying,
 * freeing) follows when its operation runs. A mapping whose count drops to zero leaves the live tree at once, so that a
 * later construct makes a fresh one, but its memory stays until the last operation in flight that uses it is over, and
 * it stays in the ending tree while it still has to write to host memory, so that later copies of those bytes wait, or
 * while a region may follow a device pointer to it, so that whoever turns the pointer to a fresh mapping waits.
 *
 * All functions need the table's lock unless they say otherwise.
 */
#ifndef NW_MAP_TABLE_H
#define NW_MAP_TABLE_H

#include <bsd/sys/tree.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/section.h"
#include "device/device_state.h"

typedef struct nw_op nw_op_t;

/* Hints of a small table; see nw_map_table. */
#define NW_FEW_HINTS 64

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
    /* A search reads these, in one cache line of each mapping that it passes. */
    RB_ENTRY(nw_mapping) link; /* in the live tree, later in the ending tree */
    char *host;                /* first host byte */
    char *host_end;            /* behind the last */
    char *base;                /* base of the entry that made it, such as the array's begin; anywhere */
    char *device;              /* device address of *host */
    void *block;               /* device memory to free, NULL if it is not the table's */
    size_t block_size;
    uint64_t dynamic_count;
    uint64_t hold_count;
    uint64_t born;             /* number of the construct that made it */
    uint64_t copied_out;       /* number of the last construct that copies from it */
    uint64_t order;            /* tie-breaker in the ending tree */
    uint32_t users;            /* operations in flight that use it, once for each step */
    uint32_t ender_users;      /* of those, the steps of `ender` */
    bool live;
    bool ending;               /* in the ending tree */
    bool ender_waits;          /* `ender` waits until it is the only user */
    bool is_global;
    bool told;                 /* a tool has been told of it; core/tool_steps.c */
    bool is_pointee;           /* a device pointer has been made to point into it */
    bool writes_host;          /* its end copies to the host */
    struct nw_mapping *next_idle; /* list of mappings whose ender may go on; core/op.c */
    nw_op_t *ender;            /* the operation whose construct took the mapping out of the live tree */
    nw_op_t *transfer;         /* the operation that still has to copy data in, NULL if none */
    _Atomic uint32_t n_attached;
    uint32_t attached_capacity;
    nw_attachment_t *attached; /* sorted by offset */
    const char *name;          /* ";name;file;line;column;;", may be NULL */
} nw_mapping_t;

RB_HEAD(nw_live_tree, nw_mapping);
RB_HEAD(nw_ending_tree, nw_mapping);

typedef struct nw_map_table {
    pthread_mutex_t lock;
    struct nw_live_tree live;
    struct nw_ending_tree ending;
    size_t longest_ending; /* no mapping in the ending tree is longer */
    /* Where a search looks first: the mapping last found or made for an address with this hash. It may have gone since,
     * or be another one now; its structure is still a mapping's. A power of two, at least four for each live mapping,
     * so that few share one. */
    nw_mapping_t **hints;
    unsigned hint_shift; /* 64 - log2 of their number */
    size_t n_live;
    nw_mapping_t *few_hints[NW_FEW_HINTS];
    uint64_t n_constructs;
    uint64_t n_endings;
    nw_mapping_t *spare; /* free structures, linked through `ender` */
    nw_section_t *spare_sections;
    struct nw_mapping_slab *slabs; /* where structures come from; the first may have some left */
    nw_device_t *device;
} nw_map_table_t;

typedef enum nw_presence {
    NW_ABSENT,   /* no byte of the range is mapped */
    NW_PRESENT,  /* every byte is */
    NW_PARTIAL   /* some are, and some are not */
} nw_presence_t;

/* Threads: one, before use. No lock needed. */
void nw_map_table_init(nw_map_table_t *table, nw_device_t *device);

/* After fork, in the child: operations that were in flight in the parent never end here, so nobody waits for them. What
 * was mapped stays mapped. The lock may have been held. */
void nw_map_table_after_fork(nw_map_table_t *table);

/* Frees what an empty table keeps. Threads: one, after use. */
void nw_map_table_destroy(nw_map_table_t *table);

/*
 * Finds the live mapping that holds [host, host + size), or one that overlaps it (NW_PARTIAL). A range of size 0 is
 * present if it lies in a mapping. *mapping_p is set unless the answer is NW_ABSENT.
 */
nw_presence_t nw_map_table_lookup(nw_map_table_t *table, const char *host, size_t size, nw_mapping_t **mapping_p);

/* For an address that lies in no live mapping: the neighbour, before it or behind it, whose base lies beyond, so that
 * the address stands for the mapping too (OpenMP 5.1, pointer initialization: a section's base pointer). Or NULL. */
nw_mapping_t *nw_map_table_find_by_base(nw_map_table_t *table, const char *host);

/* Makes a live mapping with fresh device memory, whose address agrees with the host's in its low six bits, and counts
 * of zero. NW_ERR_DEVICE_MEMORY or NW_ERR_NO_MEMORY if it can't. The range must be absent. */
nw_status_t nw_map_table_insert(nw_map_table_t *table, char *host, size_t size, const char *name,
                                nw_mapping_t **mapping_p) NW_MUST_CHECK;

/* As insert, for device memory that is not the table's to free; the mapping lives until nw_map_table_remove. `global`:
 * the name of what has static storage, or NULL for an association. */
nw_status_t nw_map_table_associate(nw_map_table_t *table, char *host, size_t size, char *device, const char *global,
                                   nw_mapping_t **mapping_p) NW_MUST_CHECK;

/* Takes a mapping out of the live tree; `ending`: puts it into the ending tree, its ender is set. */
void nw_map_table_remove(nw_map_table_t *table, nw_mapping_t *mapping, bool ending);

/* Gives up one use. When the last use of a removed mapping goes, its memory is freed. Returns true if the mapping's
 * ender has been waiting for this and has one blocker less. */
bool nw_map_table_unuse(nw_map_table_t *table, nw_mapping_t *mapping);

/* Frees a removed mapping that nobody uses. */
void nw_map_table_discard(nw_map_table_t *table, nw_mapping_t *mapping);

/* A section for an operation to keep until it is over; NULL when memory is out. Spare ones are used again. */
nw_section_t *nw_map_table_take_section(nw_map_table_t *table);
void nw_map_table_put_section(nw_map_table_t *table, nw_section_t *section);

/* Iterates over ending mappings that overlap [host, host + size): pass NULL first, then the last answer. */
nw_mapping_t *nw_map_table_next_ending(nw_map_table_t *table, const char *host, size_t size, nw_mapping_t *after);

/* Takes a mapping out of the ending tree: it is over, or a later one that waits for it covers it. */
void nw_map_table_end(nw_map_table_t *table, nw_mapping_t *mapping);

/* Records an attached pointer. Returns true if the device pointer has to be written, in *status_p whether memory
 * sufficed. */
bool nw_mapping_attach(nw_mapping_t *mapping, size_t offset, size_t size, uintptr_t value, nw_status_t *status_p);

/* Next run of bytes in [*offset, end) that holds no attached pointer; false if there is none. Advances *offset to the
 * run's begin and sets *length_p. Takes the table's lock itself when there are attached pointers. */
bool nw_mapping_next_run(nw_map_table_t *table, nw_mapping_t *mapping, size_t *offset, size_t end, size_t *length_p);

/* Counts in words, as LLVM prints them ("INF" for NW_FOREVER). */
const char *nw_count_text(uint64_t count, char buffer[24]);

/* Prints the live mappings in LLVM's form. Takes the lock itself. */
void nw_map_table_dump(nw_map_table_t *table, const nw_ident_t *loc, int device_number, FILE *stream);

#endif
