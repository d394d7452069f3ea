/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/construct.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/map_types.h"
#include "core/mapper.h"
#include "core/tool.h"
#include "support/log.h"
#include "support/settings.h"

/* Bits of LIBOMPTARGET_INFO that concern mapping. */
enum { INFO_PRESENT = 0x2, INFO_TABLE_ON_FAILURE = 0x4, INFO_CHANGED = 0x8, INFO_COPY = 0x20, INFO_EMPTY = 0x40 };

typedef struct decision {
    nw_op_t *op;
    nw_map_table_t *table;
    nw_construct_kind_t kind;
    const nw_map_args_t *args;
    uint32_t n_args;
    bool shared_memory; /* requires unified_shared_memory: host addresses are device addresses */
} decision_t;

static const char *name_of(const nw_map_args_t *args, int32_t i, char buffer[128])
{
    const char *name = args->names ? args->names[i] : NULL;
    if (!name || *name != ';')
        return "unknown";
    snprintf(buffer, 128, "%.*s", (int)strcspn(name + 1, ";"), name + 1);
    return buffer;
}

/* Ends the program over entry i; the table's lock is held and given up. */
static _Noreturn void fail(decision_t *d, int32_t i, const char *what)
{
    char name[128];
    int number = d->op->work.device->number;
    pthread_mutex_unlock(&d->table->lock);
    if (nw_settings.info & INFO_TABLE_ON_FAILURE)
        nw_map_table_dump(d->table, d->op->work.loc, number);
    nw_fatal(d->op->work.loc, "device %d: map of %s (%p, %" PRId64 " bytes): %s", number, name_of(d->args, i, name),
             d->args->ptrs[i], d->args->sizes[i], what);
}

static void fail_if(decision_t *d, int32_t i, nw_status_t status)
{
    if (NW_UNLIKELY(status != NW_OK))
        fail(d, i, nw_status_text(status));
}

static uint64_t total_count(const nw_mapping_t *mapping)
{
    return mapping->dynamic_count == NW_FOREVER ? NW_FOREVER : mapping->dynamic_count + mapping->hold_count;
}

static void tell(decision_t *d, int bit, const char *what, const nw_mapping_t *mapping, int32_t i)
{
    char dynamic[24], hold[24], name[128];
    if (NW_LIKELY(!(nw_settings.info & bit)))
        return;
    nw_info(d->op->work.device->number,
            "%s HstPtrBegin=%p, TgtPtrBegin=%p, Size=%zu, DynRefCount=%s, HoldRefCount=%s, Name=%s", what,
            (void *)mapping->host, (void *)mapping->device, (size_t)(mapping->host_end - mapping->host),
            nw_count_text(mapping->dynamic_count, dynamic), nw_count_text(mapping->hold_count, hold),
            name_of(d->args, i, name));
}

static nw_step_t *add_step(decision_t *d, int32_t i)
{
    nw_step_t *step = nw_op_add_step(d->op);
    if (NW_UNLIKELY(!step))
        fail(d, i, nw_status_text(NW_ERR_NO_MEMORY));
    step->entry = i;
    return step;
}

/* Adds a step that uses [host, host + size) of a mapping, and makes the operation wait if the mapping's data is still
 * on its way from another construct. */
static nw_step_t *use_mapping(decision_t *d, int32_t i, nw_mapping_t *mapping, char *host, size_t size)
{
    nw_step_t *step = add_step(d, i);
    step->mapping = mapping;
    step->host = host;
    step->device = mapping->device + (host - mapping->host);
    step->size = size;
    mapping->users++;
    if (mapping->transfer && mapping->transfer != d->op)
        fail_if(d, i, nw_op_wait_for(d->op, mapping->transfer));
    return step;
}

/* Makes the operation wait for ending mappings that still have to write to these host bytes. `cover`: a mapping of this
 * operation that will end too: those that it covers need not be found again. */
