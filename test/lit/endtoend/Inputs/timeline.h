/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A small OMPT tool that is part of the program under test. It records what it is told of devices, and at its end it
 *   - checks what must hold for every timeline (see check_events), and
 *   - prints the timeline: first the devices and what happened outside regions, then each region, in the order of their
 *     begins, with its operations in the order of their begins.
 * The last line is "timeline: ok", or says what is wrong.
 *
 * TIMELINE_OLD: with the callbacks of OpenMP 5.0, which carry ids. TIMELINE_QUIET: prints the last line only.
 * TIMELINE_MAPS: with target_map. Every task gets a number of its own when it is created: task 1 is the initial one.
 */
#ifndef NOWAIT_TEST_TIMELINE_H
#define NOWAIT_TEST_TIMELINE_H

#include <elf.h>
#include <fcntl.h>
#include <omp-tools.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define TIMELINE_MAX 65536

typedef struct event {
    char what[16]; /* "target", "submit", "map", or the data operation */
    int kind;      /* of a target event */
    int endpoint;
    int device;
    uint64_t target, task, target_task, op_id;
    const void *task_data, *target_data;
    const void *from, *to;
    int from_device, to_device;
    size_t bytes;
    unsigned teams;
    const void *codeptr;
    int thread;
    int partner; /* index of the other endpoint, -1: none */
    char text[96];
} event_t;

static event_t timeline_events[TIMELINE_MAX];
static int timeline_n, timeline_attached;
static pthread_mutex_t timeline_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t timeline_ids, timeline_tasks, timeline_target_tasks[TIMELINE_MAX];
static int timeline_n_target_tasks, timeline_threads;
static _Thread_local int timeline_thread;
static ompt_get_task_info_t timeline_task_info;
static const char *timeline_fault;

static event_t *timeline_add(const char *what, int endpoint)
{
    /* The caller unlocks. */
    pthread_mutex_lock(&timeline_lock);
    if (!timeline_thread)
        timeline_thread = ++timeline_threads;
    event_t *event = &timeline_events[timeline_n < TIMELINE_MAX - 1 ? timeline_n++ : timeline_n];
    *event = (event_t){.endpoint = endpoint, .thread = timeline_thread, .partner = -1, .device = -1};
    snprintf(event->what, sizeof event->what, "%s", what);
    return event;
}

static void timeline_added(void)
{
    pthread_mutex_unlock(&timeline_lock);
}

/* The number of the task that the calling thread runs. */
static uint64_t timeline_current_task(void)
{
    ompt_data_t *data = NULL;
    if (!timeline_task_info || !timeline_task_info(0, NULL, &data, NULL, NULL, NULL) || !data)
        return 0;
    return data->value;
}

static void on_task_create(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task, int flags, int has_deps,
                           const void *codeptr)
{
    (void)parent, (void)frame, (void)has_deps, (void)codeptr;
    pthread_mutex_lock(&timeline_lock);
    task->value = ++timeline_tasks;
    if ((flags & ompt_task_target) && timeline_n_target_tasks < TIMELINE_MAX)
        timeline_target_tasks[timeline_n_target_tasks++] = task->value;
    pthread_mutex_unlock(&timeline_lock);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned n,
                             unsigned index, int flags)
{
    (void)parallel, (void)n, (void)index, (void)flags;
    if (endpoint != ompt_scope_begin)
        return;
    pthread_mutex_lock(&timeline_lock);
    task->value = ++timeline_tasks;
    pthread_mutex_unlock(&timeline_lock);
}

static const char *const timeline_ops[] = {"none",   "alloc",     "to-device",   "from-device",
                                           "delete", "associate", "disassociate"};

