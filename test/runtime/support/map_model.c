/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/map_model.h"

#include <stdio.h>
#include <string.h>

#include "core/requirements.h"
#include "support/harness.h"

/* The bit of `requires unified_shared_memory`. */
#define UNIFIED 8u

/* What the fake device's fresh memory holds. */
#define FRESH UINT32_C(0xA5A5A5A5)

static uint64_t bits_of(int begin, int end)
{
    uint64_t bits = 0;
    for (int i = begin; i < end; i++)
        bits |= UINT64_C(1) << i;
    return bits;
}

/* The mapping that holds cell `begin`, or else the nearest one behind it that the range reaches. */
static model_mapping_t *find(map_model_t *model, int begin, int end)
{
    for (int cell = begin; cell == begin || cell < end; cell++) {
        for (int i = 0; i < MODEL_CELLS; i++) {
            model_mapping_t *m = &model->mappings[i];
            if (m->used && m->begin <= cell && cell < m->end)
                return m;
        }
    }
    return NULL;
}

static bool holds(const model_mapping_t *m, const map_entry_t *e)
{
    return m->begin <= e->begin && e->end <= m->end;
}

static void clip(const model_mapping_t *m, const map_entry_t *e, int *begin_p, int *end_p)
{
    *begin_p = e->begin > m->begin ? e->begin : m->begin;
    *end_p = e->end < m->end ? e->end : m->end;
}

/* Whether every mapping that the range touches is shared. */
static bool touches_shared_only(map_model_t *model, const map_entry_t *e)
{
    for (int i = 0; i < MODEL_CELLS; i++) {
        const model_mapping_t *m = &model->mappings[i];
        if (m->used && m->begin < e->end && e->begin < m->end && !m->is_shared)
            return false;
    }
    return model->unified;
}

static void copy_in(map_model_t *model, model_mapping_t *m, const map_entry_t *e)
{
    int begin, end;
    clip(m, e, &begin, &end);
    for (int i = begin; i < end && !m->is_shared; i++)
        m->device[i] = model->host[i];
}

static void copy_out(map_model_t *model, model_mapping_t *m, const map_entry_t *e)
{
    int begin, end;
    if (m->is_shared)
        return;
    clip(m, e, &begin, &end);
    for (int i = begin; i < end; i++)
        model->host[i] = m->device[i];
    model->written |= bits_of(begin, end);
}

static model_mapping_t *make(map_model_t *model, const map_entry_t *e)
{
    model_mapping_t *m = model->mappings;
    while (m->used)
        m++;
    *m = (model_mapping_t){.used = true, .begin = e->begin, .end = e->end, .born = model->n_actions};
    m->is_shared = model->unified && !(e->type & NW_MAP_CLOSE);
    for (int i = 0; i < MODEL_CELLS; i++)
        m->device[i] = FRESH;
    return m;
}

static bool begin_entry(map_model_t *model, const map_entry_t *e, model_mapping_t **mapping_p)
{
    model_mapping_t *m = *mapping_p = find(model, e->begin, e->end);
    /* What an entry of the same action has made was not present. */
    bool is_shared = model->unified && (m ? m->is_shared : !(e->type & NW_MAP_CLOSE));
    if ((e->type & NW_MAP_PRESENT) && (!m || m->born == model->n_actions) && !is_shared)
        return false;
    if (m && !holds(m, e) && !(e->type & NW_MAP_IMPLICIT)) {
        *mapping_p = NULL;
        return touches_shared_only(model, e);
    }
    if (!m && e->begin == e->end)
        return true;
    if (!m)
        m = *mapping_p = make(model, e);
    *(e->type & NW_MAP_HOLD ? &m->hold : &m->dynamic) += 1;
    if ((e->type & NW_MAP_TO) && (m->born == model->n_actions || (e->type & NW_MAP_ALWAYS)))
        copy_in(model, m, e);
    return true;
}

/* What an action finds that maps nothing new; false if that is an error. */
static bool find_entry(map_model_t *model, const map_entry_t *e, model_mapping_t **mapping_p)
{
    model_mapping_t *m = find(model, e->begin, e->end);
    bool is_absent = !m;
    if (m && !holds(m, e) && !(e->type & NW_MAP_IMPLICIT))
        m = NULL;
    *mapping_p = m;
    if (m || !(e->type & NW_MAP_PRESENT))
        return true;
    return is_absent ? model->unified && !(e->type & NW_MAP_CLOSE) : touches_shared_only(model, e);
}

