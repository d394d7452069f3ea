/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/graph.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/log.h"
#include "support/trace.h"

#define BUCKETS 256u
/* Nodes, and links, that are made at a time. */
#define BLOCK 32u
#define FIRST_PLACES 8u
/* Up to so many the table grows whenever it is full, so that the addresses of most programs find their places again. */
#define KEPT_PLACES 4096u
/* Links of a place after which it is looked through for nodes that are over. */
#define FIRST_PRUNE 8u

/* A node in the list of a place. */
typedef struct link {
    struct link *next;
    nw_node_t *node;
} link_t;

/* What the children have done with an address. */
typedef struct place {
    intptr_t address;
    nw_node_t *out; /* the last that wrote, unless it is in one of the lists' past */
    link_t *set;    /* since then, newest first: those that read, or are of an inoutset or a mutexinoutset; */
    link_t *before; /* and those of another kind, before these */
    uint32_t n_set, prune_at;
    uint8_t kind;   /* of `set`: NW_DEPEND_IN etc.; 0: it is empty */
    bool used;
} place_t;

struct nw_graph {
    const void *task;
    nw_graph_t *next;  /* in its bucket */
    uint32_t users;    /* threads that remember it; guarded by the bucket's lock */
    /* From here on of the thread that runs the task. */
    place_t *places;   /* by hash, open addressing */
    uint32_t n_places, capacity;
    nw_node_t *all;    /* the last that named omp_all_memory */
    link_t *open_hosts;
    uint64_t visit;
    link_t *free_links;
    nw_node_t *free_nodes;
    uint32_t n_nodes, n_free; /* nodes that there are, and that are in the list before */
    nw_node_t *_Atomic returned; /* by other threads */
};