static void add_data_op(int endpoint, uint64_t target, uint64_t op_id, int op, void *from, int from_device, void *to,
                        int to_device, size_t bytes, const void *codeptr)
{
    event_t *event = timeline_add(op >= 1 && op <= 6 ? timeline_ops[op] : "unknown", endpoint);
    event->target = target;
    event->op_id = op_id;
    event->from = from;
    event->to = to;
    event->from_device = from_device;
    event->to_device = to_device;
    event->device = op == ompt_target_data_transfer_from_device || op == ompt_target_data_delete ? from_device
                                                                                                 : to_device;
    event->bytes = bytes;
    event->codeptr = codeptr;
    timeline_added();
}

static void on_data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task, ompt_data_t *target,
                           ompt_id_t *host_op_id, ompt_target_data_op_t op, void *from, int from_device, void *to,
                           int to_device, size_t bytes, const void *codeptr)
{
    (void)target_task;
    if (endpoint != ompt_scope_end)
        *host_op_id = __atomic_add_fetch(&timeline_ids, 1, __ATOMIC_RELAXED);
    add_data_op(endpoint, target->value, *host_op_id, op, from, from_device, to, to_device, bytes, codeptr);
}

static void on_data_op(ompt_id_t target, ompt_id_t host_op_id, ompt_target_data_op_t op, void *from, int from_device,
                       void *to, int to_device, size_t bytes, const void *codeptr)
{
    add_data_op(ompt_scope_beginend, target, host_op_id, op, from, from_device, to, to_device, bytes, codeptr);
}

static void on_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
                          ompt_data_t *target_task, ompt_data_t *target, const void *codeptr)
{
    if (endpoint == ompt_scope_begin)
        target->value = __atomic_add_fetch(&timeline_ids, 1, __ATOMIC_RELAXED);
    event_t *event = timeline_add("target", endpoint);
    event->kind = kind;
    event->device = device;
    event->target = target->value;
    event->target_data = target;
    event->task = task ? task->value : 0;
    event->task_data = task;
    event->target_task = target_task ? target_task->value : 0;
    event->codeptr = codeptr;
    timeline_added();
}

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
                      ompt_id_t target, const void *codeptr)
{
    event_t *event = timeline_add("target", endpoint);
    event->kind = kind;
    event->device = device;
    event->target = target;
    event->task = task ? task->value : 0;
    event->task_data = task;
    event->codeptr = codeptr;
    timeline_added();
}

static void add_submit(int endpoint, uint64_t target, uint64_t op_id, unsigned teams)
{
    event_t *event = timeline_add("submit", endpoint);
    event->target = target;
    event->op_id = op_id;
    event->teams = teams;
    timeline_added();
}

static void on_submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target, ompt_id_t *host_op_id, unsigned teams)
{
    if (endpoint == ompt_scope_begin)
        *host_op_id = __atomic_add_fetch(&timeline_ids, 1, __ATOMIC_RELAXED);
    add_submit(endpoint, target->value, *host_op_id, teams);
}

static void on_submit(ompt_id_t target, ompt_id_t host_op_id, unsigned teams)
{
    add_submit(ompt_scope_beginend, target, host_op_id, teams);
}

static void add_map(uint64_t target, unsigned n, void **host, void **device, size_t *bytes, unsigned *flags)
{
    for (unsigned i = 0; i < n; i++) {
        event_t *event = timeline_add("map", ompt_scope_beginend);
        event->target = target;
        event->op_id = 1;
        event->from = host[i];
        event->to = device[i];
        event->bytes = bytes[i];
        snprintf(event->text, sizeof event->text, " flags 0x%x%s", flags[i], device[i] ? "" : " nowhere");
        timeline_added();
    }
}

static void on_map_emi(ompt_data_t *target, unsigned n, void **host, void **device, size_t *bytes, unsigned *flags,
                       const void *codeptr)
{
    (void)codeptr;
    add_map(target->value, n, host, device, bytes, flags);
}

static void on_map(ompt_id_t target, unsigned n, void **host, void **device, size_t *bytes, unsigned *flags,
                   const void *codeptr)
{
    (void)codeptr;
    add_map(target, n, host, device, bytes, flags);
}

