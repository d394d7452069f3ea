/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/construct.h"

#include <inttypes.h>
#include <string.h>

#include "core/attach.h"
#include "core/decision.h"
#include "core/map_types.h"
#include "core/mapper.h"
#include "core/private_args.h"
#include "core/requirements.h"
#include "core/reuse.h"
#include "core/room.h"
#include "core/tool.h"
#include "support/log.h"
#include "support/settings.h"

static uint64_t total_count(const nw_mapping_t *mapping)
{
    return mapping->dynamic_count == NW_FOREVER ? NW_FOREVER : mapping->dynamic_count + mapping->hold_count;
}

static _Noreturn void fail_absent(nw_decision_t *d, int32_t i)
{
    nw_decision_detail_absence(d, i);
    nw_decision_fail(d, i, "is not present, as its 'present' modifier demands; map it before");
}

/* Makes the mapping of absent data for entry i, counted once; NULL if none is needed: the device uses the host's
 * address. What is found by its base is not counted. */
static nw_mapping_t *make(nw_decision_t *d, int32_t i, uint64_t type, char *base, char *host, size_t size)
{
    const char *name = d->args->names ? d->args->names[i] : NULL;
    bool shares = d->shared_memory && !(type & NW_MAP_CLOSE);
    nw_mapping_t *mapping;
    if (size == 0 && nw_map_holds_all(d->table, d->hold) && (mapping = nw_map_table_find_by_base(d->table, host)))
        return mapping;
    /* All of the host's data counts as present where it is shared. */
    if ((type & NW_MAP_PRESENT) && !shares)
        fail_absent(d, i);
    if (size == 0)
        return NULL;
    if (shares) {
        nw_status_t status = nw_map_table_share(d->table, host, size, name, &mapping);
        if (status == NW_ERR_INVALID)
            return NULL;
        nw_decision_check(d, i, status);
    } else if ((mapping = nw_reuse(d, i, type, host, size))) {
        *(type & NW_MAP_HOLD ? &mapping->hold_count : &mapping->dynamic_count) = 1;
        mapping->base = base;
        NW_DECISION_TELL(NW_INFO_PRESENT, found, d, mapping, i, host, size, true);
        return mapping;
    } else {
        nw_decision_check(d, i, nw_map_table_insert(d->table, host, size, name, &mapping));
    }
    *(type & NW_MAP_HOLD ? &mapping->hold_count : &mapping->dynamic_count) = 1;
    mapping->base = base;
    if (shares)
        NW_DECISION_TELL(NW_INFO_CHANGED, shared, d, mapping);
    else
        NW_DECISION_TELL(NW_INFO_CHANGED, created, d, mapping, i);
    return mapping;
}

/* Finds or makes the mapping of [host, host + size) for entry i, as `type` says; NULL if there is none and none is
 * needed. Counts it if `counted` or new, unless it was found by its base. */
static nw_mapping_t *obtain(nw_decision_t *d, int32_t i, uint64_t type, char *base, char *host, size_t size,
                            bool counted)
{
    nw_mapping_t *mapping;
    switch (nw_map_table_lookup(d->table, host, size, &mapping)) {
    case NW_PARTIAL:
        if (type & NW_MAP_IMPLICIT)
            break;
        /* Shared memory has no end that a mapping could go beyond. */
        if (d->shared_memory && nw_map_table_is_shared(d->table, host, size))
            return NULL;
        nw_decision_detail_extension(d, i, mapping);
        nw_decision_fail(d, i,
                         "extends data that is only partly present; map all of it at once, or a part of what is "
                         "there");
    case NW_PRESENT:
        /* What an entry of the same construct has just made was not present. */
        if ((type & NW_MAP_PRESENT) && mapping->born == d->op->construct && !mapping->is_shared)
            fail_absent(d, i);
        break;
    case NW_ABSENT:
        return make(d, i, type, base, host, size);
    }
    if (counted && type & NW_MAP_HOLD)
        mapping->hold_count++;
    else if (counted && mapping->dynamic_count != NW_FOREVER)
        mapping->dynamic_count++;
    NW_DECISION_TELL(NW_INFO_PRESENT, found, d, mapping, i, host, size, counted);
    return mapping;
}

static void push_arg(nw_decision_t *d, uint64_t type, uintptr_t value)
{
    if ((type & NW_MAP_TARGET_PARAM) && d->kind == NW_TARGET)
        d->op->work.launch.args[d->n_args++] = value;
}

static void return_base(nw_decision_t *d, int32_t i, uintptr_t value)
{
    void **bases = d->args->return_bases ? d->args->return_bases : d->args->bases;
    bases[d->args->origins ? d->args->origins[i] : i] = (void *)value;
}

