/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which bytes the steps of a construct copy already, so that none are copied twice in one direction: two pointers to
 * one array, or the members of an array that is mapped as a whole. Few steps are looked through; of many, an index is
 * made. Threads: one, with the decision's hold. Nothing blocks.
 */
#ifndef NW_COVERAGE_H
#define NW_COVERAGE_H

#include "device/device.h"

typedef struct nw_coverage nw_coverage_t;

/* Sets *covered_p to whether another step of the work copies all bytes of step number s in a direction (NW_STEP_IN or
 * NW_STEP_OUT). Copies in are asked about in the order of the steps, copies out in reverse order, and both lie in their
 * mappings. *coverage_p: what is known so far, NULL at first. NW_ERR_NO_MEMORY if that can't grow. */
nw_status_t nw_coverage_find(nw_coverage_t **coverage_p, const nw_work_t *work, uint32_t s, uint32_t direction,
                             bool *covered_p) NW_MUST_CHECK;

/* NULL: nothing. */
void nw_coverage_free(nw_coverage_t *coverage);

#endif
