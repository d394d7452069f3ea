/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sections that do not lie together (OpenMP 5.2, sections 3.2.5, 13.9): what `target update to(a[0:n:2][0:m])` moves.
 *
 * Compiled code describes one by an array of records {offset, count, stride}, one for each dimension, outermost first,
 * strides in bytes, and a last one for the element. The entry's size should be the number of records, but clang 19 and
 * 22 pass bytes instead when a length is known only at run time (llvm/llvm-project issue 61452), so the records are
 * counted here. The offset is in units of the dimension, whose size is not passed: where a dimension other than the
 * innermost has both an offset and a stride above one, a description alone does not tell where the section begins. The
 * plugin knows, and writes it into the last record; see NOWAIT_SECTION_PLACED in nowait/abi.h.
 */
#ifndef NW_SECTION_H
#define NW_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/status.h"

/* Most dimensions that a description may have; clang's own limit is that of the source. */
#define NW_MAX_DIMENSIONS 16

/* Bytes of one record of a description. */
#define NW_SECTION_RECORD 24

typedef struct nw_dimension {
    size_t count;
    size_t stride; /* bytes */
} nw_dimension_t;

/* A section as runs of equal length; dimensions that lie together have become part of the run. */
typedef struct nw_section {
    struct nw_section *next; /* among spare ones */
    size_t run;              /* bytes of one run */
    size_t n_runs;
    size_t extent;           /* bytes from the first to behind the last; 0: empty */
    uint32_t n_dimensions;
    bool placed;             /* the description says where the section begins */
    nw_dimension_t dimensions[NW_MAX_DIMENSIONS]; /* of the runs, outermost first */
} nw_section_t;

/* Returns the number of records of a description; 0 if it has no end. `size`: of its map entry. */
uint32_t nw_section_count_records(const void *description, int64_t size);

/* Reads a description into *section_p, and into *begin_p the address of its first byte. base: of the map entry.
 * NW_ERR_INVALID if it makes no sense. */
nw_status_t nw_section_read(const void *description, int64_t size, char *base, nw_section_t *section_p,
                            char **begin_p) NW_MUST_CHECK;

/* Byte distance of run number i from the section's begin. */
size_t nw_section_run_at(const nw_section_t *section, size_t i);

#endif