static void add_device(int device, const char *text)
{
    event_t *event = timeline_add("device", ompt_scope_beginend);
    event->device = device;
    event->op_id = 1;
    snprintf(event->text, sizeof event->text, "%s", text);
    timeline_added();
}

static void on_device_initialize(int device, const char *type, ompt_device_t *handle, ompt_function_lookup_t lookup,
                                 const char *documentation)
{
    char text[64];
    (void)lookup, (void)documentation;
    snprintf(text, sizeof text, "initialize %s%s", type, handle ? "" : " without handle");
    add_device(device, text);
}

static void on_device_finalize(int device)
{
    add_device(device, "finalize");
}

/* The bytes at the place in the file that the tool is told must be those of the image in memory. */
static void on_device_load(int device, const char *file, int64_t offset, void *vma, size_t bytes, void *host,
                           void *device_address, uint64_t module)
{
    char head[64] = "", text[96];
    (void)vma, (void)device_address;
    int fd = file ? open(file, O_RDONLY) : -1;
    int same = fd >= 0 && bytes > sizeof head && pread(fd, head, sizeof head, offset) == sizeof head &&
               memcmp(head, host, sizeof head) == 0;
    if (fd >= 0)
        close(fd);
    snprintf(text, sizeof text, "load module %llu%s", (unsigned long long)module, same ? " from its file" : "");
    add_device(device, text);
}

static void on_device_unload(int device, uint64_t module)
{
    char text[64];
    snprintf(text, sizeof text, "unload module %llu", (unsigned long long)module);
    add_device(device, text);
}

/* The function of the program that holds an address. */
static const char *timeline_function(const void *address)
{
    static char *file;
    extern char __executable_start;
    if (!file) {
        int fd = open("/proc/self/exe", O_RDONLY);
        struct stat st;
        if (fd < 0 || fstat(fd, &st) != 0)
            return "?";
        file = (char *)mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        close(fd);
        if (file == MAP_FAILED)
            return "?";
    }
    Elf64_Ehdr *header = (Elf64_Ehdr *)file;
    Elf64_Shdr *sections = (Elf64_Shdr *)(file + header->e_shoff);
    uintptr_t at = (uintptr_t)address;
    if (header->e_type == ET_DYN)
        at -= (uintptr_t)&__executable_start;
    for (int s = 0; s < header->e_shnum; s++) {
        if (sections[s].sh_type != SHT_SYMTAB)
            continue;
        Elf64_Sym *symbols = (Elf64_Sym *)(file + sections[s].sh_offset);
        for (size_t i = 0; i < sections[s].sh_size / sizeof *symbols; i++) {
            if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && at > symbols[i].st_value &&
                at <= symbols[i].st_value + symbols[i].st_size)
                return file + sections[sections[s].sh_link].sh_offset + symbols[i].st_name;
        }
    }
    return "?";
}

static void fault(const char *what, const event_t *event)
{
    if (timeline_fault)
        return;
    timeline_fault = what;
    printf("timeline: event %d, %s endpoint %d of region %llu: %s\n", (int)(event - timeline_events), event->what,
           event->endpoint, (unsigned long long)event->target, what);
}

static int is_target(const event_t *event)
{
    return strcmp(event->what, "target") == 0;
}

/* Finds the end of each begin. */
static void pair_events(void)
{
    for (int i = 0; i < timeline_n; i++) {
        event_t *begin = &timeline_events[i];
        if (begin->endpoint != ompt_scope_begin)
            continue;
        for (int k = i + 1; k < timeline_n && begin->partner < 0; k++) {
            event_t *end = &timeline_events[k];
            if (end->endpoint != ompt_scope_end || end->partner >= 0 || strcmp(end->what, begin->what) != 0 ||
                end->target != begin->target || (!is_target(begin) && end->op_id != begin->op_id))
                continue;
            begin->partner = k;
            end->partner = i;
        }
    }
}

