/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_constructors.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda/cuda_copy.h"
#include "device/cuda/cuda_image.h"
#include "device/cuda/cuda_memory.h"

static const char init_prefix[] = "__init_array_object_", fini_prefix[] = "__fini_array_object_";

/* The symbol table of a file. */
typedef struct symbols {
    const char *file, *names;
    size_t size, names_size;
    uint64_t offset, n;
} symbols_t;

/* Reads section i; false if it or its bytes lie outside the file. */
static bool read_section(const symbols_t *file, const Elf64_Ehdr *header, uint32_t i, Elf64_Shdr *section_p)
{
    if (i >= header->e_shnum || header->e_shentsize != sizeof *section_p)
        return false;
    uint64_t at = header->e_shoff + i * sizeof *section_p;
    if (at > file->size || file->size - at < sizeof *section_p)
        return false;
    memcpy(section_p, file->file + at, sizeof *section_p);
    return section_p->sh_type == SHT_NOBITS ||
           (section_p->sh_offset <= file->size && section_p->sh_size <= file->size - section_p->sh_offset);
}

/* Finds the symbol table; NW_ERR_NO_KERNEL if there is none. */
static nw_status_t find_symbols(symbols_t *symbols)
{
    Elf64_Ehdr header;
    Elf64_Shdr section, names;
    memcpy(&header, symbols->file, sizeof header);
    for (uint32_t i = 0; i < header.e_shnum; i++) {
        if (!read_section(symbols, &header, i, &section))
            return NW_ERR_BAD_IMAGE;
        if (section.sh_type != SHT_SYMTAB)
            continue;
        if (!read_section(symbols, &header, section.sh_link, &names) || names.sh_type != SHT_STRTAB ||
            names.sh_size == 0 || symbols->file[names.sh_offset + names.sh_size - 1] != '\0')
            return NW_ERR_BAD_IMAGE;
        symbols->names = symbols->file + names.sh_offset;
        symbols->names_size = names.sh_size;
        symbols->offset = section.sh_offset;
        symbols->n = section.sh_size / sizeof(Elf64_Sym);
        return NW_OK;
    }
    return NW_ERR_NO_KERNEL;
}

static const char *symbol_name(const symbols_t *symbols, uint64_t i)
{
    Elf64_Sym symbol;
    memcpy(&symbol, symbols->file + symbols->offset + i * sizeof symbol, sizeof symbol);
    return symbol.st_name < symbols->names_size ? symbols->names + symbol.st_name : "";
}

static unsigned priority_of(const char *name)
{
    unsigned priority = 0;
    const char *digits = strrchr(name, '_');
    while (digits && *++digits >= '0' && *digits <= '9')
        priority = 10 * priority + (unsigned)(*digits - '0');
    return priority;
}

static int by_priority(const void *a, const void *b)
{
    const nw_cuda_constructor_t *left = a, *right = b;
    if (left->priority != right->priority)
        return left->priority < right->priority ? -1 : 1;
    return left->place < right->place ? -1 : 1;
}

static bool is_known(const nw_cuda_constructors_t *constructors, const char *name, size_t length)
{
    for (size_t i = 0; i < constructors->n; i++) {
        if (strncmp(constructors->list[i].name, name, length) == 0 && constructors->list[i].name[length] == '\0')
            return true;
    }
    return false;
}

static nw_status_t add(nw_cuda_constructors_t *constructors, const char *name, size_t length)
{
    nw_cuda_constructor_t *grown =
        realloc(constructors->list, (constructors->n + 1) * sizeof constructors->list[0]);
    if (!grown)
        return NW_ERR_NO_MEMORY;
    constructors->list = grown;
    char *copy = strndup(name, length);
    if (!copy)
        return NW_ERR_NO_MEMORY;
    grown[constructors->n] =
        (nw_cuda_constructor_t){.name = copy, .priority = priority_of(copy), .place = constructors->n};
    constructors->n++;
    return NW_OK;
}

static nw_status_t find_in_symbols(symbols_t *symbols, const char *prefix, nw_cuda_constructors_t *constructors)
{
    nw_status_t status = NW_OK;
    for (uint64_t i = 0; status == NW_OK && i < symbols->n; i++) {
        const char *name = symbol_name(symbols, i);
        if (strncmp(name, prefix, strlen(prefix)) == 0)
            status = add(constructors, name, strlen(name));
    }
    return status;
}

/* Wherever they are named: variables with such names have no other use. */
static nw_status_t find_in_text(const char *text, const char *prefix, nw_cuda_constructors_t *constructors)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$";
    nw_status_t status = NW_OK;
    size_t length;
    for (const char *at = text; status == NW_OK && (at = strstr(at, prefix)); at += length) {
        length = strspn(at, letters);
        if (!is_known(constructors, at, length))
            status = add(constructors, at, length);
    }
    return status;
}

