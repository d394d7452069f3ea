/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/mapper.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/map_types.h"
#include "support/log.h"

typedef void (*mapper_t)(void *handle, void *base, void *begin, int64_t size, uint64_t type, void *name);

/* What an entry says beside `to` and `from`, which its mapper function has combined with its own: for all that the
 * mapper maps (OpenMP 5.2, section 5.8.8), or of the object as a whole, which the first component is. Clang's functions
 * leave both out. */
#define ALL_COMPONENTS \
    (NW_MAP_ALWAYS | NW_MAP_DELETE | NW_MAP_IMPLICIT | NW_MAP_CLOSE | NW_MAP_PRESENT | NW_MAP_HOLD)
#define FIRST_ONLY (NW_MAP_TARGET_PARAM | NW_MAP_RETURN_PARAM)

/* What a mapper function gets as its handle, laid out as in LLVM, where it is a std::vector of components: a program
 * may pass one of its own to the functions that a mapper calls. */
typedef struct component {
    void *base, *begin;
    int64_t size;
    uint64_t type;
    void *name;
} component_t;

typedef struct handle {
    component_t *begin, *end, *limit;
} handle_t;

_Static_assert(sizeof(component_t) == 40 && offsetof(component_t, name) == 32, "LLVM's MapComponentInfoTy");

/* A growing list of entries. */
typedef struct list {
    size_t n, capacity;
    void **bases, **ptrs, **names;
    int64_t *sizes;
    uint64_t *types;
    int32_t *origins;
    int32_t origin; /* the caller's entry in progress */
    bool out_of_memory;
} list_t;

static bool grow(list_t *list)
{
    size_t capacity = list->capacity ? 2 * list->capacity : 32;
    void **bases = realloc(list->bases, capacity * sizeof *bases);
    if (bases)
        list->bases = bases;
    void **ptrs = realloc(list->ptrs, capacity * sizeof *ptrs);
    if (ptrs)
        list->ptrs = ptrs;
    void **names = realloc(list->names, capacity * sizeof *names);
    if (names)
        list->names = names;
    int64_t *sizes = realloc(list->sizes, capacity * sizeof *sizes);
    if (sizes)
        list->sizes = sizes;
    uint64_t *types = realloc(list->types, capacity * sizeof *types);
    if (types)
        list->types = types;
    int32_t *origins = realloc(list->origins, capacity * sizeof *origins);
    if (origins)
        list->origins = origins;
    if (!bases || !ptrs || !names || !sizes || !types || !origins)
        return false;
    list->capacity = capacity;
    return true;
}

static void push(list_t *list, void *base, void *ptr, int64_t size, uint64_t type, void *name)
{
    if (list->n == list->capacity && !grow(list)) {
        list->out_of_memory = true;
        return;
    }
    list->bases[list->n] = base;
    list->ptrs[list->n] = ptr;
    list->sizes[list->n] = size;
    list->types[list->n] = type;
    list->names[list->n] = name;
    list->origins[list->n] = list->origin;
    list->n++;
}

int64_t nw_mapper_count(void *handle)
{
    const handle_t *components = handle;
    return components->end - components->begin;
}

static void grow_handle(handle_t *components)
{
    size_t n = (size_t)(components->end - components->begin), capacity = n ? 2 * n : 16;
    component_t *grown = malloc(capacity * sizeof *grown);
    if (!grown)
        nw_fatal(NULL, "%s", nw_status_text(NW_ERR_NO_MEMORY));
    if (n > 0)
        memcpy(grown, components->begin, n * sizeof *grown);
    /* Not realloc: memory of a program's own vector is the C++ library's, which gives it to free. */
    free(components->begin);
    *components = (handle_t){grown, grown + n, grown + capacity};
}

void nw_mapper_push(void *handle, void *base, void *begin, int64_t size, uint64_t type, void *name)
{
    handle_t *components = handle;
    if (components->end == components->limit)
        grow_handle(components);
    *components->end++ = (component_t){base, begin, size, type, name};
}

nw_status_t nw_mapper_flatten(const nw_map_args_t *args, nw_flat_args_t *flat_p)
{
    list_t list = {0};
    handle_t components = {0};
    for (int32_t i = 0; i < args->n && !list.out_of_memory; i++) {
        void *name = args->names ? args->names[i] : NULL;
        mapper_t mapper = NULL;
        list.origin = i;
        if (args->mappers && args->mappers[i])
            memcpy(&mapper, &args->mappers[i], sizeof mapper);
        if (!mapper) {
            push(&list, args->bases[i], args->ptrs[i], args->sizes[i], args->types[i], name);
            continue;
        }
        components.end = components.begin;
        mapper(&components, args->bases[i], args->ptrs[i], args->sizes[i], args->types[i], name);
        for (const component_t *c = components.begin; c < components.end; c++) {
            uint64_t inherited = c == components.begin ? ALL_COMPONENTS | FIRST_ONLY : ALL_COMPONENTS;
            push(&list, c->base, c->begin, c->size,
                 (c->type & ~(uint64_t)FIRST_ONLY) | (args->types[i] & inherited), c->name);
        }
    }
    free(components.begin);
    *flat_p = (nw_flat_args_t){.owned = true,
                               .args = {.n = (int32_t)list.n,
                                        .bases = list.bases,
                                        .ptrs = list.ptrs,
                                        .sizes = list.sizes,
                                        .types = list.types,
                                        .names = list.names,
                                        .origins = list.origins,
                                        .return_bases = args->bases}};
    if (!list.out_of_memory)
        return NW_OK;
    nw_mapper_release(flat_p);
    return NW_ERR_NO_MEMORY;
}

void nw_mapper_release(nw_flat_args_t *flat)
{
    if (!flat->owned)
        return;
    free(flat->args.bases);
    free(flat->args.ptrs);
    free(flat->args.names);
    free((void *)flat->args.sizes);
    free((void *)flat->args.types);
    free((void *)flat->args.origins);
    flat->owned = false;
}
