/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/private_args.h"

#include <string.h>

#include "core/attach.h"
#include "support/log.h"

/* Copies larger than this have device memory of their own, as in LLVM. */
#define LARGEST_SMALL 1024

/* Bytes of small copies in one piece. */
#define PIECE_BYTES 4096

/* Kernels may rely on the alignment of the variable, which is not known here. That of its type divides the size; the
 * host's copy has what the variable has been given beyond that; and on x86-64 an array of 16 bytes or more has 16, as a
 * variable (System V ABI, 3.1.2), though not in a task, where the host's copy may lie. What is aligned is the begin of
 * the variable. */
#define LARGEST_ALIGNMENT 64
#define ARRAY_ALIGNMENT 16

/* Small copies on their way into one piece of device memory. */
typedef struct piece {
    _Alignas(LARGEST_ALIGNMENT) char bytes[PIECE_BYTES];
    size_t used;
    bool initialised; /* some copy has a first value */
    int32_t first;    /* its entries are among [first, the one in progress) */
    uint32_t first_arg;
} piece_t;

static bool is_private(uint64_t type)
{
    return (type & NW_MAP_PRIVATE) && !(type & NW_MAP_LITERAL);
}

static bool is_lambda_capture(uint64_t type)
{
    return (type & NW_MAP_LITERAL) && (type & NW_MAP_PTR_AND_OBJ);
}

/* What entry i copies: its host address, and the distance of that from the variable's begin. */
static char *source(const nw_decision_t *d, int32_t i, size_t *distance_p)
{
    char *base = d->args->bases[i], *begin = d->args->types[i] & NW_MAP_ATTACH ? base : d->args->ptrs[i];
    *distance_p = (size_t)(begin - base);
    return begin;
}

/* Bytes that entry i's copy takes: an empty one has an address of its own all the same. */
static size_t taken(const nw_decision_t *d, int32_t i)
{
    return d->args->sizes[i] > 0 ? (size_t)d->args->sizes[i] : 1;
}

/* Place of entry i's copy in a piece of which `used` bytes are taken. */
static size_t place(const nw_decision_t *d, int32_t i, size_t used)
{
    size_t distance, size = taken(d, i), alignment = size & -size;
    size_t host = (uintptr_t)source(d, i, &distance), given = host & -host;
    if (given > alignment)
        alignment = given;
    if (size >= ARRAY_ALIGNMENT && alignment < ARRAY_ALIGNMENT)
        alignment = ARRAY_ALIGNMENT;
    if (distance != 0 || alignment > LARGEST_ALIGNMENT)
        alignment = LARGEST_ALIGNMENT;
    return used + (alignment - (used - distance) % alignment) % alignment;
}

/* Device memory of the operation for entry i, and others of its piece; `padding` bytes come before what is staged. */
static char *allocate(nw_decision_t *d, int32_t i, size_t size, size_t padding, bool staged)
{
    size_t distance;
    nw_device_t *device = d->op->work.device;
    char *block = device->ops->alloc(device, size);
    if (!block)
        nw_decision_fail(d, i, nw_status_text(nw_device_alloc_status(device)));
    nw_step_t *step = nw_decision_add_step(d, i);
    step->entry = -1;
    step->host = source(d, i, &distance);
    step->device = block;
    step->size = size;
    step->value = padding;
    step->flags = NW_STEP_OWNED | (staged ? NW_STEP_STAGED : 0u);
    return block;
}

static void stage(nw_decision_t *d, int32_t i, char *to, const void *from, size_t size)
{
    nw_device_t *device = d->op->work.device;
    nw_decision_check(d, i, device->ops->stage(device, &d->op->work, to, from, size));
}

static void set_arg(nw_decision_t *d, int32_t i, uint32_t arg, char *copy)
{
    size_t distance;
    (void)source(d, i, &distance);
    if (nw_decision_makes_arg(d, i))
        d->op->work.launch.args[arg] = (uintptr_t)(copy - distance);
}

/* Whether entry i is a lambda's capture by reference in the private object of entry `parent`. */
static bool captures_for(const nw_decision_t *d, int32_t i, int32_t parent)
{
    const int32_t *origins = d->args->origins;
    int32_t number = (int32_t)(d->args->types[i] >> 48) - 1;
    return is_lambda_capture(d->args->types[i]) && number == (origins ? origins[parent] : parent);
}

/* Puts a device address into a pointer of a private object. */
typedef void (*patch_t)(nw_decision_t *d, int32_t i, char *copy, size_t offset, uintptr_t value);

