/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Map operations. The bytes are a program of constructs on one thread and say which of the works in flight is over
 * next; the model says what it must come to (test/runtime/support/map_model.h). Programs whose outcome has no order
 * wait where they must; a construct that the model takes for an error is left out.
 */
#include <string.h>

#include "fuzz.h"
#include "support/map_model.h"

enum { MAX_OPS = 256 };

typedef struct input {
    const uint8_t *at, *end;
} input_t;

static fake_device_t fake;
static map_model_t model, trial;
static uint32_t host[MODEL_CELLS];
static nw_op_t *ops[MAX_OPS];
static size_t n_ops;

static uint8_t next(input_t *input)
{
    return input->at < input->end ? *input->at++ : 0;
}

static void drain(void)
{
    fake_finish_all(&fake);
    for (size_t i = 0; i < n_ops; i++) {
        FUZZ_CHECK(nw_op_state(ops[i]) == NW_OP_DONE, "an operation is stuck");
        op_free(ops[i]);
    }
    n_ops = 0;
    model.dropped = 0;
}

static void check(void)
{
    const char *difference = map_model_differs(&model, &fake, host);
    FUZZ_CHECK(!difference, difference);
}

static void launch(map_action_t *action, bool ordered, bool wait_for_it)
{
    trial = model;
    trial.written = 0;
    if (!map_model_apply(&trial, action))
        return;
    /* Nothing orders these but a wait before and behind them. */
    bool alone = !ordered || (trial.written & model.dropped) || n_ops == MAX_OPS;
    if (alone)
        drain();
    uint64_t dropped = alone ? trial.dropped & ~model.dropped : trial.dropped;
    model = trial;
    model.dropped = dropped;
    for (int i = action->entries[0].begin; action->writes_host && i < action->entries[0].end; i++)
        host[i] = action->first_value + (uint32_t)(i - action->entries[0].begin);
    wait_for_it = wait_for_it && n_ops == 0;
    nw_op_t *op = map_action_decide(&fake, action, host, wait_for_it);
    if (wait_for_it) {
        FUZZ_CHECK(nw_op_run(op) == NW_OK, "an operation has failed");
        op_free(op);
    } else {
        nw_op_submit(op);
        ops[n_ops++] = op;
    }
    if (!ordered)
        drain();
}

static void read_entry(input_t *input, nw_construct_kind_t kind, map_entry_t *e)
{
    static const uint64_t bits[8] = {NW_MAP_TO,       NW_MAP_FROM,  NW_MAP_ALWAYS,  NW_MAP_DELETE,
                                     NW_MAP_IMPLICIT, NW_MAP_CLOSE, NW_MAP_PRESENT, NW_MAP_HOLD};
    uint8_t types = next(input);
    e->begin = next(input) % MODEL_CELLS;
    e->end = e->begin + next(input) % 16;
    e->end = e->end < MODEL_CELLS ? e->end : MODEL_CELLS;
    e->type = 0;
    for (int i = 0; i < 8; i++)
        e->type |= types >> i & 1 ? bits[i] : 0;
    if (kind != NW_DATA_END)
        e->type &= ~(uint64_t)NW_MAP_DELETE;
}

static void read_construct(input_t *input, nw_construct_kind_t kind, uint8_t options)
{
    map_action_t action = {.kind = kind, .n = 1 + options % 3, .amount = next(input)};
    bool ordered = kind != NW_DATA_UPDATE;
    if (kind == NW_DATA_UPDATE)
        action.n = 1;
    for (int i = 0; i < action.n; i++) {
        read_entry(input, kind, &action.entries[i]);
        ordered = ordered && !(action.entries[i].type & NW_MAP_ALWAYS);
    }
    if (!ordered && options & 0x10) {
        action.writes_host = true;
        action.first_value = next(input) * 1000u;
    }
    launch(&action, ordered, options & 0x8);
}

static void finish_one(uint8_t which)
{
    if (fake.n_pending > 0)
        fake_finish(&fake, (nw_op_t *)fake.pending[which % fake.n_pending]);
}

static void unmap_all(void)
{
    for (int i = 0; i < MODEL_CELLS; i++) {
        const model_mapping_t *m = &model.mappings[i];
        map_action_t end = {.kind = NW_DATA_END, .n = 1, .entries = {{m->begin, m->end, NW_MAP_FROM}}};
        if (m->hold > 0)
            end.entries[0].type |= NW_MAP_HOLD;
        if (m->used) {
            launch(&end, true, false);
            i--;
        }
    }
    drain();
    check();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const nw_construct_kind_t kinds[4] = {NW_TARGET, NW_DATA_BEGIN, NW_DATA_END, NW_DATA_UPDATE};
    input_t input = {data, data + (size < 4096 ? size : 4096)};
    fake_device_init(&fake);
    memset(&model, 0, sizeof model);
    memset(host, 0, sizeof host);
    while (input.at < input.end) {
        uint8_t what = next(&input);
        if ((what & 7) < 4) {
            read_construct(&input, kinds[what & 7], what >> 3);
        } else if ((what & 7) < 7) {
            finish_one(what >> 3);
        } else {
            drain();
            check();
        }
    }
    drain();
    check();
    unmap_all();
    fake_device_destroy(&fake);
    return 0;
}