static struct bucket {
    _Alignas(64) pthread_mutex_t lock;
    nw_graph_t *graphs;
} buckets[BUCKETS] = {[0 ... BUCKETS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};

static nw_graph_calls_t calls;

static _Atomic bool open_hosts_seen;

/* The end of a list that takes no more. */
static nw_edge_t closed_end;
#define CLOSED (&closed_end)

static _Thread_local struct {
    const void *task; /* whose graph was asked for last */
    nw_graph_t *graph;
    nw_node_t *over, **last_over; /* nodes whose followers have still to be told; NULL: nobody is at it */
    nw_node_t *decided, **last_decided;
} self;

void nw_graph_set_calls(const nw_graph_calls_t *new_calls)
{
    calls = *new_calls;
}

static uint64_t hash_of(uint64_t value)
{
    value *= UINT64_C(0x9E3779B97F4A7C15);
    return value ^ value >> 32;
}

/* ---- nodes ---- */

static bool is_host(const nw_node_t *node)
{
    return node->kind == NW_NODE_HOST || node->kind == NW_NODE_OPEN_HOST;
}

static void give_up(nw_node_t *node)
{
    /* Release and acquire: the last one may hand the memory on. */
    if (atomic_fetch_sub_explicit(&node->holds, 1, memory_order_acq_rel) != 1)
        return;
    nw_graph_t *graph = node->graph;
    nw_node_finish(node);
    nw_node_t *first = atomic_load_explicit(&graph->returned, memory_order_relaxed);
    do
        node->next = first;
    while (!atomic_compare_exchange_weak_explicit(&graph->returned, &first, node, memory_order_release,
                                                  memory_order_relaxed));
}

/* Takes what other threads have returned. */
static void collect(nw_graph_t *graph)
{
    nw_node_t *node = atomic_exchange_explicit(&graph->returned, NULL, memory_order_acquire);
    while (node) {
        nw_node_t *next = node->next;
        node->next = graph->free_nodes;
        graph->free_nodes = node;
        graph->n_free++;
        node = next;
    }
}

static nw_node_t *take_node(nw_graph_t *graph, nw_node_kind_t kind)
{
    if (!graph->free_nodes)
        collect(graph);
    if (!graph->free_nodes) {
        nw_node_t *block = calloc(BLOCK, sizeof *block);
        if (!block)
            return NULL;
        for (uint32_t i = 0; i < BLOCK; i++) {
            block[i].next = graph->free_nodes;
            graph->free_nodes = &block[i];
        }
        graph->n_nodes += BLOCK;
        graph->n_free += BLOCK;
    }
    nw_node_t *node = graph->free_nodes;
    graph->free_nodes = node->next;
    graph->n_free--;
    node->graph = graph;
    nw_node_begin(node, kind);
    /* The construct's, and one until it is over. */
    atomic_store_explicit(&node->holds, 2, memory_order_relaxed);
    return node;
}

void nw_node_begin(nw_node_t *node, nw_node_kind_t kind)
{
    node->task = NULL;
    node->kind = (uint8_t)kind;
    node->n_edges = 0;
    node->more_edges = NULL;
    node->visit = 0;
    node->trace = 0;
    atomic_store_explicit(&node->pending, 1, memory_order_relaxed);
    atomic_store_explicit(&node->undecided, 1, memory_order_relaxed);
    atomic_store_explicit(&node->at_end, NULL, memory_order_relaxed);
    /* Of a host task nothing is decided before it is over. */
    atomic_store_explicit(&node->at_decision, is_host(node) ? CLOSED : NULL, memory_order_relaxed);
}

/* Acquire: what the task has done is seen. */
static bool is_over(const nw_node_t *node)
{
    return atomic_load_explicit(&node->at_end, memory_order_acquire) == CLOSED;
}

static bool is_decided(const nw_node_t *node)
{
    return atomic_load_explicit(&node->at_decision, memory_order_acquire) == CLOSED;
}

static nw_edge_t *take_edge(nw_node_t *node)
{
    nw_more_edges_t *more = node->more_edges;
    if (node->n_edges < NW_NODE_EDGES)
        return &node->edges[node->n_edges++];
    if (!more || more->n == NW_MORE_EDGES) {
        more = malloc(sizeof *more);
        if (!more)
            return NULL;
        more->n = 0;
        more->next = node->more_edges;
        node->more_edges = more;
    }
    return &more->edges[more->n++];
}

/* Puts an edge into a list; leaves it alone if the list is closed, since nothing is in the way any more. */
static bool add_edge(nw_node_t *node, nw_edge_t *_Atomic *list, bool decides)
{
    if (atomic_load_explicit(list, memory_order_acquire) == CLOSED)
        return true;
    nw_edge_t *edge = take_edge(node);
    if (!edge)
        return false;
    _Atomic uint32_t *count = decides ? &node->undecided : &node->pending;
    edge->to = node;
    edge->decides = decides;
    atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
    nw_edge_t *first = atomic_load_explicit(list, memory_order_acquire);
    do {
        if (first == CLOSED) {
            atomic_fetch_sub_explicit(count, 1, memory_order_relaxed);
            return true;
        }
        edge->next = first;
    } while (!atomic_compare_exchange_weak_explicit(list, &first, edge, memory_order_acq_rel, memory_order_acquire));
    return true;
}

static void now_decided(nw_node_t *node);

/* One less of what the node counts. */
static void settle(nw_node_t *node, bool decides)
{
    _Atomic uint32_t *count = decides ? &node->undecided : &node->pending;
    /* Acquire and release: the last one to arrive sees what all have done. */
    if (atomic_fetch_sub_explicit(count, 1, memory_order_acq_rel) != 1)
        return;
    if (decides)
        now_decided(node);
    else if (!is_host(node))
        calls.start(node);
}

/* Closes a list and tells those in it. */
static void close_list(nw_node_t *node, nw_edge_t *_Atomic *list, const char *why)
{
    nw_edge_t *edge = atomic_exchange_explicit(list, CLOSED, memory_order_acq_rel);
    while (edge && edge != CLOSED) {
        /* The edge belongs to the node that follows, which may be over, and gone, at once. */
        nw_edge_t *next = edge->next;
        if (NW_UNLIKELY(why && node->trace && edge->to->trace))
            nw_trace_edge(node->trace, edge->to->trace, why);
        settle(edge->to, edge->decides);
        edge = next;
    }
}

/* Decides nodes one after the other: what one of them sets off joins the list, so chains need no stack. */
static void now_decided(nw_node_t *node)
{
    bool outermost = !self.last_decided;
    if (outermost)
        self.last_decided = &self.decided;
    node->next = NULL;
    *self.last_decided = node;
    self.last_decided = &node->next;
    if (!outermost)
        return;
    while ((node = self.decided)) {
        self.decided = node->next;
        if (!self.decided)
            self.last_decided = &self.decided;
        if (node->kind == NW_NODE_REGION)
            calls.decide(node);
        close_list(node, &node->at_decision, NULL);
        settle(node, false);
    }
    self.last_decided = NULL;
}

void nw_node_over(nw_node_t *node)
{
    bool outermost = !self.last_over;
    if (outermost)
        self.last_over = &self.over;
    node->next = NULL;
    *self.last_over = node;
    self.last_over = &node->next;
    if (!outermost)
        return;
    while ((node = self.over)) {
        self.over = node->next;
        if (!self.over)
            self.last_over = &self.over;
        close_list(node, &node->at_end, "depend");
        give_up(node);
    }
    self.last_over = NULL;
}

void nw_graph_entered(nw_node_t *node)
{
    /* Deciding and starting need the node no longer than until it is over, which gives up a hold of its own. */
    settle(node, true);
    give_up(node);
}

bool nw_node_is_undecided(const nw_node_t *node)
{
    return atomic_load_explicit(&node->undecided, memory_order_acquire) > 1;
}

void nw_node_begun(nw_node_t *node)
{
    settle(node, false);
}

void nw_node_finish(nw_node_t *node)
{
    while (node->more_edges) {
        nw_more_edges_t *next = node->more_edges->next;
        free(node->more_edges);
        node->more_edges = next;
    }
}

/* ---- lists of a graph's ---- */

static link_t *take_link(nw_graph_t *graph)
{
    if (!graph->free_links) {
        link_t *block = malloc(BLOCK * sizeof *block);
        if (!block)
            return NULL;
        for (uint32_t i = 0; i < BLOCK; i++) {
            block[i].next = graph->free_links;
            graph->free_links = &block[i];
        }
    }
    link_t *link = graph->free_links;
    graph->free_links = link->next;
    return link;
}

static void hold(nw_node_t *node)
{
    atomic_fetch_add_explicit(&node->holds, 1, memory_order_relaxed);
}

static bool push(nw_graph_t *graph, link_t **list, nw_node_t *node)
{
    link_t *link = take_link(graph);
    if (!link)
        return false;
    hold(node);
    *link = (link_t){.next = *list, .node = node};
    *list = link;
    return true;
}

/* Takes nodes out of a list: all, or those that are over. Returns how many stay. */
static uint32_t drop(nw_graph_t *graph, link_t **list, bool all)
{
    uint32_t n = 0;
    for (link_t *link; (link = *list);) {
        if (!all && !is_over(link->node)) {
            list = &link->next;
            n++;
            continue;
        }
        *list = link->next;
        give_up(link->node);
        link->next = graph->free_links;
        graph->free_links = link;
    }
    return n;
}

static void set_out(place_t *place, nw_node_t *node)
{
    nw_node_t *old = place->out;
    if (node)
        hold(node);
    place->out = node;
    if (old)
        give_up(old);
}

static void empty(nw_graph_t *graph, place_t *place)
{
    set_out(place, NULL);
    drop(graph, &place->set, true);
    drop(graph, &place->before, true);
    place->n_set = 0;
    place->kind = 0;
}

/* Whether nothing in the place is unfinished. Drops what is over. */
static bool is_idle(nw_graph_t *graph, place_t *place)
{
    if (place->out && is_over(place->out))
        set_out(place, NULL);
    place->n_set = drop(graph, &place->set, false);
    if (place->n_set == 0)
        place->kind = 0;
    return drop(graph, &place->before, false) == 0 && place->n_set == 0 && !place->out;
}

/* ---- places ---- */

static place_t *search(place_t *places, uint32_t capacity, intptr_t address)
{
    uint32_t at = (uint32_t)hash_of((uint64_t)address) & (capacity - 1);
    while (places[at].used && places[at].address != address)
        at = (at + 1) & (capacity - 1);
    return &places[at];
}

/* Forgets the places in which nothing is unfinished, and makes room for as many as are left. */
static bool resize(nw_graph_t *graph)
{
    uint32_t left = 0, capacity = graph->capacity > 0 ? graph->capacity : FIRST_PLACES;
    for (uint32_t i = 0; i < graph->capacity; i++)
        left += graph->places[i].used && !is_idle(graph, &graph->places[i]);
    if (graph->capacity > 0 && capacity < KEPT_PLACES)
        capacity *= 2;
    while (capacity < 4 * (left + 1))
        capacity *= 2;
    place_t *places = calloc(capacity, sizeof *places);
    if (!places)
        return false;
    for (uint32_t i = 0; i < graph->capacity; i++) {
        place_t *place = &graph->places[i];
        if (!place->used)
            continue;
        /* Those that have become idle since may come along. */
        if (place->out || place->set || place->before)
            *search(places, capacity, place->address) = *place;
    }
    free(graph->places);
    graph->places = places;
    graph->capacity = capacity;
    graph->n_places = left;
    return true;
}

/* Returns NULL if memory is out. */
static place_t *place_of(nw_graph_t *graph, intptr_t address)
{
    if (graph->capacity > 0) {
        place_t *place = search(graph->places, graph->capacity, address);
        if (place->used)
            return place;
    }
    if (2 * (graph->n_places + 1) > graph->capacity && !resize(graph))
        return NULL;
    place_t *place = search(graph->places, graph->capacity, address);
    *place = (place_t){.address = address, .used = true, .prune_at = FIRST_PRUNE};
    graph->n_places++;
    return place;
}

static void forget_all(nw_graph_t *graph)
{
    for (uint32_t i = 0; i < graph->capacity; i++) {
        if (graph->places[i].used)
            empty(graph, &graph->places[i]);
        graph->places[i].used = false;
    }
    graph->n_places = 0;
    if (graph->all)
        give_up(graph->all);
    graph->all = NULL;
}

/* ---- what follows what ---- */

/* A construct that looks at the graph. */
typedef struct visit {
    nw_graph_t *graph;
    nw_node_t *node; /* that is to follow; NULL: it only looks */
    nw_node_t *gate; /* that is to follow the regions; may be the node, or NULL */
    uint64_t number;
    unsigned followed; /* bits */
    bool no_memory;
} visit_t;

static void meet(visit_t *v, nw_node_t *node)
{
    if (node == v->node || node->visit == v->number)
        return;
    node->visit = v->number;
    if (is_over(node))
        return;
    bool host = is_host(node);
    bool early = !host && !is_decided(node);
    v->followed |= node->kind == NW_NODE_OPEN_HOST ? NW_FOLLOWS_OPEN_HOST
                   : host                          ? NW_FOLLOWS_HOST
                   : early                         ? NW_FOLLOWS_REGION | NW_FOLLOWS_UNDECIDED
                                                   : NW_FOLLOWS_REGION;
    nw_node_t *follower = v->gate;
    bool in_order = follower && (follower->kind == NW_NODE_REGION || follower->kind == NW_NODE_CALL);
    if (!follower || (host && !in_order))
        return;
    bool added = add_edge(follower, &node->at_end, host);
    if (early && in_order)
        added = added && add_edge(follower, &node->at_decision, true);
    v->no_memory |= !added;
}

static void meet_list(visit_t *v, const link_t *list)
{
    for (; list; list = list->next)
        meet(v, list->node);
}

/* Meets those of a mutexinoutset. libomp keeps the host tasks among them apart; the newest region follows all that came
 * before it. */
static void meet_exclusive(visit_t *v, const link_t *list)
{
    for (; list; list = list->next) {
        meet(v, list->node);
        if (!is_host(list->node))
            return;
    }
}

/* Meets what a dependence of this kind follows. */
static void meet_place(visit_t *v, const place_t *place, uint8_t kind)
{
    bool joins = kind != 0 && kind == place->kind;
    if (joins && kind == NW_DEPEND_MUTEXINOUTSET)
        meet_exclusive(v, place->set);
    meet_list(v, joins || place->kind == 0 ? place->before : place->set);
    /* Those in the set come after the last that wrote. */
    if (place->out && (joins || !place->set))
        meet(v, place->out);
}

/* 0: it comes after all others, and before. */
static uint8_t kind_of(const struct nowait_depend_info *dep)
{
    bool shares = dep->flags == NW_DEPEND_IN || dep->flags == NW_DEPEND_INOUTSET ||
                  dep->flags == NW_DEPEND_MUTEXINOUTSET;
    return shares ? dep->flags : 0;
}

/* Enters the visit's node in a place. */
static void enter_place(visit_t *v, place_t *place, uint8_t kind)
{
    nw_graph_t *graph = v->graph;
    if (kind == 0) {
        empty(graph, place);
        set_out(place, v->node);
        place->prune_at = FIRST_PRUNE;
        return;
    }
    if (place->kind != kind && place->set) {
        drop(graph, &place->before, true);
        place->before = place->set;
        place->set = NULL;
        place->n_set = 0;
        set_out(place, NULL);
    }
    place->kind = kind;
    if (place->n_set >= place->prune_at) {
        place->n_set = drop(graph, &place->set, false);
        place->prune_at = 2 * place->n_set + FIRST_PRUNE;
    }
    v->no_memory |= !push(graph, &place->set, v->node);
    place->n_set++;
}

static void meet_everything(visit_t *v)
{
    for (uint32_t i = 0; i < v->graph->capacity; i++) {
        const place_t *place = &v->graph->places[i];
        if (!place->used)
            continue;
        meet_place(v, place, 0);
    }
}

static void meet_all(visit_t *v, int32_t n, const struct nowait_depend_info *deps, bool enters)
{
    for (int32_t i = 0; i < n; i++) {
        if (nw_is_all_memory(&deps[i])) {
            meet_everything(v);
            if (enters) {
                forget_all(v->graph);
                hold(v->node);
                v->graph->all = v->node;
            }
            continue;
        }
        place_t *place = enters                 ? place_of(v->graph, deps[i].base)
                         : v->graph->capacity > 0 ? search(v->graph->places, v->graph->capacity, deps[i].base)
                                                  : NULL;
        if (!place) {
            v->no_memory |= enters;
            continue;
        }
        if (!place->used)
            continue;
        uint8_t kind = kind_of(&deps[i]);
        meet_place(v, place, kind);
        if (enters && !v->no_memory)
            enter_place(v, place, kind);
    }
}

static void visit(visit_t *v, const nw_dependence_lists_t *lists, bool enters)
{
    v->number = ++v->graph->visit;
    if (v->graph->all)
        meet(v, v->graph->all);
    meet_all(v, lists->n, lists->list, enters);
    meet_all(v, lists->n_noalias, lists->noalias, enters);
}

unsigned nw_graph_look(nw_graph_t *graph, const nw_dependence_lists_t *lists)
{
    visit_t v = {.graph = graph};
    visit(&v, lists, false);
    return v.followed;
}

bool nw_graph_has_open_hosts(const nw_graph_t *graph)
{
    return graph->open_hosts != NULL;
}

nw_node_t *nw_graph_enter(nw_graph_t *graph, nw_node_kind_t kind, const nw_dependence_lists_t *lists, nw_node_t *gate)
{
    nw_node_t *node = take_node(graph, kind);
    if (!node)
        return NULL;
    visit_t v = {.graph = graph, .node = node, .gate = is_host(node) ? gate : node};
    visit(&v, lists, true);
    if (kind == NW_NODE_OPEN_HOST && !v.no_memory) {
        v.no_memory |= !push(graph, &graph->open_hosts, node);
        atomic_store_explicit(&open_hosts_seen, true, memory_order_relaxed);
    }
    return v.no_memory ? NULL : node;
}

bool nw_graph_follow(nw_graph_t *graph, nw_node_t *node, const nw_dependence_lists_t *lists)
{
    visit_t v = {.graph = graph, .node = node, .gate = node};
    visit(&v, lists, false);
    return !v.no_memory;
}

/* ---- graphs ---- */

/* Makes a graph that no thread remembers forget its task, if nothing of it is unfinished. */
static bool retire(nw_graph_t *graph)
{
    if (graph->users > 0)
        return false;
    (void)drop(graph, &graph->open_hosts, false);
    if (graph->open_hosts || (graph->all && !is_over(graph->all)))
        return false;
    for (uint32_t i = 0; i < graph->capacity; i++) {
        if (graph->places[i].used && !is_idle(graph, &graph->places[i]))
            return false;
    }
    forget_all(graph);
    collect(graph);
    return graph->n_free == graph->n_nodes;
}

/* Looks in the bucket for the task's graph, or for one that it can have. */
static nw_graph_t *find(struct bucket *bucket, const void *task)
{
    nw_graph_t *idle = NULL;
    for (nw_graph_t *graph = bucket->graphs; graph; graph = graph->next) {
        if (graph->task == task)
            return graph;
        if (!idle && retire(graph))
            idle = graph;
    }
    if (!idle) {
        idle = calloc(1, sizeof *idle);
        if (!idle)
            return NULL;
        idle->next = bucket->graphs;
        bucket->graphs = idle;
    }
    idle->task = task;
    return idle;
}

static struct bucket *bucket_of(const void *task)
{
    return &buckets[hash_of((uint64_t)(uintptr_t)task >> 6) % BUCKETS];
}

static __attribute__((noinline)) nw_graph_t *graph_of(const void *task)
{
    struct bucket *bucket = bucket_of(self.task);
    if (self.graph) {
        pthread_mutex_lock(&bucket->lock);
        self.graph->users--;
        pthread_mutex_unlock(&bucket->lock);
    }
    bucket = bucket_of(task);
    pthread_mutex_lock(&bucket->lock);
    self.graph = find(bucket, task);
    if (self.graph)
        self.graph->users++;
    pthread_mutex_unlock(&bucket->lock);
    self.task = task;
    return self.graph;
}

nw_graph_t *nw_graph_of(const void *task)
{
    if (NW_LIKELY(self.task == task && self.graph))
        return self.graph;
    return graph_of(task);
}

bool nw_graph_has_to_hear_of_waits(void)
{
    return atomic_load_explicit(&open_hosts_seen, memory_order_relaxed);
}

void nw_graph_waited(const void *task)
{
    nw_graph_t *graph = nw_graph_of(task);
    if (!graph)
        return;
    for (link_t *link = graph->open_hosts; link; link = link->next)
        nw_node_over(link->node);
    drop(graph, &graph->open_hosts, true);
}

void nw_graph_after_fork(void)
{
    for (uint32_t i = 0; i < BUCKETS; i++) {
        pthread_mutex_init(&buckets[i].lock, NULL);
        buckets[i].graphs = NULL;
    }
    self.graph = NULL;
    self.task = NULL;
}
