/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/task_program.h"

#include <stdio.h>
#include <string.h>

#include "support/harness.h"
#include "tasking/libomp.h"

enum { IN = NW_DEPEND_IN, INOUT = NW_DEPEND_INOUT, MUTEX = NW_DEPEND_MUTEXINOUTSET, SET = 8 };

typedef struct draft {
    program_t *program;
    uint64_t random;
    const program_limits_t *limits;
    uint32_t favourites; /* kinds of dependences */
} draft_t;

static bool one_in(draft_t *draft, uint32_t n)
{
    return random_below(&draft->random, n) == 0;
}

static void draw_items(draft_t *draft, program_node_t *node)
{
    /* Each program has its favourites, so that they meet. */
    static const uint8_t kinds[][8] = {{IN, IN, IN, INOUT, INOUT, INOUT, MUTEX, SET},
                                       {MUTEX, MUTEX, MUTEX, MUTEX, MUTEX, MUTEX, INOUT, IN},
                                       {SET, SET, SET, SET, INOUT, IN, MUTEX, SET},
                                       {IN, IN, IN, IN, IN, INOUT, INOUT, INOUT}};
    node->n_items = (int)random_below(&draft->random, PROGRAM_ITEMS) + (node->kind == NODE_WAIT_DEPS);
    if (node->n_items == 0 && !one_in(draft, 3))
        node->n_items = 1;
    for (int i = 0; i < node->n_items; i++) {
        node->items[i].kind = kinds[draft->favourites][random_below(&draft->random, 8)];
        node->items[i].address = (int)random_below(&draft->random, one_in(draft, 2) ? 1 : PROGRAM_ADDRESSES);
    }
    if (node->n_items > 0 && one_in(draft, 16))
        node->items[node->n_items - 1] = (program_item_t){.address = PROGRAM_ALL_MEMORY, .kind = NW_DEPEND_ALL_MEMORY};
}

static node_kind_t draw_kind(draft_t *draft, int depth)
{
    uint32_t n = random_below(&draft->random, 20);
    if (n < 10)
        return NODE_REGION;
    if (n < 15 || depth > 1)
        return draft->limits->host_tasks ? NODE_HOST : NODE_REGION;
    if (n < 16)
        return draft->limits->host_tasks ? NODE_DETACHED : NODE_REGION;
    if (!draft->limits->waits)
        return NODE_REGION;
    return n < 18 ? NODE_WAIT_DEPS : n < 19 ? NODE_WAIT : NODE_GROUP;
}

/* Draws up to `most` nodes of one context. */
static void draw_list(draft_t *draft, int context, int most, int depth)
{
    program_t *program = draft->program;
    while (most > 0 && program->n_nodes < PROGRAM_NODES) {
        int begin = program->n_nodes++;
        program_node_t *node = &program->nodes[begin];
        *node = (program_node_t){.kind = draw_kind(draft, depth),
                                 .context = context,
                                 .plugin = !one_in(draft, 3),
                                 .device = (int)one_in(draft, 4)};
        if (node->kind != NODE_WAIT && node->kind != NODE_GROUP)
            draw_items(draft, node);
        node->undeferred = (node->kind == NODE_REGION || node->kind == NODE_HOST) && one_in(draft, 8);
        most--;
        if (most > 0 && (node->kind == NODE_GROUP || (node->kind == NODE_HOST && one_in(draft, 3)))) {
            int inside = 1 + (int)random_below(&draft->random, (uint32_t)most);
            bool group = node->kind == NODE_GROUP;
            if (!group)
                node->inner = program->n_contexts++;
            draw_list(draft, group ? context : node->inner, inside, depth + 1);
            most -= program->n_nodes - begin - 1;
        }
        node->end = program->n_nodes;
    }
}

uint8_t program_kind_at(const program_node_t *node, int address)
{
    uint8_t kind = 0;
    for (int i = 0; i < node->n_items; i++) {
        if (node->items[i].address == PROGRAM_ALL_MEMORY)
            return 0;
        if (node->items[i].address == address)
            kind = kind && kind != node->items[i].kind ? INOUT : node->items[i].kind;
    }
    return kind;
}

bool program_writes(uint8_t kind)
{
    return kind == INOUT || kind == MUTEX;
}

int64_t program_next(const program_t *program, int node, uint8_t kind, int64_t value)
{
    (void)program;
    return kind == MUTEX ? value + 100 + node : kind == INOUT ? value * 3 + 1 + node : value;
}