static void wait_for_endings(decision_t *d, int32_t i, const char *host, size_t size, const nw_mapping_t *cover)
{
    nw_mapping_t *next, *ending = nw_map_table_next_ending(d->table, host, size, NULL);
    for (; ending; ending = next) {
        next = nw_map_table_next_ending(d->table, host, size, ending);
        if (ending->ender == d->op)
            continue;
        fail_if(d, i, nw_op_wait_for(d->op, ending->ender));
        if (cover && cover->host <= ending->host && cover->host_end >= ending->host_end)
            nw_map_table_end(d->table, ending);
    }
}

static void tell_copy(decision_t *d, const nw_step_t *step, bool in)
{
    char name[128];
    if (NW_LIKELY(!(nw_settings.info & INFO_COPY)))
        return;
    nw_info(d->op->work.device->number, "Copying data from %s to %s, %sPtr=%p, %sPtr=%p, Size=%zu, Name=%s",
            in ? "host" : "device", in ? "device" : "host", in ? "Hst" : "Tgt",
            in ? (void *)step->host : (void *)step->device, in ? "Tgt" : "Hst",
            in ? (void *)step->device : (void *)step->host, step->size, name_of(d->args, step->entry, name));
}

/* An implicit map may reach beyond what is present; only what is present is copied. */
static void clip(nw_step_t *step)
{
    nw_mapping_t *mapping = step->mapping;
    size_t before = step->host < mapping->host ? (size_t)(mapping->host - step->host) : 0;
    char *end = step->host + step->size;
    size_t behind = end > mapping->host_end ? (size_t)(end - mapping->host_end) : 0;
    step->host += before;
    step->device += before;
    step->size -= before + behind;
}

static void copy_in(decision_t *d, nw_step_t *step)
{
    clip(step);
    step->flags |= NW_STEP_IN;
    d->op->work.copies_in = d->op->needs_device = true;
    wait_for_endings(d, step->entry, step->host, step->size, NULL);
    tell_copy(d, step, true);
}

static void copy_out(decision_t *d, nw_step_t *step)
{
    clip(step);
    step->flags |= NW_STEP_OUT;
    d->op->work.copies_out = d->op->needs_device = true;
    step->mapping->copied_out = d->op->construct;
    wait_for_endings(d, step->entry, step->host, step->size, NULL);
    tell_copy(d, step, false);
}

/* Finds or makes the mapping of [host, host + size) for entry i; NULL if there is none and none is needed: the device
 * uses the host's address. Counts it if `counted` or new. */
static nw_mapping_t *obtain(decision_t *d, int32_t i, char *host, size_t size, bool counted)
{
    uint64_t type = d->args->types[i];
    nw_mapping_t *mapping;
    switch (nw_map_table_lookup(d->table, host, size, &mapping)) {
    case NW_PARTIAL:
        if (!(type & NW_MAP_IMPLICIT))
            fail(d, i, "extends data that is only partly present; map all of it at once, or a part of what is there");
        break;
    case NW_PRESENT:
        break;
    case NW_ABSENT:
        if (type & NW_MAP_PRESENT)
            fail(d, i, "is not present, as its 'present' modifier demands; map it before");
        if (size == 0 || (d->shared_memory && !(type & NW_MAP_CLOSE)))
            return NULL;
        fail_if(d, i, nw_map_table_insert(d->table, host, size, d->args->names ? d->args->names[i] : NULL, &mapping));
        *(type & NW_MAP_HOLD ? &mapping->hold_count : &mapping->dynamic_count) = 1;
        tell(d, INFO_CHANGED, "Creating new map entry with", mapping, i);
        return mapping;
    }
    if (counted && type & NW_MAP_HOLD)
        mapping->hold_count++;
    else if (counted && mapping->dynamic_count != NW_FOREVER)
        mapping->dynamic_count++;
    tell(d, INFO_PRESENT, "Mapping exists with", mapping, i);
    return mapping;
}

