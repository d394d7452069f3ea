/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/host/host_constructors.h"

#include <stdlib.h>
#include <string.h>

typedef void function_t(int argc, char **argv, char **environment);

/* What the loader hands to constructors. */
static struct {
    int argc;
    char **argv, **environment;
} handed;

static __attribute__((constructor)) void remember(int argc, char **argv, char **environment)
{
    handed.argc = argc;
    handed.argv = argv;
    handed.environment = environment;
}

static bool is_of_constructors(int64_t tag)
{
    return tag == DT_INIT || tag == DT_INIT_ARRAY || tag == DT_INIT_ARRAYSZ || tag == DT_FINI ||
           tag == DT_FINI_ARRAY || tag == DT_FINI_ARRAYSZ;
}

nw_status_t nw_host_constructors_hide(const nw_host_elf_t *elf, const nw_host_image_file_t *file)
{
    /* Zeroes end the section. */
    Elf64_Dyn *kept = calloc(elf->n_dynamic + 1, sizeof *kept);
    size_t n = 0;
    if (!kept)
        return NW_ERR_NO_MEMORY;
    for (size_t i = 0; i < elf->n_dynamic; i++) {
        Elf64_Dyn entry = nw_host_elf_dynamic(elf, i);
        if (!is_of_constructors(entry.d_tag))
            kept[n++] = entry;
    }
    nw_status_t status =
        nw_host_image_file_write(file, elf->dynamic.p_offset, kept, (elf->n_dynamic + 1) * sizeof *kept);
    free(kept);
    return status;
}

static bool find_array(const nw_host_elf_t *elf, uint64_t base, int64_t where_tag, int64_t bytes_tag,
                       const uint64_t **array_p, size_t *n_p)
{
    uint64_t where, bytes;
    if (!nw_host_elf_find(elf, where_tag, &where) || !nw_host_elf_find(elf, bytes_tag, &bytes))
        return true;
    *array_p = (const uint64_t *)(uintptr_t)(base + where);
    *n_p = bytes / sizeof(uint64_t);
    for (size_t i = 0; i < *n_p; i++) {
        if (!nw_host_elf_has_memory(elf, (*array_p)[i] - base, 1, PF_X))
            return false;
    }
    return true;
}

bool nw_host_constructors_find(const nw_host_elf_t *elf, uint64_t base, nw_host_constructors_t *found)
{
    *found = (nw_host_constructors_t){0};
    if (nw_host_elf_find(elf, DT_INIT, &found->init))
        found->init += base;
    if (nw_host_elf_find(elf, DT_FINI, &found->fini))
        found->fini += base;
    return find_array(elf, base, DT_INIT_ARRAY, DT_INIT_ARRAYSZ, &found->constructors, &found->n_constructors) &&
           find_array(elf, base, DT_FINI_ARRAY, DT_FINI_ARRAYSZ, &found->destructors, &found->n_destructors);
}

static void call(uint64_t address)
{
    function_t *function = NULL;
    memcpy(&function, &address, sizeof function);
    function(handed.argc, handed.argv, handed.environment);
}

/* In the order of the System V ABI. */
void nw_host_constructors_run(nw_host_constructors_t *image)
{
    if (image->init)
        call(image->init);
    for (size_t i = 0; i < image->n_constructors; i++)
        call(image->constructors[i]);
    image->have_run = true;
}

void nw_host_destructors_run(nw_host_constructors_t *image)
{
    if (!image->have_run)
        return;
    for (size_t i = image->n_destructors; i-- > 0;)
        call(image->destructors[i]);
    if (image->fini)
        call(image->fini);
}