static void give_up_count(model_mapping_t *m, uint64_t type)
{
    if (type & NW_MAP_DELETE)
        m->dynamic = 0;
    else if (type & NW_MAP_HOLD)
        m->hold -= m->hold > 0;
    else
        m->dynamic -= m->dynamic > 0;
}

/* The entries are one set: all give up their counts, all copy out, and what has no count left goes. */
static void end_entries(map_model_t *model, const map_action_t *action, model_mapping_t *found[])
{
    for (int i = 0; i < action->n; i++) {
        if (found[i])
            give_up_count(found[i], action->entries[i].type);
    }
    for (int i = action->n; i-- > 0;) {
        const map_entry_t *e = &action->entries[i];
        model_mapping_t *m = found[i];
        if (m && (e->type & NW_MAP_FROM) && e->begin < e->end &&
            (m->dynamic + m->hold == 0 || (e->type & NW_MAP_ALWAYS))) {
            copy_out(model, m, e);
            m->copied = model->n_actions;
        }
    }
    for (int i = 0; i < action->n; i++) {
        model_mapping_t *m = found[i];
        if (!m || !m->used || m->dynamic + m->hold > 0)
            continue;
        m->used = false;
        if (m->copied != model->n_actions && !m->is_shared)
            model->dropped |= bits_of(m->begin, m->end);
    }
}

static bool update_entry(map_model_t *model, const map_entry_t *e)
{
    model_mapping_t *m;
    if (e->begin == e->end)
        return true;
    if (!find_entry(model, e, &m))
        return false;
    if (m && (e->type & NW_MAP_TO))
        copy_in(model, m, e);
    if (m && (e->type & NW_MAP_FROM))
        copy_out(model, m, e);
    return true;
}

/* m: NULL: the range is shared as it is. */
static void add_amount(map_model_t *model, model_mapping_t *m, const map_entry_t *e, uint32_t amount)
{
    int begin = e->begin, end = e->end;
    if (m)
        clip(m, e, &begin, &end);
    uint32_t *cells = m && !m->is_shared ? m->device : model->host;
    for (int i = begin; i < end; i++)
        cells[i] += amount;
}

void map_model_unify(map_model_t *model)
{
    model->unified = true;
    nw_requirements_add(UNIFIED);
}

bool map_model_apply(map_model_t *model, const map_action_t *action)
{
    model_mapping_t *found[MODEL_ENTRIES] = {0};
    model->n_actions++;
    for (int i = action->entries[0].begin; action->writes_host && i < action->entries[0].end; i++)
        model->host[i] = action->first_value + (uint32_t)(i - action->entries[0].begin);
    for (int i = 0; i < action->n; i++) {
        const map_entry_t *e = &action->entries[i];
        if (action->kind == NW_DATA_UPDATE) {
            if (!update_entry(model, e))
                return false;
        } else if (action->kind == NW_DATA_END) {
            if (!find_entry(model, e, &found[i]))
                return false;
        } else if (!begin_entry(model, e, &found[i])) {
            return false;
        }
    }
    for (int i = 0; action->kind == NW_TARGET && i < action->n; i++) {
        if (found[i] || model->unified)
            add_amount(model, found[i], &action->entries[i], action->amount);
    }
    if (action->kind == NW_TARGET || action->kind == NW_DATA_END)
        end_entries(model, action, found);
    return true;
}

