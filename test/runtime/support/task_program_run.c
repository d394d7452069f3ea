/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How a program of task_program.h runs: what compiled code would call, what its tasks and kernels do, and what is
 * checked while they do it. */
#include "support/task_program.h"

#include <string.h>

#include "core/map_types.h"
#include "core/stats.h"
#include "nowait/abi.h"
#include "omptarget/construct_run.h"
#include "omptarget/omptarget.h"
#include "support/fake_device.h"
#include "support/fake_libomp.h"
#include "support/schedule.h"
#include "tasking/policy.h"
#include "tasking/target_task.h"

#define DEVICES 2
#define DEVICE_THREADS 2
#define ENTRIES 6
/* What dependences name: the same in each run, as tables go by addresses, and for all contexts, as only siblings count.
 */
#define FIRST_ADDRESS ((intptr_t)0x10000)

static nw_ident_t place = {.flags = 2, .psource = ";program.c;main;1;1;;"};

static const program_t *program;
static int64_t cells[PROGRAM_CONTEXTS][PROGRAM_ADDRESSES];
static struct {
    bool generated, started, body_over, fulfilled, over;
    void *event; /* still to be fulfilled */
} states[PROGRAM_NODES];
static nw_region_t region = {.name = "region"};
static nw_kernel_t kernels[PROGRAM_NODES];
static fake_device_t devices[DEVICES];
static bool program_over;

int __wrap_nw_devices_count(void);
nw_core_device_t *__wrap_nw_devices_get(int64_t number);
bool __wrap_nw_thread_end_expect(void);

int __wrap_nw_devices_count(void)
{
    return DEVICES;
}

nw_core_device_t *__wrap_nw_devices_get(int64_t number)
{
    return &devices[number].core;
}

/* No thread ends before the program does. */
bool __wrap_nw_thread_end_expect(void)
{
    return true;
}

/* The nodes that are tasks: all others only wait. */
static bool is_task(const program_node_t *node)
{
    return node->kind == NODE_REGION || node->kind == NODE_HOST || node->kind == NODE_DETACHED;
}

/* Whether two nodes must not overlap. libomp does not keep a detached task of a team of one from that: there it runs
 * where it is made or released, and locks are taken elsewhere. */
static bool excludes(int i, int k)
{
    const program_node_t *one = &program->nodes[i], *other = &program->nodes[k];
    if (one->context != other->context || !is_task(one) || !is_task(other))
        return false;
    if (program->threads == 1 && (one->kind == NODE_DETACHED || other->kind == NODE_DETACHED))
        return false;
    return program_relation(i < k ? one : other, i < k ? other : one) == EXCLUDES;
}

static void check_predecessors(int number, const char *what)
{
    const program_node_t *node = &program->nodes[number];
    for (int i = 0; i < number; i++) {
        const program_node_t *other = &program->nodes[i];
        if (other->context != node->context || !is_task(other))
            continue;
        relation_t relation = program_relation(other, node);
        if (relation == BEFORE && !states[i].over)
            schedule_fail("node %d %s before node %d is over", number, what, i);
    }
    for (int i = 0; i < program->n_nodes; i++) {
        if (i != number && excludes(i, number) && states[i].started && !states[i].over)
            schedule_fail("node %d %s while node %d runs, of the same mutexinoutset", number, what, i);
    }
}

static void node_starts(int number)
{
    if (states[number].started)
        schedule_fail("node %d runs twice", number);
    check_predecessors(number, "starts");
    states[number].started = true;
    schedule_point();
}

static void node_ends(int number)
{
    schedule_point();
    states[number].body_over = true;
    states[number].over = program->nodes[number].kind != NODE_DETACHED || states[number].fulfilled;
}

/* Nodes of a context, or of all, from `begin` on up to `end`. */
static void check_over(int begin, int end, int context, const char *what)
{
    for (int i = begin; i < end; i++) {
        const program_node_t *node = &program->nodes[i];
        if (is_task(node) && (context < 0 || node->context == context) && !states[i].over)
            schedule_fail("%s before node %d is over", what, i);
    }
}