/* Points the pointer at host address `slot`, inside a mapping, to device address `value`. Returns the step. */
static nw_step_t *attach(decision_t *d, int32_t i, nw_mapping_t *mapping, char *slot, uintptr_t value)
{
    nw_status_t status;
    bool write = nw_mapping_attach(mapping, (size_t)(slot - mapping->host), sizeof(void *), value, &status);
    fail_if(d, i, status);
    nw_step_t *step = use_mapping(d, i, mapping, slot, sizeof(void *));
    step->entry = -1;
    if (!write)
        return step;
    step->flags |= NW_STEP_POINTER;
    step->value = value;
    mapping->transfer = d->op;
    d->op->work.copies_in = d->op->needs_device = true;
    return step;
}

static void push_arg(decision_t *d, uint64_t type, uintptr_t value)
{
    if (type & NW_MAP_TARGET_PARAM)
        d->op->work.launch.args[d->n_args++] = value;
}

/* Bytes between a private copy's block, which is aligned to 64, and the copy: the variable's begin is aligned, whatever
 * the address of the host's copy, which may lie in a task that aligns less than the variable's type asks for. */
static size_t private_padding(const decision_t *d, int32_t i)
{
    return ((uintptr_t)d->args->ptrs[i] - (uintptr_t)d->args->bases[i]) % 64;
}

/* A private copy of the operation's own: its bytes are read now, so the variable may change or die at once. */
static void begin_private(decision_t *d, int32_t i)
{
    nw_device_t *device = d->op->work.device;
    char *host = d->args->ptrs[i];
    size_t size = (size_t)d->args->sizes[i], padding = private_padding(d, i);
    char *block = device->ops->alloc(device, size + padding);
    if (!block)
        fail(d, i, nw_status_text(NW_ERR_DEVICE_MEMORY));
    nw_step_t *step = add_step(d, i);
    step->host = host;
    step->device = block;
    step->size = size + padding;
    step->value = padding;
    step->flags = NW_STEP_OWNED | (d->args->types[i] & NW_MAP_TO ? NW_STEP_STAGED : 0u);
    if (d->args->types[i] & NW_MAP_TO)
        fail_if(d, i, device->ops->stage(device, block + padding, host, size));
    push_arg(d, d->args->types[i], (uintptr_t)(block + padding + ((char *)d->args->bases[i] - host)));
}

/* A variable that a lambda object captures by reference: the object's device copy gets the variable's device address.
 * Clang marks it as a literal pointer of the object. */
static void begin_lambda_capture(decision_t *d, int32_t i)
{
    char *slot = d->args->bases[i];
    nw_mapping_t *captured, *object;
    if (nw_map_table_lookup(d->table, d->args->ptrs[i], (size_t)d->args->sizes[i], &captured) != NW_PRESENT)
        return;
    uintptr_t value = (uintptr_t)(captured->device + ((char *)d->args->ptrs[i] - captured->host));
    if (nw_map_table_lookup(d->table, slot, sizeof(void *), &object) == NW_PRESENT) {
        use_mapping(d, i, captured, d->args->ptrs[i], 0)->entry = -1;
        attach(d, i, object, slot, value);
        return;
    }
    /* The object is private: its copy is among this operation's own memory. */
    int32_t parent = (int32_t)(d->args->types[i] >> 48) - 1;
    for (uint32_t s = 0; s < d->op->work.n_steps; s++) {
        nw_step_t *step = &d->op->work.steps[s];
        if (step->entry != parent || !(step->flags & NW_STEP_OWNED))
            continue;
        char *object_host = d->args->ptrs[parent];
        char *copy = step->device + private_padding(d, parent);
        fail_if(d, i, d->op->work.device->ops->stage(d->op->work.device, copy + (slot - object_host), &value,
                                                     sizeof value));
    }
}

static void return_base(decision_t *d, int32_t i, uintptr_t value)
{
    void **bases = d->args->return_bases ? d->args->return_bases : d->args->bases;
    bases[d->args->origins ? d->args->origins[i] : i] = (void *)value;
}