static int is_target_task(uint64_t task)
{
    for (int i = 0; i < timeline_n_target_tasks; i++) {
        if (timeline_target_tasks[i] == task)
            return 1;
    }
    return 0;
}

static void check_target(const event_t *begin, const event_t *end)
{
    if (begin->endpoint != ompt_scope_begin)
        return;
    if (begin->kind != end->kind || begin->device != end->device)
        fault("begins and ends with another kind or device", begin);
    if (begin->target_data != end->target_data)
        fault("begins and ends with other target data", begin);
    if (begin->task_data != end->task_data || begin->task != end->task || begin->task == 0)
        fault("begins and ends with other data of its generating task, or with none", begin);
    if (begin->target_task != end->target_task)
        fault("begins and ends with other data of its target task", begin);
    if (begin->codeptr != end->codeptr)
        fault("begins and ends at another place", begin);
    if (begin->kind < ompt_target_nowait && begin->thread != end->thread)
        fault("is not deferred, but ends on another thread", begin);
#ifndef TIMELINE_OLD
    if (begin->kind >= ompt_target_nowait && !is_target_task(begin->target_task))
        fault("has a target task that was never created", begin);
#endif
}

/* An operation lies between begin and end of its region. */
static void check_inside(const event_t *event)
{
    for (int i = 0; i < timeline_n && event->target != 0; i++) {
        const event_t *begin = &timeline_events[i];
        if (!is_target(begin) || begin->endpoint != ompt_scope_begin || begin->target != event->target)
            continue;
        int at = (int)(event - timeline_events);
        if (at < i || at > begin->partner)
            fault("lies outside its region", event);
        if (event->codeptr && event->codeptr != begin->codeptr)
            fault("has another place than its region", event);
        return;
    }
    if (event->target != 0)
        fault("belongs to no region", event);
}

/* Memory is allocated before it is deleted, once. */
static void check_memory(const event_t *event)
{
    int allocation = strcmp(event->what, "alloc") == 0;
    /* An allocation counts from its end, when its address is known; a deletion from its begin: the memory may be given
     * to somebody else, and deleted again, before its end is told. */
    if ((!allocation && strcmp(event->what, "delete") != 0) ||
        event->endpoint == (allocation ? ompt_scope_begin : ompt_scope_end))
        return;
    const void *address = allocation ? event->to : event->from;
    for (int i = (int)(event - timeline_events) - 1; i >= 0; i--) {
        const event_t *earlier = &timeline_events[i];
        int is_alloc = strcmp(earlier->what, "alloc") == 0, is_delete = strcmp(earlier->what, "delete") == 0;
        if (earlier->device != event->device ||
            !((is_alloc && earlier->endpoint != ompt_scope_begin && earlier->to == address) ||
              (is_delete && earlier->endpoint != ompt_scope_end && earlier->from == address &&
               earlier->partner != (int)(event - timeline_events))))
            continue;
        if (allocation == is_alloc)
            fault(allocation ? "allocates memory that is in use" : "deletes memory twice", event);
        return;
    }
    if (!allocation)
        fault("deletes memory that was never allocated", event);
}

static void check_events(void)
{
    pair_events();
    for (int i = 0; i < timeline_n; i++) {
        const event_t *event = &timeline_events[i];
        if (event->endpoint != ompt_scope_beginend && event->partner < 0) {
            fault("has no other endpoint", event);
            continue;
        }
        if (is_target(event)) {
            check_target(event, &timeline_events[event->partner]);
            continue;
        }
        if (strcmp(event->what, "device") == 0)
            continue;
        if (event->op_id == 0)
            fault("has no id", event);
        if (event->partner >= 0 && timeline_events[event->partner].thread != event->thread)
            fault("begins and ends on other threads", event);
        if (event->endpoint != ompt_scope_end && strcmp(event->what, "submit") != 0 && strcmp(event->what, "map") &&
            !event->codeptr)
            fault("has no place", event);
        check_inside(event);
        check_memory(event);
    }
    if (timeline_n >= TIMELINE_MAX - 1 && !timeline_fault) {
        timeline_fault = "too long";
        printf("timeline: too long\n");
    }
}