static void sort(nw_cuda_constructors_t *constructors)
{
    if (constructors->n > 1)
        qsort(constructors->list, constructors->n, sizeof constructors->list[0], by_priority);
}

nw_status_t nw_cuda_constructors_find(const void *start, size_t size, bool is_text,
                                      nw_cuda_constructors_t *constructors_p, nw_cuda_constructors_t *destructors_p)
{
    symbols_t symbols = {.file = start, .size = size};
    *constructors_p = (nw_cuda_constructors_t){
        .kernel = "nvptx$device$init", .begin = "__init_array_start", .end = "__init_array_end"};
    *destructors_p = (nw_cuda_constructors_t){
        .kernel = "nvptx$device$fini", .begin = "__fini_array_start", .end = "__fini_array_end", .backwards = true};
    nw_status_t status = is_text ? NW_OK : find_symbols(&symbols);
    if (status == NW_ERR_NO_KERNEL)
        return NW_OK;
    if (status == NW_OK)
        status = is_text ? find_in_text(start, init_prefix, constructors_p)
                         : find_in_symbols(&symbols, init_prefix, constructors_p);
    if (status == NW_OK)
        status = is_text ? find_in_text(start, fini_prefix, destructors_p)
                         : find_in_symbols(&symbols, fini_prefix, destructors_p);
    if (status != NW_OK) {
        nw_cuda_constructors_forget(constructors_p);
        nw_cuda_constructors_forget(destructors_p);
        return status;
    }
    sort(constructors_p);
    sort(destructors_p);
    return NW_OK;
}

void nw_cuda_constructors_forget(nw_cuda_constructors_t *constructors)
{
    for (size_t i = 0; i < constructors->n; i++)
        free(constructors->list[i].name);
    free(constructors->list);
    constructors->list = NULL;
    constructors->n = 0;
}

static nw_status_t write_pointer(nw_device_t *device, nw_image_t *image, const char *name, const void *value)
{
    nw_symbol_t symbol;
    nw_status_t status = nw_cuda_image_symbol(device, image, name, &symbol);
    return status == NW_OK ? nw_cuda_copy_in(device, symbol.address, &value, sizeof value) : status;
}

static nw_status_t fill_array(nw_device_t *device, nw_image_t *image, const nw_cuda_constructors_t *constructors,
                              void **array)
{
    nw_status_t status = NW_OK;
    for (size_t i = 0; i < constructors->n && status == NW_OK; i++) {
        nw_symbol_t symbol;
        void *function;
        status = nw_cuda_image_symbol(device, image, constructors->list[i].name, &symbol);
        if (status == NW_OK)
            status = nw_cuda_copy_out(device, &function, symbol.address, sizeof function);
        if (status == NW_OK)
            status = nw_cuda_copy_in(device, &array[i], &function, sizeof function);
    }
    /* LLVM 19's kernel of destructors skips the only one of an array: it compares the last one's address with the
     * begin's by "less or equal" (NVPTXCtorDtorLowering.cpp). It only compares that address, and so does LLVM 22's: one
     * byte less, and both go through the whole array. */
    const char *begin = (const char *)array - constructors->backwards;
    if (status == NW_OK)
        status = write_pointer(device, image, constructors->begin, begin);
    return status == NW_OK ? write_pointer(device, image, constructors->end, array + constructors->n) : status;
}

static nw_status_t launch(nw_cuda_gpu_t *gpu, nw_image_t *image, const char *name)
{
    CUfunction function;
    const char *call = "cuModuleGetFunction";
    CUresult result = nw_cuda.cuModuleGetFunction(&function, nw_cuda_image_module(image), name);
    if (result == CUDA_SUCCESS) {
        call = "cuLaunchKernel";
        result = nw_cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, gpu->copy_stream, NULL, NULL);
    }
    if (result == CUDA_SUCCESS) {
        call = "cuStreamSynchronize";
        result = nw_cuda.cuStreamSynchronize(gpu->copy_stream);
    }
    return result == CUDA_SUCCESS ? NW_OK : nw_cuda_failed(result, call, name);
}

nw_status_t nw_cuda_constructors_run(nw_device_t *device, nw_image_t *image,
                                     const nw_cuda_constructors_t *constructors)
{
    if (constructors->n == 0)
        return NW_OK;
    size_t size = constructors->n * sizeof(void *);
    void **array = nw_cuda_alloc(device, size);
    if (!array)
        return NW_ERR_DEVICE_MEMORY;
    nw_status_t status = fill_array(device, image, constructors, array);
    if (status == NW_OK)
        status = launch(nw_cuda_gpu_of(device), image, constructors->kernel);
    nw_cuda_free(device, array, size);
    return status;
}