/* Maps entry i for a construct that begins. */
static void begin_mapped(decision_t *d, int32_t i)
{
    uint64_t type = d->args->types[i];
    char *host = d->args->ptrs[i], *base = d->args->bases[i], *slot = base;
    size_t size = (size_t)d->args->sizes[i];
    bool member = (type & NW_MAP_MEMBER_OF) != 0, has_pointer = (type & NW_MAP_PTR_AND_OBJ) != 0;
    nw_mapping_t *pointer = NULL;
    if (has_pointer) {
        pointer = obtain(d, i, slot, sizeof(void *), !member);
        memcpy(&base, slot, sizeof base);
    }
    nw_mapping_t *mapping = obtain(d, i, host, size, has_pointer || !member);
    char *device = host;
    if (mapping) {
        bool fresh = mapping->born == d->op->construct;
        nw_step_t *step = use_mapping(d, i, mapping, host, size);
        device = step->device;
        if ((type & NW_MAP_TO) && (fresh || (type & NW_MAP_ALWAYS)) && size > 0) {
            copy_in(d, step);
            mapping->transfer = d->op;
        }
    } else if (size > 0 && (nw_settings.info & INFO_EMPTY) && !d->shared_memory) {
        char name[128];
        nw_info(d->op->work.device->number, "variable %s does not have a valid device counterpart",
                name_of(d->args, i, name));
    }
    if (pointer) {
        nw_step_t *step = mapping ? attach(d, i, pointer, slot, (uintptr_t)(device - (host - base)))
                                  : use_mapping(d, i, pointer, slot, 0);
        /* It carries the pointer's count to the end of the construct. */
        step->entry = i;
        step->flags |= NW_STEP_IS_POINTER;
    }
    uintptr_t device_base = (uintptr_t)(device - (host - base));
    push_arg(d, type, device_base);
    if (type & NW_MAP_RETURN_PARAM)
        return_base(d, i, device_base);
}

static void begin_entry(decision_t *d, int32_t i)
{
    uint64_t type = d->args->types[i];
    if (type & NW_MAP_ATTACH)
        return;
    if ((type & NW_MAP_LITERAL) && (type & NW_MAP_PTR_AND_OBJ))
        begin_lambda_capture(d, i);
    else if (type & NW_MAP_LITERAL)
        push_arg(d, type, (uintptr_t)d->args->bases[i]);
    else if (!(type & NW_MAP_PRIVATE))
        begin_mapped(d, i);
    else if (d->kind == NW_TARGET)
        begin_private(d, i);
}

/* LLVM 22's separate attachment: pointer and data have been mapped by entries of their own. */
static void attach_entry(decision_t *d, int32_t i)
{
    uint64_t type = d->args->types[i];
    char *slot = d->args->bases[i], *host = d->args->ptrs[i], *value;
    nw_mapping_t *pointer, *data;
    if (!(type & NW_MAP_ATTACH) || d->args->sizes[i] != sizeof(void *))
        return;
    if (nw_map_table_lookup(d->table, slot, sizeof(void *), &pointer) != NW_PRESENT ||
        nw_map_table_lookup(d->table, host, 0, &data) != NW_PRESENT)
        return;
    if (pointer->born != d->op->construct && data->born != d->op->construct && !(type & NW_MAP_ALWAYS))
        return;
    memcpy(&value, slot, sizeof value);
    use_mapping(d, i, data, host, 0)->entry = -1;
    attach(d, i, pointer, slot, (uintptr_t)(data->device + (host - data->host) - (host - value)));
}