/* Whether the pointer to entry i's data lies in memory that host and device share: clang 22 says in the next entry
 * where it lies. */
static bool is_behind_shared_pointer(const nw_decision_t *d, int32_t i)
{
    const nw_map_args_t *args = d->args;
    nw_mapping_t *pointer;
    return i + 1 < args->n && (args->types[i + 1] & NW_MAP_ATTACH) && args->ptrs[i + 1] == args->ptrs[i] &&
           nw_map_table_lookup(d->table, args->bases[i + 1], sizeof(void *), &pointer) == NW_PRESENT &&
           pointer->is_shared;
}

/* Maps entry i for a construct that begins. */
static void begin_mapped(nw_decision_t *d, int32_t i)
{
    uint64_t type = d->args->types[i];
    char *host = d->args->ptrs[i], *base = d->args->bases[i], *slot = base;
    size_t size = (size_t)d->args->sizes[i];
    bool member = (type & NW_MAP_MEMBER_OF) != 0, has_pointer = (type & NW_MAP_PTR_AND_OBJ) != 0;
    nw_mapping_t *pointer = NULL;
    if (has_pointer) {
        /* `close` is said of the data. */
        pointer = obtain(d, i, type & ~(uint64_t)NW_MAP_CLOSE, slot, slot, sizeof(void *), !member);
        memcpy(&base, slot, sizeof base);
    }
    /* A pointer that host and device share keeps its value, and the region follows it to the host's data. */
    if (NW_UNLIKELY(d->shared_memory) &&
        (has_pointer ? !pointer || pointer->is_shared : is_behind_shared_pointer(d, i)))
        type &= ~(uint64_t)NW_MAP_CLOSE;
    nw_mapping_t *mapping = obtain(d, i, type, base, host, size, has_pointer || !member);
    char *device = host;
    if (mapping) {
        bool fresh = mapping->born == d->op->construct;
        nw_step_t *step = nw_decision_use(d, i, mapping, host, size);
        device = step->device;
        if (size == 0 && (host < mapping->host || host >= mapping->host_end))
            step->entry = -1; /* found by its base: used, not counted */
        bool always = (type & NW_MAP_ALWAYS) != 0, again = mapping->transfer == d->op;
        if ((type & NW_MAP_TO) && size > 0 && !mapping->is_shared &&
            (always || (fresh && !(again && nw_decision_is_copied(d, step, NW_STEP_IN))))) {
            nw_decision_copy_in(d, step);
            mapping->transfer = d->op;
            if (NW_UNLIKELY(nw_reuse_is_worth(size)))
                d->op->work.brings_data = true;
        }
        if (NW_UNLIKELY(nw_reuse_is_worth(size)))
            nw_reuse_vouch(d, step, type);
    } else if (NW_UNLIKELY(nw_settings.info & NW_INFO_EMPTY) && !member && !(type & NW_MAP_IMPLICIT) &&
               !d->shared_memory) {
        nw_decision_say(d, "variable %s does not have a valid device counterpart", nw_decision_name(d, i).text);
    }
    uintptr_t device_base = (uintptr_t)(device - (host - base));
    if (pointer) {
        /* A pointer to what is not mapped keeps its value: on the device too, if that has none yet. */
        bool has_value = !pointer->is_shared && (mapping || pointer->born == d->op->construct);
        nw_step_t *step = has_value ? nw_attach(d, i, pointer, slot, sizeof(void *), device_base, mapping)
                                    : nw_decision_use(d, i, pointer, slot, 0);
        /* It carries the pointer's count to the end of the construct. */
        step->entry = i;
        step->flags |= NW_STEP_IS_POINTER;
    }
    push_arg(d, type, device_base);
    if (type & NW_MAP_RETURN_PARAM)
        return_base(d, i, device_base);
}

static void begin_entry(nw_decision_t *d, int32_t i)
{
    uint64_t type = d->args->types[i];
    if ((type & NW_MAP_LITERAL) && (type & NW_MAP_PTR_AND_OBJ))
        /* That of a private object is attached when the object's copy is made. */
        (void)nw_attach_lambda_capture(d, i);
    else if (type & NW_MAP_LITERAL)
        push_arg(d, type, (uintptr_t)d->args->bases[i]);
    else if (type & NW_MAP_PRIVATE)
        push_arg(d, type, 0);
    else if (!(type & NW_MAP_ATTACH))
        begin_mapped(d, i);
}