static const char *mapping_differs(const model_mapping_t *m, const nw_mapping_t *real, const uint32_t *host)
{
    static char words[160];
    const uint32_t *device = (const uint32_t *)real->device;
    if ((const uint32_t *)real->host != host + m->begin || (const uint32_t *)real->host_end != host + m->end)
        return "a mapping has another range";
    if (real->dynamic_count != m->dynamic || real->hold_count != m->hold) {
        snprintf(words, sizeof words, "cells %d to %d are counted %d + %d times, not %u + %u", m->begin, m->end,
                 (int)real->dynamic_count, (int)real->hold_count, m->dynamic, m->hold);
        return words;
    }
    if (real->users != 0 || real->transfer)
        return "a mapping is still in use";
    if (real->is_shared != m->is_shared || (m->is_shared && real->device != real->host))
        return "a mapping has memory where it should not, or has none";
    for (int i = m->begin; i < m->end && !m->is_shared; i++) {
        if (device[i - m->begin] != m->device[i]) {
            snprintf(words, sizeof words, "the device's cell %d is %u, not %u", i, device[i - m->begin], m->device[i]);
            return words;
        }
    }
    return NULL;
}

const char *map_model_differs(const map_model_t *model, fake_device_t *fake, const uint32_t *host)
{
    static char words[160];
    size_t n = 0;
    for (int i = 0; i < MODEL_CELLS; i++) {
        if (host[i] != model->host[i]) {
            snprintf(words, sizeof words, "the host's cell %d is %u, not %u", i, host[i], model->host[i]);
            return words;
        }
    }
    for (int i = 0; i < MODEL_CELLS; i++) {
        const model_mapping_t *m = &model->mappings[i];
        if (!m->used)
            continue;
        n++;
        const nw_mapping_t *real = fake_mapping(fake, host + m->begin);
        const char *difference = real ? mapping_differs(m, real, host) : "a mapping is missing";
        if (difference)
            return difference;
    }
    if (fake_count_live(fake) != n)
        return "there are more mappings than there should be";
    return fake_count_ending(fake) == 0 ? NULL : "a mapping has not come to its end";
}

/* Arguments: the amount, firstprivate, and the sections. The plan: their number, and the first cell that the device has
 * and the number of such cells of each. */
static void add_to_sections(const nw_launch_t *launch)
{
    const int32_t *plan = launch->kernel->plan;
    uint32_t amount = *(const uint32_t *)launch->args[0];
    for (int32_t i = 0; i < plan[0]; i++) {
        uint32_t *section = (uint32_t *)launch->args[1 + i];
        for (int32_t k = 0; k < plan[2 + 2 * i]; k++)
            __atomic_fetch_add(&section[plan[1 + 2 * i] + k], amount, __ATOMIC_RELAXED);
    }
}

static void plan_kernel(nw_op_t *op, const map_action_t *action, const uint32_t *host)
{
    int32_t *plan = op->work.launch.kernel->plan;
    plan[0] = action->n;
    for (int i = 0; nw_requirements_shared_memory() && i < action->n; i++)
        plan[2 + 2 * i] = action->entries[i].end - action->entries[i].begin;
    for (uint32_t s = 0; s < op->work.n_steps; s++) {
        const nw_step_t *step = &op->work.steps[s];
        int32_t i = step->entry - 1;
        if (i < 0 || !step->mapping)
            continue;
        const map_entry_t *e = &action->entries[i];
        int begin = (int)((const uint32_t *)step->mapping->host - host);
        int end = (int)((const uint32_t *)step->mapping->host_end - host);
        begin = begin > e->begin ? begin : e->begin;
        end = end < e->end ? end : e->end;
        plan[1 + 2 * i] = begin - e->begin;
        plan[2 + 2 * i] = end - begin;
    }
}

nw_op_t *map_action_decide(fake_device_t *fake, map_action_t *action, uint32_t *host, bool waited_for)
{
    construct_t c = {0};
    uint32_t amount = action->amount;
    bool is_target = action->kind == NW_TARGET;
    if (is_target)
        construct_map(&c, &amount, sizeof amount, NW_MAP_PRIVATE | NW_MAP_TO | NW_MAP_TARGET_PARAM);
    for (int i = 0; i < action->n; i++) {
        const map_entry_t *e = &action->entries[i];
        construct_map(&c, host + e->begin, (size_t)(e->end - e->begin) * sizeof *host,
                      e->type | (is_target ? NW_MAP_TARGET_PARAM : 0));
    }
    nw_op_t *op = construct_decide(fake, &c, action->kind, is_target ? add_to_sections : NULL, waited_for);
    amount = 0;
    action->order = op->construct;
    if (is_target)
        plan_kernel(op, action, host);
    return op;
}