/* Finds what an exit or end construct gives up. */
static void end_entry(decision_t *d, int32_t i)
{
    uint64_t type = d->args->types[i];
    char *host = d->args->ptrs[i];
    size_t size = (size_t)d->args->sizes[i];
    nw_mapping_t *mapping;
    if (type & (NW_MAP_LITERAL | NW_MAP_PRIVATE | NW_MAP_ATTACH))
        return;
    if (nw_map_table_lookup(d->table, host, size, &mapping) == NW_ABSENT) {
        if (type & NW_MAP_PRESENT)
            fail(d, i, "is not present, as its 'present' modifier demands");
    } else {
        use_mapping(d, i, mapping, host, size);
    }
    char *slot = d->args->bases[i];
    if ((type & NW_MAP_PTR_AND_OBJ) && nw_map_table_lookup(d->table, slot, sizeof(void *), &mapping) == NW_PRESENT)
        use_mapping(d, i, mapping, slot, 0)->flags |= NW_STEP_IS_POINTER;
}

static void update_entry(decision_t *d, int32_t i)
{
    uint64_t type = d->args->types[i];
    char *host = d->args->ptrs[i];
    size_t size = (size_t)d->args->sizes[i];
    nw_mapping_t *mapping;
    if (type & (NW_MAP_LITERAL | NW_MAP_PRIVATE | NW_MAP_ATTACH) || size == 0)
        return;
    if (type & NW_MAP_NON_CONTIGUOUS)
        fail(d, i, "strided update is not supported yet; update the enclosing section");
    nw_presence_t presence = nw_map_table_lookup(d->table, host, size, &mapping);
    if (presence != NW_PRESENT) {
        if (type & NW_MAP_PRESENT)
            fail(d, i, "is not present, as its 'present' modifier demands; map it before");
        if (presence == NW_PARTIAL)
            fail(d, i, "is only partly present; update what has been mapped");
        return;
    }
    nw_step_t *step = use_mapping(d, i, mapping, host, size);
    if (type & NW_MAP_TO)
        copy_in(d, step);
    if (type & NW_MAP_FROM)
        copy_out(d, step);
}

/* Gives up one count for a step. Returns true if the mapping has no count left, or will have none when its parent
 * entry, which comes later in this pass, gives up the last. */
static bool give_up_count(nw_mapping_t *mapping, uint64_t type, bool counted)
{
    uint64_t total = total_count(mapping);
    if (total == NW_FOREVER)
        return false;
    if (!counted)
        return total == 1 || (type & NW_MAP_DELETE && mapping->hold_count == 0);
    if (type & NW_MAP_DELETE)
        mapping->dynamic_count = 0;
    else if (type & NW_MAP_HOLD)
        mapping->hold_count -= mapping->hold_count > 0;
    else
        mapping->dynamic_count -= mapping->dynamic_count > 0;
    return total_count(mapping) == 0;
}

/* Takes a mapping without counts out of the live tree. */
static void remove_mapping(decision_t *d, nw_mapping_t *mapping, int32_t i)
{
    bool writes_host = mapping->copied_out == d->op->construct;
    uint32_t own = 0;
    for (uint32_t s = 0; s < d->op->work.n_steps; s++)
        own += d->op->work.steps[s].mapping == mapping;
    mapping->ender = d->op;
    mapping->ender_users = own;
    tell(d, INFO_CHANGED, "Removing map entry with", mapping, i);
    if (writes_host)
        wait_for_endings(d, i, mapping->host, (size_t)(mapping->host_end - mapping->host), mapping);
    nw_map_table_remove(d->table, mapping, writes_host);
    /* What is copied out must have been computed: others may still use the device memory. */
    if (writes_host && mapping->users > own)
        nw_op_wait_until_idle(d->op, mapping);
}

static void end_step(decision_t *d, nw_step_t *step)
{
    nw_mapping_t *mapping = step->mapping;
    if (!mapping || step->entry < 0 || !mapping->live)
        return;
    uint64_t type = d->args->types[step->entry];
    bool member = (type & NW_MAP_MEMBER_OF) != 0, is_pointer = (step->flags & NW_STEP_IS_POINTER) != 0;
    bool counted = !member || (!is_pointer && (type & NW_MAP_PTR_AND_OBJ));
    bool last = give_up_count(mapping, type, counted);
    if (!is_pointer && (type & NW_MAP_FROM) && (last || (type & NW_MAP_ALWAYS)) && step->size > 0)
        copy_out(d, step);
    if (counted && last)
        remove_mapping(d, mapping, step->entry);
}