static void patch_captures(nw_decision_t *d, int32_t i, char *copy, patch_t patch)
{
    size_t distance, size = (size_t)d->args->sizes[i];
    char *object = source(d, i, &distance);
    if (size < sizeof(void *))
        return;
    for (int32_t k = i + 1; k < d->args->n; k++) {
        char *slot = d->args->bases[k];
        if (!captures_for(d, k, i) || slot < object || (size_t)(slot - object) > size - sizeof(void *))
            continue;
        size_t unused;
        char *captured = nw_decision_captured(d->args, k, &unused);
        uintptr_t address = nw_attach_address(d, k, captured);
        if (address != (uintptr_t)captured)
            patch(d, k, copy, (size_t)(slot - object), address);
    }
}

static void patch_bytes(nw_decision_t *d, int32_t i, char *copy, size_t offset, uintptr_t value)
{
    (void)d;
    (void)i;
    memcpy(copy + offset, &value, sizeof value);
}

static void patch_device(nw_decision_t *d, int32_t i, char *copy, size_t offset, uintptr_t value)
{
    stage(d, i, copy + offset, &value, sizeof value);
}

/* The first value of a pointer to mapped data: the data's device address, as far from it as on the host. */
static void point_at_data(nw_decision_t *d, int32_t i, char *copy)
{
    char *data = d->args->ptrs[i], *value;
    memcpy(&value, copy, sizeof value);
    uintptr_t pointer = nw_attach_address(d, i, data) - (uintptr_t)(data - value);
    memcpy(copy, &pointer, sizeof pointer);
}

static void make_large(nw_decision_t *d, int32_t i, uint32_t arg)
{
    size_t distance, size = (size_t)d->args->sizes[i], at = place(d, i, 0);
    char *host = source(d, i, &distance);
    char *block = allocate(d, i, at + taken(d, i), at, (d->args->types[i] & NW_MAP_TO) != 0);
    if (d->args->types[i] & NW_MAP_TO)
        stage(d, i, block + at, host, size);
    patch_captures(d, i, block + at, patch_device);
    set_arg(d, i, arg, block + at);
}

static bool is_small(const nw_decision_t *d, int32_t i)
{
    return is_private(d->args->types[i]) && d->args->sizes[i] <= LARGEST_SMALL;
}

/* Moves a piece with the copies of its entries before `end` to the device. */
static void flush(nw_decision_t *d, piece_t *piece, int32_t end)
{
    size_t used = 0;
    uint32_t arg = piece->first_arg;
    if (piece->used == 0)
        return;
    char *block = allocate(d, piece->first, piece->used, 0, piece->initialised);
    if (piece->initialised)
        stage(d, piece->first, block, piece->bytes, piece->used);
    for (int32_t i = piece->first; i < end; i++) {
        if (is_small(d, i)) {
            used = place(d, i, used);
            set_arg(d, i, arg, block + used);
            used += taken(d, i);
        }
        arg += nw_decision_makes_arg(d, i);
    }
}

static void add_small(nw_decision_t *d, int32_t i, uint32_t arg, piece_t *piece)
{
    uint64_t type = d->args->types[i];
    size_t distance, size = (size_t)d->args->sizes[i], at = place(d, i, piece->used);
    char *host = source(d, i, &distance);
    if (at + taken(d, i) > PIECE_BYTES) {
        flush(d, piece, i);
        piece->used = 0;
        piece->initialised = false;
        at = place(d, i, 0);
    }
    if (piece->used == 0) {
        piece->first = i;
        piece->first_arg = arg;
    }
    if (type & (NW_MAP_TO | NW_MAP_ATTACH)) {
        piece->initialised = true;
        memcpy(piece->bytes + at, host, size);
    }
    if ((type & NW_MAP_ATTACH) && size >= sizeof(void *))
        point_at_data(d, i, piece->bytes + at);
    patch_captures(d, i, piece->bytes + at, patch_bytes);
    piece->used = at + taken(d, i);
}

static bool has_private(const nw_map_args_t *args)
{
    for (int32_t i = 0; i < args->n; i++) {
        if (is_private(args->types[i]))
            return true;
    }
    return false;
}

void nw_private_args_make(nw_decision_t *d)
{
    uint32_t arg = d->first_arg;
    piece_t piece;
    if (NW_LIKELY(!has_private(d->args)))
        return;
    piece.used = 0;
    piece.initialised = false;
    for (int32_t i = 0; i < d->args->n; i++) {
        if (is_small(d, i))
            add_small(d, i, arg, &piece);
        else if (is_private(d->args->types[i]))
            make_large(d, i, arg);
        arg += nw_decision_makes_arg(d, i);
    }
    flush(d, &piece, d->args->n);
}
