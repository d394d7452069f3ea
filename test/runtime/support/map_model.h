/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What mapping must come to, said as simply as possible: an array of cells, a list of mappings, one action after the
 * other, each done at once. And the same actions as constructs on a fake device, to compare with.
 *
 * The outcome of constructs that overlap in time is determined if no two of them touch the same bytes without an order
 * that OpenMP or this runtime gives them. Ordered are: a copy to the device and whatever uses that mapping; a copy to
 * the host at the end of a mapping and every later copy of those bytes; the end of a mapping with such a copy and
 * everything that used the mapping. Not ordered are update, `always`, and a copy to the device whose mapping has gone
 * without a copy back, against a later copy to those host bytes (a region that reads a variable and one that writes
 * it): who runs actions waits around these.
 */
#ifndef NW_TEST_MAP_MODEL_H
#define NW_TEST_MAP_MODEL_H

#include "core/map_types.h"
#include "support/fake_device.h"

enum { MODEL_CELLS = 64, MODEL_ENTRIES = 4 };

/* Cells [begin, end). */
typedef struct map_entry {
    int begin, end;
    uint64_t type;
} map_entry_t;

/* One construct. */
typedef struct map_action {
    uint64_t order; /* its number in the table's order, once it has been decided */
    nw_construct_kind_t kind;
    int n;
    map_entry_t entries[MODEL_ENTRIES];
    uint32_t amount;  /* what a target's kernel adds to every present cell of its entries */
    bool writes_host; /* before it, the program sets the host's cells of the first entry to first_value, + 1, ... */
    uint32_t first_value;
} map_action_t;

typedef struct model_mapping {
    bool used;
    bool is_shared; /* has no device cells: the host's are the device's */
    int begin, end;
    uint32_t dynamic, hold;
    uint64_t born;   /* number of the action that made it */
    uint64_t copied; /* and of the last whose end copied from it */
    uint32_t device[MODEL_CELLS];
} model_mapping_t;

typedef struct map_model {
    bool unified; /* the program requires unified shared memory: what is not mapped `close` is shared */
    uint64_t n_actions;
    uint32_t host[MODEL_CELLS];
    model_mapping_t mappings[MODEL_CELLS];
    /* Cells, one bit each, since the caller last cleared them: copied to the host, and of mappings that have gone
     * without a copy to the host. */
    uint64_t written, dropped;
} map_model_t;

/* Sets what the program requires. It can't be taken back, in the process. */
void map_model_unify(map_model_t *model);

/* Does an action. False if it is an error that ends a program; the model is then of no more use. */
bool map_model_apply(map_model_t *model, const map_action_t *action);

/* Compares host memory, and with it the fake device's table and memory, with the model. NULL if they agree, or what
 * does not, in words that the next call overwrites. No work may be in flight. */
const char *map_model_differs(const map_model_t *model, fake_device_t *fake, const uint32_t *host);

/* Decides an action as a construct on `host` and sets its order; to be submitted, or run if it is waited for. */
nw_op_t *map_action_decide(fake_device_t *fake, map_action_t *action, uint32_t *host, bool waited_for);

#endif