/* Goes through the program as if it were serial. */
static void foresee(program_t *program)
{
    for (int i = 0; i < program->n_nodes; i++) {
        program_node_t *node = &program->nodes[i];
        int64_t *cells = program->cells[node->context];
        if (node->kind != NODE_REGION && node->kind != NODE_HOST && node->kind != NODE_DETACHED)
            continue;
        for (int a = 0; a < PROGRAM_ADDRESSES; a++) {
            uint8_t kind = program_kind_at(node, a);
            node->reads[a] = kind == MUTEX ? -1 : cells[a];
            cells[a] = program_next(program, i, kind, cells[a]);
        }
    }
}

void program_draw(program_t *program, uint64_t seed, const program_limits_t *limits)
{
    draft_t draft = {.program = program, .random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1, .limits = limits};
    memset(program, 0, sizeof *program);
    (void)random_next(&draft.random);
    program->threads =
        limits->most_threads < 2 ? 1 : 2 + (int)random_below(&draft.random, (uint32_t)limits->most_threads - 1);
    program->alone = program->threads == 1 || one_in(&draft, 2);
    program->phases = program->threads > 1 && one_in(&draft, 3) ? 2 : 1;
    draft.favourites = random_below(&draft.random, 4);
    int sharers = program->alone ? 1 : program->threads;
    program->n_contexts = program->threads;
    int nodes = 2 + (int)random_below(&draft.random, (uint32_t)limits->most_nodes - 1);
    for (int phase = 0; phase < program->phases; phase++) {
        for (int thread = 0; thread < sharers; thread++) {
            int most = nodes / (sharers * program->phases);
            most = most < 2 ? 2 : most;
            program->shares[phase][thread].begin = program->n_nodes;
            draw_list(&draft, thread, most, 0);
            program->shares[phase][thread].end = program->n_nodes;
        }
    }
    foresee(program);
}

static bool names_all_memory(const program_node_t *node)
{
    return node->n_items > 0 && node->items[node->n_items - 1].address == PROGRAM_ALL_MEMORY;
}

relation_t program_relation(const program_node_t *first, const program_node_t *second)
{
    if (first->n_items == 0 || second->n_items == 0)
        return UNORDERED;
    if (names_all_memory(first) || names_all_memory(second))
        return BEFORE;
    relation_t relation = UNORDERED;
    for (int a = 0; a < PROGRAM_ADDRESSES; a++) {
        uint8_t one = program_kind_at(first, a), other = program_kind_at(second, a);
        if (!one || !other || (one == other && (one == IN || one == SET)))
            continue;
        if (one != MUTEX || other != MUTEX)
            return BEFORE;
        relation = EXCLUDES;
    }
    return relation;
}

static char text[8192];

static const char *kind_name(uint8_t kind)
{
    return kind == IN ? "in" : kind == INOUT ? "inout" : kind == MUTEX ? "mutexinoutset" : "inoutset";
}

static size_t write_node(size_t at, const program_t *program, int i, int depth)
{
    static const char *const names[] = {"target nowait", "task", "task detach", "taskwait", "taskwait depend", "group"};
    const program_node_t *node = &program->nodes[i];
    at += (size_t)snprintf(text + at, sizeof text - at, "%*s%d: %s", 4 * depth, "", i,
                           node->kind == NODE_REGION && node->undeferred ? "target" : names[node->kind]);
    if (node->kind == NODE_HOST && node->undeferred)
        at += (size_t)snprintf(text + at, sizeof text - at, " if(0)");
    if (node->kind == NODE_REGION)
        at += (size_t)snprintf(text + at, sizeof text - at, " device(%d)%s", node->device,
                               node->plugin ? "" : " without plugin");
    for (int k = 0; k < node->n_items; k++) {
        if (node->items[k].address == PROGRAM_ALL_MEMORY)
            at += (size_t)snprintf(text + at, sizeof text - at, " omp_all_memory");
        else
            at += (size_t)snprintf(text + at, sizeof text - at, " %s %c", kind_name(node->items[k].kind),
                                   'a' + node->items[k].address);
    }
    at += (size_t)snprintf(text + at, sizeof text - at, "\n");
    for (int k = i + 1; k < node->end; k = program->nodes[k].end)
        at = write_node(at, program, k, depth + 1);
    return at;
}

const char *program_text(const program_t *program)
{
    size_t at = (size_t)snprintf(text, sizeof text, "team of %d\n", program->threads);
    for (int phase = 0; phase < program->phases; phase++) {
        if (phase > 0)
            at += (size_t)snprintf(text + at, sizeof text - at, "barrier\n");
        for (int thread = 0; thread < (program->alone ? 1 : program->threads); thread++) {
            at += (size_t)snprintf(text + at, sizeof text - at, "thread %d\n", thread);
            int end = program->shares[phase][thread].end;
            for (int i = program->shares[phase][thread].begin; i < end; i = program->nodes[i].end)
                at = write_node(at, program, i, 1);
        }
    }
    return text;
}