/* Finds what an exit or end construct gives up. */
static void end_entry(nw_decision_t *d, int32_t i)
{
    uint64_t type = d->args->types[i];
    char *host = d->args->ptrs[i], *slot = d->args->bases[i];
    size_t size = (size_t)d->args->sizes[i];
    nw_mapping_t *mapping;
    if (type & (NW_MAP_LITERAL | NW_MAP_PRIVATE | NW_MAP_ATTACH))
        return;
    if ((mapping = nw_decision_find(d, i, host, size)))
        nw_decision_use(d, i, mapping, host, size);
    if ((type & NW_MAP_PTR_AND_OBJ) && nw_map_table_lookup(d->table, slot, sizeof(void *), &mapping) == NW_PRESENT)
        nw_decision_use(d, i, mapping, slot, 0)->flags |= NW_STEP_IS_POINTER;
}

/* Counts the entries that are members of the caller's entry `number`, and finds that entry. */
static int32_t count_members(const nw_map_args_t *args, int32_t number, int32_t *parent_p)
{
    int32_t count = 0;
    for (int32_t i = args->n; i-- > 0;) {
        if ((args->origins ? args->origins[i] : i) == number)
            *parent_p = i;
        count += (int32_t)(args->types[i] >> 48) - 1 == number;
    }
    return count;
}

/*
 * Where the section of entry i begins, if its description doesn't say: `begin`, except for a member of a structure, for
 * which clang leaves out the member's place. The structure's own entry covers the members that are named, so it begins
 * with the only one, or the first.
 */
static char *place_member(nw_decision_t *d, int32_t i, char *begin)
{
    int32_t parent = -1, number = (int32_t)(d->args->types[i] >> 48) - 1;
    int32_t members = number < 0 ? 0 : count_members(d->args, number, &parent);
    if (parent < 0 || (char *)d->args->ptrs[parent] == begin)
        return begin;
    if (members > 1)
        nw_decision_fail(d, i, "is a strided member, and the compiler does not say where it begins; compile with the "
                               "nowait plugin, or update it in a construct of its own");
    return d->args->ptrs[parent];
}

/* What an update entry moves: where it begins, how long it is, and, if it does not lie together, its section. */
static size_t read_section(nw_decision_t *d, int32_t i, char **begin_p, nw_section_t **section_p)
{
    *section_p = NULL;
    *begin_p = d->args->ptrs[i];
    if (!(d->args->types[i] & NW_MAP_NON_CONTIGUOUS))
        return (size_t)d->args->sizes[i];
    nw_section_t section;
    if (nw_section_read(d->args->ptrs[i], d->args->sizes[i], d->args->bases[i], &section, begin_p) != NW_OK)
        nw_decision_fail(d, i, "has a description of its dimensions that makes no sense");
    if (!section.placed)
        *begin_p = place_member(d, i, *begin_p);
    if (section.extent > 0 && section.n_runs > 1) {
        *section_p = nw_map_table_take_section(d->table, *begin_p);
        if (!*section_p)
            nw_decision_check(d, i, NW_ERR_NO_MEMORY);
        **section_p = section;
    }
    return section.extent;
}

static void update_entry(nw_decision_t *d, int32_t i)
{
    uint64_t type = d->args->types[i];
    nw_section_t *section;
    char *host;
    if (type & (NW_MAP_LITERAL | NW_MAP_PRIVATE | NW_MAP_ATTACH))
        return;
    size_t size = read_section(d, i, &host, &section);
    nw_mapping_t *mapping = size > 0 ? nw_decision_find(d, i, host, size) : NULL;
    if (!mapping) {
        if (section)
            nw_map_table_put_section(d->table, host, section);
        return;
    }
    nw_step_t *step = nw_decision_use(d, i, mapping, host, size);
    if (section) {
        step->section = section;
        step->flags |= NW_STEP_SECTION;
    }
    if (type & NW_MAP_TO)
        nw_decision_copy_in(d, step);
    if (type & NW_MAP_FROM)
        nw_decision_copy_out(d, step);
}

/* Takes a mapping without counts out of the live tree. */
static void remove_mapping(nw_decision_t *d, nw_mapping_t *mapping, int32_t i)
{
    bool writes_host = mapping->copied_out == d->op->construct;
    mapping->ender = d->op;
    NW_DECISION_TELL(NW_INFO_CHANGED, removed, d, mapping);
    if (writes_host)
        nw_decision_wait_for_endings(d, i, mapping->host, (size_t)(mapping->host_end - mapping->host), mapping, false);
    bool ending = writes_host || mapping->is_pointee;
    mapping->writes_host = writes_host;
    /* What kernels have made of the rest is lost. */
    mapping->is_stale = writes_host && mapping->copied_out_whole != d->op->construct;
    nw_map_table_remove(d->table, mapping, ending || mapping->vouchers > 0);
    /* What is copied out must have been computed: others may still use the device memory. And its end must not be over
     * before the last region that may follow a pointer to it. */
    if (ending && mapping->users > mapping->ender_users)
        nw_op_wait_until_idle(d->op, mapping);
}