static void print_operation(const event_t *event)
{
    if (strcmp(event->what, "device") == 0)
        printf("device %d %s\n", event->device, event->text);
    else if (strcmp(event->what, "submit") == 0)
        printf("  submit %u teams\n", event->teams);
    else if (strcmp(event->what, "map") == 0)
        printf("  map %zu bytes%s\n", event->bytes, event->text);
    else if (event->target)
        printf("  %s %zu bytes, %d to %d\n", event->what, event->bytes, event->from_device, event->to_device);
    else
        printf("%s %zu bytes, %d to %d in %s\n", event->what, event->bytes, event->from_device, event->to_device,
               timeline_function(event->codeptr));
}

static void print_region(const event_t *begin)
{
    static const char *const kinds[] = {"none", "target", "enter data", "exit data", "update"};
    printf("%s%s, device %d, task %llu, in %s\n", begin->kind > 8 ? kinds[begin->kind - 8] : kinds[begin->kind],
           begin->kind > 8 ? " nowait" : "", begin->device, (unsigned long long)begin->task,
           timeline_function(begin->codeptr));
    for (int i = 0; i < timeline_n; i++) {
        const event_t *event = &timeline_events[i];
        if (event->target == begin->target && !is_target(event) && event->endpoint != ompt_scope_end)
            print_operation(event);
    }
    printf("end\n");
}

static void print_events(void)
{
    for (int i = 0; i < timeline_n; i++) {
        const event_t *event = &timeline_events[i];
        if (event->endpoint != ompt_scope_end && is_target(event))
            print_region(event);
        else if (event->endpoint != ompt_scope_begin && event->target == 0)
            print_operation(event);
    }
}

static int timeline_initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *tool_data)
{
    (void)initial_device, (void)tool_data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    timeline_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
#define SET(name, function) set(ompt_callback_##name, (ompt_callback_t)(ompt_callback_##name##_t)function)
    SET(task_create, on_task_create);
    SET(implicit_task, on_implicit_task);
    SET(device_initialize, on_device_initialize);
    SET(device_finalize, on_device_finalize);
    SET(device_load, on_device_load);
    SET(device_unload, on_device_unload);
#ifdef TIMELINE_OLD
    SET(target, on_target);
    SET(target_data_op, on_data_op);
    SET(target_submit, on_submit);
#else
    SET(target_emi, on_target_emi);
    SET(target_data_op_emi, on_data_op_emi);
    SET(target_submit_emi, on_submit_emi);
#endif
#ifdef TIMELINE_MAPS
    SET(target_map, on_map);
    SET(target_map_emi, on_map_emi);
#endif
#undef SET
    (void)on_map, (void)on_map_emi, (void)on_target, (void)on_target_emi, (void)on_submit, (void)on_submit_emi;
    (void)on_data_op, (void)on_data_op_emi, (void)timeline_current_task;
    timeline_attached = 1;
    return 1;
}

static void timeline_finalize(ompt_data_t *tool_data)
{
    (void)tool_data;
    check_events();
#ifndef TIMELINE_QUIET
    print_events();
#else
    (void)print_events;
#endif
    if (!timeline_fault)
        printf("timeline: ok\n");
    fflush(stdout);
    if (timeline_fault)
        _exit(1);
}

#ifdef __cplusplus
extern "C"
#endif
    ompt_start_tool_result_t *
    ompt_start_tool(unsigned omp_version, const char *runtime_version)
{
    static ompt_start_tool_result_t result = {timeline_initialize, timeline_finalize, {0}};
    (void)omp_version, (void)runtime_version;
    return &result;
}

#endif