static void warn_of_unknown_bits(const decision_t *d, uint64_t bits)
{
    static _Atomic bool warned;
    if (!atomic_exchange_explicit(&warned, true, memory_order_relaxed))
        nw_log_at(NW_LOG_WARNING, d->op->work.loc,
                  "map type has bits 0x%" PRIx64 " that this version does not know; they are ignored", bits);
}

static void check_entries(decision_t *d)
{
    uint64_t all = 0;
    for (int32_t i = 0; i < d->args->n; i++) {
        all |= d->args->types[i];
        if (d->args->sizes[i] < 0)
            fail(d, i, "has a negative size");
    }
    if (NW_UNLIKELY(all & ~NW_MAP_KNOWN))
        warn_of_unknown_bits(d, all & ~NW_MAP_KNOWN);
}

static void decide_locked(decision_t *d)
{
    int32_t n = d->args->n;
    check_entries(d);
    for (int32_t i = 0; i < n; i++) {
        if (d->kind == NW_DATA_END)
            end_entry(d, i);
        else if (d->kind == NW_DATA_UPDATE)
            update_entry(d, i);
        else
            begin_entry(d, i);
    }
    if (d->kind == NW_TARGET || d->kind == NW_DATA_BEGIN) {
        for (int32_t i = 0; i < n; i++)
            attach_entry(d, i);
    }
    if (d->kind == NW_TARGET || d->kind == NW_DATA_END) {
        for (uint32_t s = d->op->work.n_steps; s-- > 0;)
            end_step(d, &d->op->work.steps[s]);
    }
}

static void set_launch(decision_t *d, const nw_region_launch_t *launch)
{
    nw_work_t *work = &d->op->work;
    if (nw_op_reserve_args(d->op, (uint32_t)d->args->n + 1) != NW_OK)
        nw_fatal(work->loc, "%s", nw_status_text(NW_ERR_NO_MEMORY));
    work->has_kernel = d->op->needs_device = true;
    work->launch.kernel = launch->kernel;
    work->launch.name = launch->region->name;
    work->launch.num_teams = launch->num_teams;
    work->launch.thread_limit = launch->thread_limit;
    work->launch.trip_count = launch->trip_count;
    work->launch.dynamic_shared = launch->dynamic_shared;
    /* "No launch environment": the kernel needs no memory for reductions between teams. */
    if (launch->implicit_argument)
        work->launch.args[d->n_args++] = UINT64_MAX;
}

static bool has_mappers(const nw_map_args_t *args)
{
    for (int32_t i = 0; args->mappers && i < args->n; i++) {
        if (args->mappers[i])
            return true;
    }
    return false;
}

void nw_construct_decide(nw_op_t *op, nw_construct_kind_t kind, const nw_map_args_t *args,
                         const nw_region_launch_t *launch)
{
    nw_flat_args_t flat = {.args = *args};
    if (NW_UNLIKELY(has_mappers(args)) && nw_mapper_flatten(args, &flat) != NW_OK)
        nw_fatal(op->work.loc, "%s", nw_status_text(NW_ERR_NO_MEMORY));
    decision_t d = {.op = op,
                    .table = &op->device->map,
                    .kind = kind,
                    .args = &flat.args,
                    .shared_memory = nw_images_require_shared_memory()};
    if (launch)
        set_launch(&d, launch);
    pthread_mutex_lock(&d.table->lock);
    op->construct = ++d.table->n_constructs;
    decide_locked(&d);
    bool moved = nw_op_move(op, NW_OP_IDLE, NW_OP_SUBMITTED);
    pthread_mutex_unlock(&d.table->lock);
    NW_ASSERT_ALWAYS(moved);
    op->work.launch.n_args = d.n_args;
    if (NW_UNLIKELY(op->work.tool != NULL))
        nw_tool_decided(op, kind, &flat.args);
    nw_mapper_release(&flat);
}