static void use_cell(int number, int address, int64_t *cell)
{
    const program_node_t *node = &program->nodes[number];
    uint8_t kind = program_kind_at(node, address);
    if (node->reads[address] >= 0 && *cell != node->reads[address])
        schedule_fail("node %d sees %lld at %c, not %lld", number, (long long)*cell, 'a' + address,
                      (long long)node->reads[address]);
    if (program_writes(kind))
        *cell = program_next(program, number, kind, *cell);
}

/* Regions. */

static void kernel_body(const nw_launch_t *launch)
{
    int number = launch->kernel->plan[0], argument = 0;
    const program_node_t *node = &program->nodes[number];
    node_starts(number);
    for (int a = 0; a < PROGRAM_ADDRESSES; a++) {
        if (program_kind_at(node, a))
            use_cell(number, a, (int64_t *)launch->args[argument++]);
    }
    node_ends(number);
}

typedef struct construct_args {
    construct_t maps;
    nw_map_args_t args;
    nw_region_launch_t launch;
} construct_args_t;

static void map_cells(construct_args_t *construct, int number)
{
    const program_node_t *node = &program->nodes[number];
    memset(construct, 0, sizeof *construct);
    for (int a = 0; a < PROGRAM_ADDRESSES; a++) {
        uint8_t kind = program_kind_at(node, a);
        uint64_t out = program_writes(kind) ? NW_MAP_FROM : 0;
        if (kind)
            construct_map(&construct->maps, &cells[node->context][a], sizeof(int64_t),
                          NW_MAP_TO | out | NW_MAP_TARGET_PARAM);
    }
    construct_t *maps = &construct->maps;
    construct->args = (nw_map_args_t){
        .n = maps->n, .bases = maps->bases, .ptrs = maps->ptrs, .sizes = maps->sizes, .types = maps->types};
    kernels[number] = (nw_kernel_t){.body = kernel_body, .plan = {number}};
    construct->launch = (nw_region_launch_t){.region = &region, .kernel = &kernels[number]};
}

/* A task of compiled code. */
typedef struct program_task {
    nw_kmp_task_t head;
    int number;
} program_task_t;

static int32_t region_entry(int32_t gtid, void *task)
{
    construct_args_t construct;
    map_cells(&construct, ((program_task_t *)task)->number);
    if (!nw_target_task_dispatch(nw_target_task_slot(task), gtid, &place, NW_TARGET, &construct.args,
                                 &construct.launch))
        schedule_fail("the runtime sends a region to the host");
    return 0;
}

/* The runtime learns of each entry what it does. */
#define ENTRY(n)                                                                                                       \
    static __attribute__((aligned(16))) int32_t region_entry_##n(int32_t gtid, void *task)                             \
    {                                                                                                                  \
        return region_entry(gtid, task);                                                                               \
    }
ENTRY(0)
ENTRY(1)
ENTRY(2)
ENTRY(3)
ENTRY(4)
ENTRY(5)

static const nowait_task_entry_t entries[ENTRIES] = {region_entry_0, region_entry_1, region_entry_2,
                                                     region_entry_3, region_entry_4, region_entry_5};

/* Dependences as compiled code passes them. */
static int32_t list_of(const program_node_t *node, struct nowait_depend_info *list)
{
    for (int i = 0; i < node->n_items; i++) {
        bool all = node->items[i].address == PROGRAM_ALL_MEMORY;
        list[i] = (struct nowait_depend_info){.base = all ? 0 : FIRST_ADDRESS + node->items[i].address,
                                              .length = all ? 0 : 1,
                                              .flags = node->items[i].kind};
    }
    return node->n_items;
}

static void generate_region(int32_t gtid, int number)
{
    const program_node_t *node = &program->nodes[number];
    struct nowait_depend_info list[PROGRAM_ITEMS + 1];
    int32_t n = list_of(node, list);
    nowait_task_entry_t entry = entries[number % ENTRIES];
    void *task = node->plugin ? __nowait_target_task_alloc(&place, gtid, NW_KMP_TIED, sizeof(program_task_t), 0, entry,
                                                           node->device, PROGRAM_ADDRESSES, NOWAIT_ABI_VERSION)
                              : __kmpc_omp_target_task_alloc(&place, gtid, NW_KMP_TIED, sizeof(program_task_t), 0,
                                                             entry, node->device);
    ((program_task_t *)task)->number = number;
    if (node->plugin && n > 0)
        __nowait_target_task_with_deps(&place, gtid, task, n, list, 0, NULL);
    else if (node->plugin)
        __nowait_target_task(&place, gtid, task);
    else if (n > 0)
        __kmpc_omp_task_with_deps(&place, gtid, task, n, list, 0, NULL);
    else
        __kmpc_omp_task(&place, gtid, task);
}

