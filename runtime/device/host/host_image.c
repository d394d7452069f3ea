/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/host/host_image.h"

#include <dlfcn.h>
#include <ffi.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/host/host_constructors.h"
#include "device/host/host_elf.h"
#include "device/host/host_image_file.h"
#include "support/reason.h"

/* Most arguments of a kernel: libffi's argument array lives on the stack of the thread that calls. */
#define MAX_ARGS 1024

struct nw_kernel {
    void (*function)(void);
    pthread_mutex_t lock;         /* guards the preparation of the call interface */
    _Atomic(ffi_cif *) interface; /* NULL until the first call */
    struct nw_kernel *next;
};

struct nw_image {
    void *handle;
    nw_host_image_file_t file; /* open as long as the image is loaded */
    nw_host_constructors_t constructors;
    nw_kernel_t *kernels;
};

const char *nw_host_image_refuse_kind(const void *start, size_t size)
{
    nw_host_elf_t elf;
    return nw_host_elf_refuse_header(&elf, start, size);
}

static const char *examine(nw_host_elf_t *elf, const void *start, size_t size)
{
    const char *refusal = nw_host_elf_refuse_header(elf, start, size);
    refusal = refusal ? refusal : nw_host_elf_refuse_segments(elf);
    refusal = refusal ? refusal : nw_host_elf_refuse_dynamic(elf);
    refusal = refusal ? refusal : nw_host_elf_refuse_sections(elf);
    refusal = refusal ? refusal : nw_host_elf_refuse_symbols(elf);
    refusal = refusal ? refusal : nw_host_elf_refuse_versions(elf);
    return refusal ? refusal : nw_host_elf_refuse_relocations(elf);
}

const char *nw_host_image_refuse(const void *start, size_t size)
{
    nw_host_elf_t elf;
    return examine(&elf, start, size);
}

static nw_status_t write_file(const nw_host_elf_t *elf, const nw_host_image_file_t *file)
{
    nw_status_t status = nw_host_image_file_write(file, 0, elf->bytes, elf->size);
    if (status == NW_OK)
        status = nw_host_constructors_hide(elf, file);
    if (status == NW_OK)
        nw_host_image_file_seal(file);
    return status;
}

/* The loader knows libraries by path, and one that wants to stay (-z nodelete) keeps it. No other file may get the path
 * then: this one stays open. */
static void close_library(nw_image_t *image)
{
    dlclose(image->handle);
    void *stays = dlopen(image->file.path, RTLD_NOW | RTLD_NOLOAD);
    if (stays) {
        dlclose(stays);
        nw_host_image_file_leave_open(&image->file);
    } else {
        nw_host_image_file_close(&image->file);
    }
    /* The program must not find this failure when it asks for its own. */
    (void)dlerror();
}

/* Keeps what the loader says, in one line: names in a damaged image may hold anything. */
static void keep_loaders_words(void)
{
    char words[300];
    const char *said = dlerror();
    snprintf(words, sizeof words, "%s", said ? said : "the loader refuses it");
    for (char *c = words; *c; c++) {
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
            *c = '?';
    }
    nw_reason_set("device image: %s", words);
}

/* Closes the file if that fails. */
static nw_status_t open_library(nw_image_t *image, const nw_host_elf_t *elf)
{
    struct link_map *map;
    image->handle = dlopen(image->file.path, RTLD_NOW | RTLD_LOCAL);
    if (!image->handle) {
        keep_loaders_words();
        nw_host_image_file_close(&image->file);
        return NW_ERR_BAD_IMAGE;
    }
    if (dlinfo(image->handle, RTLD_DI_LINKMAP, &map) == 0 &&
        nw_host_constructors_find(elf, map->l_addr, &image->constructors))
        return NW_OK;
    close_library(image);
    nw_reason_set("damaged: its constructors lie outside of its code");
    return NW_ERR_BAD_IMAGE;
}

nw_status_t nw_host_image_load(const void *start, size_t size, nw_image_t **image_p)
{
    nw_host_elf_t elf;
    const char *refusal = examine(&elf, start, size);
    if (refusal) {
        nw_reason_set("%s", refusal);
        return NW_ERR_BAD_IMAGE;
    }
    nw_image_t *image = calloc(1, sizeof *image);
    if (!image)
        return NW_ERR_NO_MEMORY;
    nw_status_t status = nw_host_image_file_open(&image->file);
    if (status != NW_OK)
        goto free_image;
    status = write_file(&elf, &image->file);
    if (status != NW_OK) {
        nw_host_image_file_close(&image->file);
        goto free_image;
    }
    status = open_library(image, &elf);
    if (status != NW_OK)
        goto free_image;
    *image_p = image;
    return NW_OK;

free_image:
    free(image);
    return status;
}

void nw_host_image_start(nw_image_t *image)
{
    nw_host_constructors_run(&image->constructors);
}

