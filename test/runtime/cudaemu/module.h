/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Modules, their kernels and global variables. */
#ifndef EMU_MODULE_H
#define EMU_MODULE_H

#include "cudaemu/context.h"
#include "cudaemu/cubin.h"
#include "cudaemu/native.h"
#include "cudaemu/ptx.h"

typedef struct CUmod_st module_t;
typedef struct CUfunc_st function_t;

struct CUmod_st {
    uint64_t live; /* first: of the handle */
    context_t *context;
    char *bytes; /* a copy of the image */
    elf_file_t elf;
    bool is_cubin;
    native_t *native; /* its kernels are code of the host; else NULL */
    bool is_ptx;
    char **places;    /* in device memory: of a cubin's sections, NULL for others; of PTX's variables */
    size_t n_places;
    function_t *functions;
    module_t *next, *previous;
};

struct CUfunc_st {
    uint64_t live; /* first: of the handle */
    module_t *module;
    char *name;
    void *code; /* of the host; NULL: it does nothing, or what a test has registered */
    cubin_kernel_t info;
    int max_dynamic_shared; /* bytes */
    /* What holds for its name, as of these versions. */
    uint64_t time_version, time;
    uint64_t registered_version;
    struct registered *registered;
    function_t *next;
};

/* Reports a misuse if the handle is none. Lock held. */
bool emu_function_is(CUfunction function);
/* Whether its kernels take time of their own. Lock held. */
bool emu_function_is_code(function_t *function);
/* Runs a kernel. Called without the lock. */
void emu_function_run(const kernel_command_t *kernel);

/* Ends all modules of a context. Lock held. */
void emu_modules_delete(context_t *context);
uint64_t emu_modules_live(void);

#endif
