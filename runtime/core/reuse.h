/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Data in flight is mapped once: a construct that maps `to` what others, not yet over, still use on the device takes
 * their mapping's memory over and copies nothing, as it would have found the data present had the others' ends been
 * decided when they come, not when they are foreseen.
 *
 * A mapping in use has the host's bytes, whatever the kernels in flight make of them, as long as one of the operations
 * in flight vouches for that: one that brings all of it, or would if it had not found it there while another vouched.
 * The host must not write to the bytes while that one is in flight, so what one brought is what the next would bring.
 * An end that writes other memory's bytes there makes it stale, and so does one of its own that writes only a part.
 *
 * Nothing waits longer for that than it would for a copy of its own: what is still to be written to the host is waited
 * for, and what would copy out does not take over what is not to be copied out. An operation that comes after one in
 * flight by a dependence must not see what that one's kernel has made of the bytes, so it takes over only what is
 * written to the host before it begins.
 */
#ifndef NW_REUSE_H
#define NW_REUSE_H

#include "core/decision.h"

/* True if data of this size may be taken over (NOWAIT_REUSE). */
static inline bool nw_reuse_is_worth(size_t size)
{
    return size >= (size_t)nw_settings.reuse && nw_settings.reuse > 0;
}

/* True if an entry of this type and range of the operation, which is absent, would take over what is in use. Needs a
 * hold of the range. */
bool nw_reuse_is_possible(const nw_op_t *op, uint64_t type, const char *host, size_t size);

/* Takes it over for entry i, as a live mapping with counts of zero; NULL: there is nothing. */
nw_mapping_t *nw_reuse(nw_decision_t *d, int32_t i, uint64_t type, char *host, size_t size);

/* An entry of this type uses a live mapping by the step, which may copy in: it vouches for the mapping if it can. */
void nw_reuse_vouch(nw_decision_t *d, nw_step_t *step, uint64_t type);

/* The construct will write to these host bytes at its end. */
void nw_reuse_outdate(nw_decision_t *d, const char *host, size_t size);

#endif