/* Host tasks. */

static void generate_list(int32_t gtid, int begin, int end);

static void host_body(int32_t gtid, int number)
{
    const program_node_t *node = &program->nodes[number];
    if (schedule_self() >= 1 && schedule_self() <= DEVICE_THREADS)
        schedule_fail("node %d, a host task, runs on a device's thread", number);
    node_starts(number);
    generate_list(gtid, number + 1, node->end);
    /* libomp's barriers do not wait for the children of tasks that are over. */
    if (program->threads > 1 && node->end > number + 1)
        __kmpc_omp_taskwait(&place, gtid);
    for (int a = 0; a < PROGRAM_ADDRESSES; a++) {
        if (program_kind_at(node, a))
            use_cell(number, a, &cells[node->context][a]);
    }
    node_ends(number);
}

static int32_t host_entry(int32_t gtid, void *task)
{
    host_body(gtid, ((program_task_t *)task)->number);
    return 0;
}

static void run_undeferred(int32_t gtid, int number)
{
    const program_node_t *node = &program->nodes[number];
    struct nowait_depend_info list[PROGRAM_ITEMS + 1];
    int32_t n = list_of(node, list);
    program_task_t *task = __kmpc_omp_task_alloc(&place, gtid, NW_KMP_TIED, sizeof *task, 0, host_entry);
    task->number = number;
    if (n > 0)
        __kmpc_omp_taskwait_deps_51(&place, gtid, n, list, 0, NULL, 0);
    __kmpc_omp_task_begin_if0(&place, gtid, task);
    if (node->kind == NODE_HOST) {
        host_body(gtid, number);
    } else {
        construct_args_t construct;
        map_cells(&construct, number);
        nw_construct_run(nw_policy_open(&place, node->device), &place, NW_TARGET, &construct.args, &construct.launch);
    }
    __kmpc_omp_task_complete_if0(&place, gtid, task);
}

static void generate_host(int32_t gtid, int number)
{
    const program_node_t *node = &program->nodes[number];
    struct nowait_depend_info list[PROGRAM_ITEMS + 1];
    /* Untied, as libomp's half completion of a tied one hides what lies behind it from waits in other tasks. */
    int32_t n = list_of(node, list), flags = node->kind == NODE_DETACHED ? NW_KMP_DETACHABLE : NW_KMP_TIED;
    program_task_t *task = __kmpc_omp_task_alloc(&place, gtid, flags, sizeof *task, 0, host_entry);
    task->number = number;
    if (node->kind == NODE_DETACHED)
        states[number].event = fake_libomp_event(&task->head);
    if (n > 0)
        __kmpc_omp_task_with_deps(&place, gtid, task, n, list, 0, NULL);
    else
        __kmpc_omp_task(&place, gtid, task);
}

static void generate(int32_t gtid, int number)
{
    const program_node_t *node = &program->nodes[number];
    struct nowait_depend_info list[PROGRAM_ITEMS + 1];
    states[number].generated = true;
    switch (node->kind) {
    case NODE_REGION:
    case NODE_HOST:
    case NODE_DETACHED:
        if (node->undeferred)
            run_undeferred(gtid, number);
        else if (node->kind == NODE_REGION)
            generate_region(gtid, number);
        else
            generate_host(gtid, number);
        break;
    case NODE_WAIT:
        __kmpc_omp_taskwait(&place, gtid);
        check_over(0, number, node->context, "taskwait returns");
        break;
    case NODE_WAIT_DEPS:
        __kmpc_omp_taskwait_deps_51(&place, gtid, list_of(node, list), list, 0, NULL, 0);
        check_predecessors(number, "(taskwait depend) returns");
        break;
    case NODE_GROUP:
        __kmpc_taskgroup(&place, gtid);
        generate_list(gtid, number + 1, node->end);
        __kmpc_end_taskgroup(&place, gtid);
        check_over(number + 1, node->end, -1, "taskgroup ends");
        break;
    }
}