/* Whether a step gives up a count: the parent entry counts for its members, except for what a pointer points at. */
static bool is_counted(uint64_t type, uint32_t flags)
{
    return !(type & NW_MAP_MEMBER_OF) || ((type & NW_MAP_PTR_AND_OBJ) && !(flags & NW_STEP_IS_POINTER));
}

static void give_up_count(nw_decision_t *d, nw_step_t *step)
{
    uint64_t type = d->args->types[step->entry];
    nw_mapping_t *mapping = step->mapping;
    bool holds = (type & NW_MAP_HOLD) && !(type & NW_MAP_DELETE);
    uint64_t *count = holds ? &mapping->hold_count : &mapping->dynamic_count;
    bool counted = is_counted(type, step->flags);
    if (counted && *count != NW_FOREVER && *count != 0)
        *count = type & NW_MAP_DELETE ? 0 : *count - 1;
    NW_DECISION_TELL(NW_INFO_PRESENT, given_up, d, step, counted);
}

/* A construct's entries are one set: whichever of them takes the last count, those that say `from` copy out. */
static void copy_out_at_end(nw_decision_t *d, nw_step_t *step)
{
    uint64_t type = d->args->types[step->entry];
    if ((step->flags & NW_STEP_IS_POINTER) || !(type & NW_MAP_FROM) || step->size == 0)
        return;
    bool again = step->mapping->copied_out == d->op->construct;
    if ((type & NW_MAP_ALWAYS) ||
        (total_count(step->mapping) == 0 && !(again && nw_decision_is_copied(d, step, NW_STEP_OUT))))
        nw_decision_copy_out(d, step);
}

/* The end of a construct that gives up what its steps use. */
static void end_steps(nw_decision_t *d)
{
    nw_step_t *first = d->op->work.steps, *end = first + d->op->work.n_steps;
    for (nw_step_t *step = end; step-- > first;) {
        if (!step->mapping)
            continue;
        step->mapping->ender_users = 0;
        if (step->entry >= 0)
            give_up_count(d, step);
    }
    for (nw_step_t *step = end; step-- > first;) {
        if (!step->mapping)
            continue;
        step->mapping->ender_users++;
        if (step->entry >= 0)
            copy_out_at_end(d, step);
    }
    for (nw_step_t *step = end; step-- > first;) {
        if (step->mapping && step->entry >= 0 && step->mapping->live && total_count(step->mapping) == 0)
            remove_mapping(d, step->mapping, step->entry);
    }
}

static void warn_of_unknown_bits(const nw_decision_t *d, uint64_t bits)
{
    static _Atomic bool warned;
    if (!atomic_exchange_explicit(&warned, true, memory_order_relaxed))
        nw_log_at(NW_LOG_WARNING, d->op->work.loc,
                  "map type has bits 0x%" PRIx64 " that this version does not know; they are ignored", bits);
}

static void check_entries(nw_decision_t *d)
{
    uint64_t all = 0;
    for (int32_t i = 0; i < d->args->n; i++) {
        all |= d->args->types[i];
        if (d->args->sizes[i] < 0)
            nw_decision_fail(d, i, "has a negative size");
    }
    if (NW_UNLIKELY(all & ~NW_MAP_KNOWN))
        warn_of_unknown_bits(d, all & ~NW_MAP_KNOWN);
}

static void decide_held(nw_decision_t *d)
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
    if (d->kind == NW_TARGET || d->kind == NW_DATA_BEGIN)
        nw_attach_entries(d);
    if (d->kind == NW_TARGET)
        nw_private_args_make(d);
    if (d->kind == NW_TARGET || d->kind == NW_DATA_END)
        end_steps(d);
}