void nw_host_image_unload(nw_image_t *image)
{
    nw_host_destructors_run(&image->constructors);
    while (image->kernels) {
        nw_kernel_t *kernel = image->kernels;
        image->kernels = kernel->next;
        free(atomic_load_explicit(&kernel->interface, memory_order_relaxed));
        pthread_mutex_destroy(&kernel->lock);
        free(kernel);
    }
    close_library(image);
    free(image);
}

nw_status_t nw_host_image_symbol(nw_image_t *image, const char *name, nw_symbol_t *symbol_p)
{
    void *address = dlsym(image->handle, name);
    if (!address)
        return NW_ERR_NO_KERNEL;
    *symbol_p = (nw_symbol_t){.address = address};
    return NW_OK;
}

nw_status_t nw_host_kernel_find(nw_image_t *image, const char *name, nw_kernel_t **kernel_p)
{
    nw_symbol_t symbol;
    nw_status_t status = nw_host_image_symbol(image, name, &symbol);
    if (status != NW_OK)
        return status;
    nw_kernel_t *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return NW_ERR_NO_MEMORY;
    memcpy(&kernel->function, &symbol.address, sizeof kernel->function);
    pthread_mutex_init(&kernel->lock, NULL);
    kernel->next = image->kernels;
    image->kernels = kernel;
    *kernel_p = kernel;
    return NW_OK;
}

/* A call interface with its argument types behind it, in one block. */
static ffi_cif *prepare_interface(uint32_t n_args)
{
    ffi_cif *interface = malloc(sizeof *interface + n_args * sizeof(ffi_type *));
    if (!interface)
        return NULL;
    ffi_type **types = (ffi_type **)(interface + 1);
    for (uint32_t i = 0; i < n_args; i++)
        types[i] = &ffi_type_pointer;
    if (ffi_prep_cif(interface, FFI_DEFAULT_ABI, n_args, &ffi_type_void, types) == FFI_OK)
        return interface;
    free(interface);
    return NULL;
}

static ffi_cif *interface_of(nw_kernel_t *kernel, uint32_t n_args)
{
    /* Acquire pairs with the release below. */
    ffi_cif *interface = atomic_load_explicit(&kernel->interface, memory_order_acquire);
    if (NW_LIKELY(interface))
        return interface;
    pthread_mutex_lock(&kernel->lock);
    interface = atomic_load_explicit(&kernel->interface, memory_order_relaxed);
    if (!interface) {
        interface = prepare_interface(n_args);
        atomic_store_explicit(&kernel->interface, interface, memory_order_release);
    }
    pthread_mutex_unlock(&kernel->lock);
    return interface;
}

/* A kernel's own parameters are pointers and integers; passing words for them is the calling convention's business,
 * which UBSan can't know. */
#ifdef __clang__
#define UNCHECKED_CALL __attribute__((no_sanitize("function")))
#else
#define UNCHECKED_CALL
#endif

/* Kernels take pointer-sized integers and return nothing, so for a small number of arguments an ordinary call does, at
 * a tenth of libffi's cost. Returns false if there are more. */
UNCHECKED_CALL static bool call_directly(const nw_launch_t *launch)
{
    typedef uint64_t word;
    void *f; /* an object pointer: casts between function types are warned of */
    const word *a = launch->args;
    memcpy(&f, &launch->kernel->function, sizeof f);
    switch (launch->n_args) {
    case 0:
        ((void (*)(void))f)();
        return true;
    case 1:
        ((void (*)(word))f)(a[0]);
        return true;
    case 2:
        ((void (*)(word, word))f)(a[0], a[1]);
        return true;
    case 3:
        ((void (*)(word, word, word))f)(a[0], a[1], a[2]);
        return true;
    case 4:
        ((void (*)(word, word, word, word))f)(a[0], a[1], a[2], a[3]);
        return true;
    case 5:
        ((void (*)(word, word, word, word, word))f)(a[0], a[1], a[2], a[3], a[4]);
        return true;
    case 6:
        ((void (*)(word, word, word, word, word, word))f)(a[0], a[1], a[2], a[3], a[4], a[5]);
        return true;
    default:
        return false;
    }
}

nw_status_t nw_host_kernel_call(const nw_launch_t *launch)
{
    void *values[MAX_ARGS];
    if (call_directly(launch))
        return NW_OK;
    if (launch->n_args > MAX_ARGS)
        return NW_ERR_UNSUPPORTED;
    ffi_cif *interface = interface_of(launch->kernel, launch->n_args);
    if (!interface)
        return NW_ERR_NO_MEMORY;
    if (interface->nargs != launch->n_args)
        return NW_ERR_INVALID;
    for (uint32_t i = 0; i < launch->n_args; i++)
        values[i] = &launch->args[i];
    ffi_call(interface, launch->kernel->function, NULL, values);
    return NW_OK;
}
