/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fake libomp's dependences: kmp_taskdeps.cpp and kmp_taskdeps.h. */
#include <stdlib.h>

#include "support/fake_libomp_state.h"

enum { OUT = 2 };

/* Nothing is given back here: a run is short. */
void *fake_new(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory)
        schedule_fail("memory is out");
    return memory;
}

fake_node_t *fake_new_node(void)
{
    return fake_new(sizeof(fake_node_t));
}

static fake_entry_t *find(fake_table_t *table, intptr_t address)
{
    for (fake_entry_t *entry = table->entries; entry; entry = entry->next) {
        if (entry->address == address)
            return entry;
    }
    fake_entry_t *entry = fake_new(sizeof *entry);
    *entry = (fake_entry_t){.address = address, .last_out = table->last_all, .next = table->entries};
    return table->entries = entry;
}

static void add(fake_list_t **list_p, fake_node_t *node)
{
    fake_list_t *link = fake_new(sizeof *link);
    *link = (fake_list_t){.node = node, .next = *list_p};
    *list_p = link;
}

/* Makes `node` a successor of another one; returns how many predecessors that adds. */
static int follow(fake_node_t *node, fake_node_t *other)
{
    schedule_point();
    if (!other || !other->task || (other->successors && other->successors->node == node))
        return 0;
    add(&other->successors, node);
    return 1;
}

static int follow_list(fake_node_t *node, const fake_list_t *list)
{
    int n = 0;
    for (; list; list = list->next)
        n += follow(node, list->node);
    return n;
}

static int process_all_memory(fake_node_t *node, fake_table_t *table, bool barrier)
{
    int n = follow(node, table->last_all);
    table->last_all = barrier ? NULL : node;
    for (fake_entry_t *entry = table->entries; entry; entry = entry->next) {
        n += entry->last_set ? follow_list(node, entry->last_set) : follow(node, entry->last_out);
        entry->last_set = entry->previous_set = NULL;
        entry->set_kind = 0;
        entry->last_out = barrier ? NULL : node;
    }
    return n;
}

static int process_out(fake_node_t *node, fake_entry_t *entry, bool barrier)
{
    int n = entry->last_set ? follow_list(node, entry->last_set) : follow(node, entry->last_out);
    entry->last_set = entry->previous_set = NULL;
    entry->set_kind = 0;
    entry->last_out = barrier ? NULL : node;
    return n;
}

/* in, mutexinoutset, inoutset: members of a set, which come after the set of another kind before. */
static int process_member(fake_node_t *node, fake_entry_t *entry, bool barrier, uint8_t kind)
{
    int n = 0;
    if (entry->set_kind == 0 || entry->set_kind == kind) {
        n += follow(node, entry->last_out) + follow_list(node, entry->previous_set);
        if (barrier) {
            entry->last_out = NULL;
            entry->previous_set = NULL;
        }
    } else {
        n += follow_list(node, entry->last_set);
        entry->last_out = NULL;
        entry->previous_set = barrier ? NULL : entry->last_set;
        entry->set_kind = 0;
        entry->last_set = NULL;
    }
    if (!barrier) {
        entry->set_kind = kind;
        add(&entry->last_set, node);
    }
    if (kind == NW_DEPEND_MUTEXINOUTSET) {
        /* In one order, whatever that is. */
        int at = node->n_locks++;
        for (; at > 0 && node->locks[at - 1] < &entry->lock; at--)
            node->locks[at] = node->locks[at - 1];
        node->locks[at] = &entry->lock;
    }
    return n;
}

static int process(fake_node_t *node, fake_table_t *table, bool barrier, int32_t n,
                   const struct nowait_depend_info *deps, bool filtered)
{
    int predecessors = 0;
    for (int32_t i = 0; i < n; i++) {
        if (filtered && deps[i].base == 0)
            continue;
        fake_entry_t *entry = find(table, deps[i].base);
        predecessors += deps[i].flags & OUT ? process_out(node, entry, barrier)
                                            : process_member(node, entry, barrier, deps[i].flags);
    }
    return predecessors;
}

/* Leaves one entry of each address, and few mutexinoutset. Returns whether omp_all_memory is among them. */
static bool filter(int32_t n, struct nowait_depend_info *deps, bool is_wait)
{
    int n_locks = 0;
    for (int32_t i = 0; i < n; i++) {
        if (deps[i].base == -1 || (deps[i].base == 0 && deps[i].flags == NW_DEPEND_ALL_MEMORY))
            return true;
        if (deps[i].base == 0)
            continue;
        for (int32_t k = i + 1; k < n; k++) {
            if (deps[k].base != deps[i].base)
                continue;
            if (deps[k].flags != deps[i].flags)
                deps[i].flags = OUT;
            deps[k].base = 0;
        }
        if (deps[i].flags == NW_DEPEND_MUTEXINOUTSET && (is_wait || n_locks++ >= FAKE_MAX_LOCKS))
            deps[i].flags = OUT;
    }
    return false;
}

bool fake_check_deps(fake_node_t *node, fake_task_t *task, fake_table_t **table_p, int32_t n,
                     struct nowait_depend_info *deps, int32_t n_noalias, struct nowait_depend_info *noalias)
{
    bool is_wait = !task;
    if (!*table_p)
        *table_p = fake_new(sizeof **table_p);
    node->predecessors = -1;
    int predecessors = 0;
    if (filter(n, deps, is_wait)) {
        predecessors = process_all_memory(node, *table_p, is_wait);
    } else {
        predecessors = process(node, *table_p, is_wait, n, deps, true);
        predecessors += process(node, *table_p, is_wait, n_noalias, noalias, false);
    }
    node->task = task;
    schedule_point();
    node->predecessors += predecessors + 1;
    return node->predecessors > 0;
}

bool fake_take_locks(fake_node_t *node)
{
    for (int i = 0; node && i < node->n_locks; i++) {
        if (*node->locks[i])
            return false;
    }
    if (node && node->n_locks > 0) {
        for (int i = 0; i < node->n_locks; i++)
            *node->locks[i] = true;
        node->n_locks = -node->n_locks;
    }
    return true;
}

void fake_release_deps(fake_thread_t *thread, fake_task_t *task)
{
    fake_node_t *node = task->node;
    if (node && node->n_locks < 0) {
        node->n_locks = -node->n_locks;
        for (int i = 0; i < node->n_locks; i++)
            *node->locks[i] = false;
    }
    task->table = NULL;
    if (!node)
        return;
    node->task = NULL;
    schedule_point();
    for (const fake_list_t *link = node->successors; link; link = link->next) {
        fake_node_t *successor = link->node;
        if (--successor->predecessors == 0 && successor->task)
            fake_omp_task(thread, successor->task, false);
        schedule_point();
    }
}