static void generate_list(int32_t gtid, int begin, int end)
{
    for (int i = begin; i < end; i = program->nodes[i].end)
        generate(gtid, i);
}

static void run_thread(int number, void *unused)
{
    (void)unused;
    for (int phase = 0; phase < program->phases; phase++) {
        if (phase > 0) {
            fake_libomp_barrier();
            for (int i = 0; i < program->threads; i++)
                check_over(program->shares[phase - 1][i].begin, program->shares[phase - 1][i].end, -1, "barrier ends");
        }
        generate_list(fake_libomp_gtid(), program->shares[phase][number].begin, program->shares[phase][number].end);
    }
}

/* The other threads. */

static bool is_work_pending(void *unused)
{
    (void)unused;
    size_t n = 0;
    for (int i = 0; i < DEVICES; i++)
        n += devices[i].n_pending;
    return n > 0 || program_over;
}

static void device_thread(void *unused)
{
    (void)unused;
    for (;;) {
        schedule_wait(is_work_pending, NULL);
        size_t n = devices[0].n_pending + devices[1].n_pending;
        if (n == 0)
            return;
        size_t i = schedule_choose((uint32_t)n);
        fake_device_t *device = i < devices[0].n_pending ? &devices[0] : &devices[1];
        i -= device == &devices[0] ? 0 : devices[0].n_pending;
        fake_finish(device, (nw_op_t *)device->pending[i]);
    }
}

static bool is_event_pending(void *unused)
{
    (void)unused;
    bool any = program_over;
    for (int i = 0; i < PROGRAM_NODES; i++)
        any |= states[i].event && fake_libomp_may_fulfill(states[i].event);
    return any;
}

static void fulfilling_thread(void *unused)
{
    (void)unused;
    while (!program_over) {
        schedule_wait(is_event_pending, NULL);
        for (int i = 0; i < PROGRAM_NODES; i++) {
            void *event = states[i].event;
            if (!event || !fake_libomp_may_fulfill(event))
                continue;
            states[i].event = NULL;
            states[i].fulfilled = true;
            states[i].over = states[i].body_over;
            nw_libomp()->fulfill_event(event);
        }
    }
}

static void check_end(void)
{
    for (int i = 0; i < program->n_nodes; i++) {
        if (!states[i].generated)
            schedule_fail("node %d has not been generated", i);
    }
    check_over(0, program->n_nodes, -1, "the program ends");
    for (int i = 0; i < program->n_contexts; i++) {
        for (int a = 0; a < PROGRAM_ADDRESSES; a++) {
            if (cells[i][a] != program->cells[i][a])
                schedule_fail("%c of task %d is %lld at the end, not %lld", 'a' + a, i, (long long)cells[i][a],
                              (long long)program->cells[i][a]);
        }
    }
}

void program_run(const program_t *to_run)
{
    program = to_run;
    fake_libomp_begin();
    for (int i = 0; i < DEVICES; i++) {
        fake_device_init(&devices[i]);
        devices[i].core.base.number = i;
    }
    for (int i = 0; i < DEVICE_THREADS; i++)
        schedule_start(device_thread, NULL);
    schedule_start(fulfilling_thread, NULL);
    if (program->threads == 1) {
        /* A taskgroup: descendants have to be over, too. */
        __kmpc_taskgroup(&place, fake_libomp_gtid());
        run_thread(0, NULL);
        __kmpc_omp_taskwait(&place, fake_libomp_gtid());
        __kmpc_end_taskgroup(&place, fake_libomp_gtid());
    } else {
        fake_libomp_parallel(program->threads, run_thread, NULL);
    }
    check_end();
    program_over = true;
    schedule_join();
    fake_libomp_end();
    if (nw_stats_in_flight() != 0)
        schedule_fail("%d regions are in flight at the end", (int)nw_stats_in_flight());
    for (int i = 0; i < DEVICES; i++) {
        if (fake_count_live(&devices[i]) + fake_count_ending(&devices[i]) > 0 || devices[i].n_pending > 0)
            schedule_fail("something is left on device %d", i);
    }
}
