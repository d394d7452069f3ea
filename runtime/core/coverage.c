/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/coverage.h"

#include <stdlib.h>

#include "core/map_index.h"
#include "core/op.h"
#include "support/log.h"

/* So many steps are looked through as fast as an index is made. */
#define FEW_STEPS 32

/* Of the steps that copy, those whose bytes no other holds, by their begin: so their ends ascend, too, and the last
 * that begins before a byte reaches farthest. */
struct nw_coverage {
    nw_index_t index; /* values are numbers of steps, plus 1 */
    uint32_t direction;
    uint32_t n_seen; /* steps in the index, from the first on, or from the last back */
};

static const char *begin_of(const nw_work_t *work, const void *value)
{
    return work->steps[(uintptr_t)value - 1].host;
}

static const char *end_of(const nw_work_t *work, const void *value)
{
    return begin_of(work, value) + work->steps[(uintptr_t)value - 1].size;
}

static bool holds(const nw_coverage_t *coverage, const nw_work_t *work, const nw_step_t *step)
{
    void *above, *below = nw_index_floor(&coverage->index, (uintptr_t)step->host, &above);
    return below && end_of(work, below) >= step->host + step->size;
}

/* Takes out those that the step, which no other holds, holds. */
static void remove_held(nw_coverage_t *coverage, const nw_work_t *work, const nw_step_t *step)
{
    for (;;) {
        void *next, *below = nw_index_floor(&coverage->index, (uintptr_t)step->host, &next);
        if (below && begin_of(work, below) == step->host)
            next = below;
        if (!next || end_of(work, next) > step->host + step->size)
            return;
        nw_index_remove(&coverage->index, (uintptr_t)begin_of(work, next));
    }
}

static bool add(nw_coverage_t *coverage, const nw_work_t *work, uint32_t s)
{
    const nw_step_t *step = &work->steps[s];
    if (!step->mapping || !(step->flags & coverage->direction) || holds(coverage, work, step))
        return true;
    remove_held(coverage, work, step);
    if (!nw_index_reserve(&coverage->index))
        return false;
    nw_index_insert(&coverage->index, (uintptr_t)step->host, (void *)((uintptr_t)s + 1));
    return true;
}

/* Few steps. */
static bool search(const nw_work_t *work, const nw_step_t *step, uint32_t direction)
{
    for (uint32_t i = 0; i < work->n_steps; i++) {
        const nw_step_t *s = &work->steps[i];
        if (s != step && s->mapping == step->mapping && (s->flags & direction) && s->host <= step->host &&
            s->host + s->size >= step->host + step->size)
            return true;
    }
    return false;
}

/* The other direction has its own. */
static nw_coverage_t *begin(nw_coverage_t *coverage, uint32_t direction)
{
    if (coverage && coverage->direction == direction)
        return coverage;
    nw_coverage_free(coverage);
    coverage = calloc(1, sizeof *coverage);
    if (coverage)
        coverage->direction = direction;
    return coverage;
}

nw_status_t nw_coverage_find(nw_coverage_t **coverage_p, const nw_work_t *work, uint32_t s, uint32_t direction,
                             bool *covered_p)
{
    if (NW_LIKELY(work->n_steps <= FEW_STEPS)) {
        *covered_p = search(work, &work->steps[s], direction);
        return NW_OK;
    }
    bool is_in = direction == NW_STEP_IN;
    nw_coverage_t *coverage = *coverage_p = begin(*coverage_p, direction);
    uint32_t n_before = is_in ? s : work->n_steps - 1 - s;
    for (; coverage && coverage->n_seen < n_before; coverage->n_seen++) {
        if (!add(coverage, work, is_in ? coverage->n_seen : work->n_steps - 1 - coverage->n_seen))
            return NW_ERR_NO_MEMORY;
    }
    if (!coverage)
        return NW_ERR_NO_MEMORY;
    *covered_p = holds(coverage, work, &work->steps[s]);
    return NW_OK;
}

void nw_coverage_free(nw_coverage_t *coverage)
{
    if (coverage)
        nw_index_destroy(&coverage->index);
    free(coverage);
}