static void set_launch(nw_decision_t *d, const nw_region_launch_t *launch)
{
    nw_work_t *work = &d->op->work;
    if (nw_op_reserve_args(d->op, (uint32_t)d->args->n + 1) != NW_OK)
        nw_fatal(work->loc, "%s", nw_status_text(NW_ERR_NO_MEMORY));
    work->has_kernel = d->op->needs_device = true;
    d->op->region = launch->region;
    nw_region_enter(launch->region);
    work->launch.kernel = launch->kernel;
    work->launch.name = launch->region->name;
    work->launch.num_teams = launch->num_teams;
    work->launch.thread_limit = launch->thread_limit;
    work->launch.trip_count = launch->trip_count;
    work->launch.dynamic_shared = launch->dynamic_shared;
    work->launch.tells_dimensions = launch->region->layout == NW_ENTRIES_56;
    /* "No launch environment": the kernel needs no memory for reductions between teams. */
    work->launch.implicit_argument = launch->implicit_argument;
    if (launch->implicit_argument)
        work->launch.args[d->n_args++] = UINT64_MAX;
    d->first_arg = d->n_args;
}

/* What a decision looks at in the map table, for each entry: the data and, of some, a pointer at the base. */
static bool next_range(const void *of, uint32_t *cursor, const char **begin_p, size_t *size_p)
{
    const nw_map_args_t *args = of;
    while (*cursor < 2 * (uint32_t)args->n) {
        uint32_t i = *cursor / 2;
        uint64_t type = args->types[i];
        bool is_slot = (*cursor)++ % 2, attaches = (type & NW_MAP_ATTACH) != 0;
        if (((type & NW_MAP_LITERAL) && !(type & NW_MAP_PTR_AND_OBJ)) || ((type & NW_MAP_PRIVATE) && !attaches))
            continue;
        if (is_slot && (!(type & (NW_MAP_PTR_AND_OBJ | NW_MAP_ATTACH)) || (type & NW_MAP_PRIVATE)))
            continue;
        if (!is_slot && (type & NW_MAP_LITERAL)) {
            *begin_p = nw_decision_captured(args, (int32_t)i, size_p);
            return true;
        }
        /* Where a section that does not lie together begins and ends is found out later. */
        bool whole = (type & NW_MAP_NON_CONTIGUOUS) != 0;
        *begin_p = whole ? NULL : is_slot ? args->bases[i] : args->ptrs[i];
        *size_p = whole                  ? SIZE_MAX
                  : is_slot == attaches ? (size_t)args->sizes[i]
                                        : (is_slot ? sizeof(void *) : 0);
        return true;
    }
    return false;
}

/* Whether an address that stands for nothing by itself may stand for a mapping somewhere else, by its base. */
static bool looks_beyond(nw_decision_t *d)
{
    nw_mapping_t *mapping;
    for (int32_t i = 0; i < d->args->n; i++) {
        if (d->args->sizes[i] == 0 &&
            !(d->args->types[i] & (NW_MAP_LITERAL | NW_MAP_PRIVATE | NW_MAP_ATTACH)) &&
            nw_map_table_lookup(d->table, d->args->ptrs[i], 0, &mapping) == NW_ABSENT)
            return true;
    }
    return false;
}

static void hold(nw_decision_t *d)
{
    nw_map_ranges_t ranges = {.next = next_range, .of = d->args};
    d->hold = nw_map_hold(d->table, &ranges);
    if (NW_LIKELY(nw_map_holds_all(d->table, d->hold)) || d->kind == NW_DATA_END || d->kind == NW_DATA_UPDATE ||
        !looks_beyond(d))
        return;
    nw_map_release(d->table, d->hold);
    d->hold = nw_map_hold(d->table, NULL);
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
    nw_flat_args_t flat;
    bool mapped = NW_UNLIKELY(has_mappers(args));
    if (mapped && nw_mapper_flatten(args, &flat) != NW_OK)
        nw_fatal(op->work.loc, "%s", nw_status_text(NW_ERR_NO_MEMORY));
    nw_decision_t d = {.op = op,
                    .table = &op->device->map,
                    .kind = kind,
                    .args = mapped ? &flat.args : args,
                    .shared_memory = nw_requirements_shared_memory()};
    if (launch)
        set_launch(&d, launch);
    if (kind == NW_TARGET || kind == NW_DATA_BEGIN)
        nw_room_wait(op, d.args);
    hold(&d);
    op->construct = nw_map_table_number_construct(d.table, d.hold);
    decide_held(&d);
    bool moved = nw_op_move(op, NW_OP_IDLE, NW_OP_SUBMITTED);
    nw_map_release(d.table, d.hold);
    NW_ASSERT_ALWAYS(moved);
    if (NW_UNLIKELY(d.coverage != NULL))
        nw_coverage_free(d.coverage);
    if (NW_UNLIKELY(d.said != NULL))
        nw_decision_print(&d);
    op->work.launch.n_args = d.n_args;
    if (NW_UNLIKELY(op->work.tool != NULL))
        nw_tool_decided(op, kind, d.args);
    if (NW_UNLIKELY(mapped))
        nw_mapper_release(&flat);
}
