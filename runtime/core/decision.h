/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One construct while it is being decided, and what its parts share: steps, uses of mappings, waits, failures. Private
 * to the files that decide constructs (construct.c, attach.c, private_args.c). All functions need the decision's hold
 * of the device's map table.
 */
#ifndef NW_DECISION_H
#define NW_DECISION_H

#include "core/construct.h"
#include "core/coverage.h"
#include "core/map_types.h"
#include "support/info.h"
#include "support/settings.h"

typedef struct nw_decision {
    nw_op_t *op;
    nw_map_table_t *table;
    nw_map_hold_t hold; /* of all that the entries name */
    nw_construct_kind_t kind;
    const nw_map_args_t *args;
    uint32_t n_args;    /* so far */
    uint32_t first_arg; /* number of the first that map entries make */
    char *said;         /* lines of LIBOMPTARGET_INFO, each with its end, that print when the hold is given up */
    size_t said_size;
    nw_coverage_t *coverage; /* of many steps: what they copy */
    const nw_mapping_t *reused; /* the last that it has taken over; core/reuse.h */
    bool shared_memory; /* requires unified_shared_memory: host addresses are device addresses */
} nw_decision_t;

/* Ends the program over entry i, if the status is none of success; gives up the hold. */
_Noreturn void nw_decision_fail(nw_decision_t *d, int32_t i, const char *what);
void nw_decision_check(nw_decision_t *d, int32_t i, nw_status_t status);

/* LLVM's lines on a failure that is about to be told, if NOWAIT_FATAL asks for them: entry i extends a mapping; or it
 * is not present, in whole, as its modifier demands. */
void nw_decision_detail_extension(nw_decision_t *d, int32_t i, const nw_mapping_t *mapping);
void nw_decision_detail_absence(nw_decision_t *d, int32_t i);

/* The variable's name of entry i. */
nw_info_text_t nw_decision_name(const nw_decision_t *d, int32_t i);

/* Notes a line of LIBOMPTARGET_INFO, and prints what was noted, without the hold. */
void nw_decision_say(nw_decision_t *d, const char *format, ...) NW_PRINTF(2, 3) __attribute__((cold));
void nw_decision_print(nw_decision_t *d);

/* Says what happened to a mapping, if LIBOMPTARGET_INFO asks for it. */
#define NW_DECISION_TELL(bit, what, ...) \
    do { \
        if (NW_UNLIKELY(nw_settings.info & (bit))) \
            nw_decision_tell_##what(__VA_ARGS__); \
    } while (0)

/* What it calls: entry i has made it; its memory is shared; it has been found, at `host`,
 * and counted or not; an end has given up a count, or not; it is removed; bytes are copied. */
void nw_decision_tell_created(nw_decision_t *d, const nw_mapping_t *mapping, int32_t i) __attribute__((cold));
void nw_decision_tell_shared(nw_decision_t *d, const nw_mapping_t *mapping) __attribute__((cold));
void nw_decision_tell_found(nw_decision_t *d, const nw_mapping_t *mapping, int32_t i, const char *host, size_t size,
                            bool counted) __attribute__((cold));
void nw_decision_tell_given_up(nw_decision_t *d, const nw_step_t *step, bool counted) __attribute__((cold));
void nw_decision_tell_removed(nw_decision_t *d, const nw_mapping_t *mapping) __attribute__((cold));
void nw_decision_tell_copy(nw_decision_t *d, const nw_step_t *step, bool in) __attribute__((cold));

/* Appends a step for entry i. The operation's steps may move: keep no pointer to an older one. */
nw_step_t *nw_decision_add_step(nw_decision_t *d, int32_t i);

/* Appends a step that uses [host, host + size) of a mapping, and makes the operation wait if the mapping's data is on
 * its way from another construct. */
nw_step_t *nw_decision_use(nw_decision_t *d, int32_t i, nw_mapping_t *mapping, char *host, size_t size);

/* Makes the operation wait for ending mappings that still have to write to these host bytes or, if it turns a pointer
 * away from them, for `all`. `cover`: a mapping of this operation that will end too: those that it covers need not be
 * found again. */
void nw_decision_wait_for_endings(nw_decision_t *d, int32_t i, const char *host, size_t size,
                                  const nw_mapping_t *cover, bool all);

/* Whether another entry of the construct copies these bytes in the same direction. Copies in are asked about in the
 * order of the steps, copies out in reverse order. */
bool nw_decision_is_copied(nw_decision_t *d, nw_step_t *step, uint32_t direction);

/* Make a step's bytes travel, unless host and device share them. */
void nw_decision_copy_in(nw_decision_t *d, nw_step_t *step);
void nw_decision_copy_out(nw_decision_t *d, nw_step_t *step);

/* Finds what entry i takes part of, without making anything: NULL if it is absent, or if an explicit entry is only
 * partly present. Fails if the entry demands presence. */
nw_mapping_t *nw_decision_find(nw_decision_t *d, int32_t i, char *host, size_t size);

/* What the lambda's capture of entry i refers to, and in *size_p how much of it. Of a captured `this` clang says only
 * where the lambda has it. */
char *nw_decision_captured(const nw_map_args_t *args, int32_t i, size_t *size_p);

/* True if entry i makes a kernel argument. */
static inline bool nw_decision_makes_arg(const nw_decision_t *d, int32_t i)
{
    return (d->args->types[i] & NW_MAP_TARGET_PARAM) != 0;
}

#endif
