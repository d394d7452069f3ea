/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cudaemu/module.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cudaemu/handle.h"
#include "cudaemu/memory.h"
#include "cudaemu/settings.h"
#include "cudaemu/stream.h"

static handles_t modules = {.size = sizeof(module_t), .limit = 1 << 14};
static handles_t functions = {.size = sizeof(function_t), .limit = 1 << 16};

/* --- a cubin's data ------------------------------------------------------------------------------------------- */

static bool place_section(module_t *module, size_t i)
{
    const Elf64_Shdr *section = &module->elf.sections[i];
    allocation_t *memory = emu_memory_new(module->context, MEMORY_DEVICE, section->sh_size, 0);
    if (!memory)
        return false;
    /* It goes with its module and is not the program's to free. */
    emu_memory_becomes_module(memory);
    if (section->sh_type == SHT_NOBITS)
        memset(memory->start, 0, section->sh_size);
    else
        memcpy(memory->start, module->elf.start + section->sh_offset, section->sh_size);
    module->places[i] = memory->start;
    return true;
}

static bool place_data(module_t *module)
{
    size_t n = module->n_places = module->elf.header->e_shnum;
    module->places = emu_alloc(n * sizeof *module->places);
    for (size_t i = 0; i < n; i++) {
        const Elf64_Shdr *section = &module->elf.sections[i];
        if (section->sh_size && emu_cubin_is_data(&module->elf, section) && !place_section(module, i))
            return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (module->places[i])
            emu_cubin_relocate(&module->elf, i, module->places);
    }
    return true;
}

/* The variables of PTX. */
static bool place_variables(module_t *module)
{
    ptx_variable_t variable;
    while (emu_ptx_variable(module->bytes, module->n_places, &variable))
        module->n_places++;
    module->places = emu_alloc((module->n_places + 1) * sizeof *module->places);
    for (size_t i = 0; emu_ptx_variable(module->bytes, i, &variable); i++) {
        allocation_t *memory = emu_memory_new(module->context, MEMORY_DEVICE, variable.size, 0);
        if (!memory)
            return false;
        emu_memory_becomes_module(memory);
        memset(memory->start, 0, variable.size);
        memcpy(memory->start, variable.bytes,
               variable.size < sizeof variable.bytes ? variable.size : sizeof variable.bytes);
        module->places[i] = memory->start;
    }
    return true;
}

static void delete_data(module_t *module)
{
    for (size_t i = 0; module->places && i < module->n_places; i++) {
        if (module->places[i])
            emu_memory_delete(emu_memory_find(module->places[i]));
    }
    free(module->places);
}

/* --- loading -------------------------------------------------------------------------------------------------- */

static void adopt_range(void *context, void *start, size_t size)
{
    emu_lock();
    (void)emu_memory_adopt(context, MEMORY_MODULE, start, size, 0);
    emu_unlock();
}

static void forget_range(void *context, void *start, size_t size)
{
    allocation_t *allocation = emu_memory_find(start);
    (void)context, (void)size;
    if (allocation && allocation->kind == MEMORY_MODULE)
        emu_memory_delete(allocation);
}

/* Whether a device runs code that was made for a capability: of the same major version, and not newer. */
static bool fits(const context_t *context, int capability)
{
    int own = emu_settings.capability[context->device];
    return capability / 10 == own / 10 && capability % 10 <= own % 10;
}

static CUresult load_native(module_t *module, const void *start, size_t size)
{
    module->native = emu_native_load(start, size);
    if (!module->native)
        return CUDA_ERROR_INVALID_IMAGE;
    emu_native_ranges(module->native, adopt_range, module->context);
    return CUDA_SUCCESS;
}

static CUresult load_cubin(module_t *module)
{
    int capability = emu_cubin_capability(module->elf.header);
    if (!capability)
        return CUDA_ERROR_INVALID_IMAGE;
    if (!fits(module->context, capability))
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    const Elf64_Shdr *code = emu_elf_section(&module->elf, CUBIN_CODE_SECTION);
    if (code) {
        CUresult result = load_native(module, module->elf.start + code->sh_offset, code->sh_size);
        if (result != CUDA_SUCCESS)
            return result;
    }
    emu_lock();
    bool placed = place_data(module);
    emu_unlock();
    return placed ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* The driver compiles PTX for any device that is not older than its target. */
static CUresult load_ptx(module_t *module, const char *text)
{
    int target = emu_ptx_target(text);
    if (target == 0)
        return CUDA_ERROR_INVALID_IMAGE;
    if (target > emu_settings.capability[module->context->device])
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    module->bytes = strdup(text);
    module->is_ptx = true;
    emu_lock();
    bool placed = place_variables(module);
    emu_unlock();
    return placed ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult load_image(module_t *module, const void *image)
{
    size_t size = emu_elf_size(image);
    if (size == 0)
        return *(const char *)image == '\x7f' ? CUDA_ERROR_INVALID_IMAGE : load_ptx(module, image);
    module->bytes = emu_alloc(size);
    memcpy(module->bytes, image, size);
    if (!emu_elf_open(&module->elf, module->bytes, size, SHT_SYMTAB))
        return CUDA_ERROR_INVALID_IMAGE;
    module->is_cubin = module->elf.header->e_machine == EM_CUDA;
    if (module->is_cubin)
        return load_cubin(module);
    return module->elf.header->e_machine == EM_X86_64 ? load_native(module, module->bytes, size)
                                                      : CUDA_ERROR_INVALID_IMAGE;
}

/* Gives back what a module holds. Lock held; returns what is to be unloaded without it. */
static native_t *delete_module(module_t *module)
{
    native_t *native = module->native;
    while (module->functions) {
        function_t *function = module->functions;
        module->functions = function->next;
        free(function->name);
        free(function->info.parameters);
        emu_handle_free(&functions, function);
    }
    if (native)
        emu_native_ranges(native, forget_range, NULL);
    delete_data(module);
    free(module->bytes);
    if (module->next)
        module->next->previous = module->previous;
    if (module->previous)
        module->previous->next = module->next;
    else
        module->context->modules = module->next;
    emu_handle_free(&modules, module);
    return native;
}

static CUresult load(CUmodule *module_p, const void *image)
{
    if (!module_p || !image)
        return CUDA_ERROR_INVALID_VALUE;
    emu_lock();
    module_t *module = emu_handle_new(&modules);
    if (module) {
        module->context = emu_current();
        module->next = module->context->modules;
        if (module->next)
            module->next->previous = module;
        module->context->modules = module;
    }
    emu_unlock();
    if (!module)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = load_image(module, image);
    if (result == CUDA_SUCCESS) {
        *module_p = module;
        return CUDA_SUCCESS;
    }
    emu_lock();
    native_t *native = delete_module(module);
    emu_unlock();
    if (native)
        emu_native_unload(native);
    return result;
}

static bool is_module(CUmodule module)
{
    if (emu_handle_is(&modules, module))
        return true;
    emu_misuse("%p is no module", (void *)module);
    return false;
}

CUresult cuModuleLoadData(CUmodule *module_p, const void *image)
{
    ENTER(cuModuleLoadData, NEEDS_CONTEXT);
    return load(module_p, image);
}

CUresult cuModuleLoadDataEx(CUmodule *module_p, const void *image, unsigned int n_options, CUjit_option *options,
                            void **values)
{
    ENTER(cuModuleLoadDataEx, NEEDS_CONTEXT);
    if (n_options && (!options || !values))
        return CUDA_ERROR_INVALID_VALUE;
    return load(module_p, image);
}

CUresult cuModuleUnload(CUmodule module)
{
    ENTER(cuModuleUnload, NEEDS_CONTEXT);
    native_t *native = NULL;
    /* Kernels of it may be running. */
    emu_wait_for_context(emu_current());
    emu_lock();
    bool right = is_module(module);
    if (right)
        native = delete_module(module);
    emu_unlock();
    if (native)
        emu_native_unload(native);
    return right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

void emu_modules_delete(context_t *context)
{
    /* Code of the host stays loaded: its destructors must not run with the lock held. */
    while (context->modules)
        (void)delete_module(context->modules);
}

uint64_t emu_modules_live(void)
{
    return modules.live;
}

/* --- what is in a module -------------------------------------------------------------------------------------- */

bool emu_function_is(CUfunction function)
{
    if (emu_handle_is(&functions, function))
        return true;
    emu_misuse("%p is no function", (void *)function);
    return false;
}

static function_t *known_function(const module_t *module, const char *name)
{
    function_t *function = module->functions;
    while (function && strcmp(function->name, name) != 0)
        function = function->next;
    return function;
}

/* Whether the device only takes the time of a kernel: CUDAEMU_SKIP is a list of patterns. */
static bool is_skipped(const char *name)
{
    char *list = emu_settings.skip ? strdup(emu_settings.skip) : NULL, *rest = list;
    bool skipped = false;
    for (char *pattern; !skipped && (pattern = strsep(&rest, ",")) != NULL;)
        skipped = fnmatch(pattern, name, 0) == 0;
    free(list);
    return skipped;
}

static function_t *find_function(module_t *module, const char *name)
{
    function_t *function = known_function(module, name);
    cubin_kernel_t info = {.max_threads = 1024};
    if (function)
        return function;
    void *code = module->native ? emu_native_symbol(module->native, name, NULL) : NULL;
    bool found = module->is_ptx     ? emu_ptx_has_entry(module->bytes, name)
                 : module->is_cubin ? emu_cubin_kernel(&module->elf, name, &info)
                                    : code != NULL;
    if (!found)
        return NULL;
    function = emu_handle_new(&functions);
    if (!function)
        return NULL;
    function->module = module;
    function->name = strdup(name);
    function->code = is_skipped(name) ? NULL : code;
    function->info = info;
    function->max_dynamic_shared = 48 << 10;
    function->next = module->functions;
    module->functions = function;
    return function;
}

CUresult cuModuleGetFunction(CUfunction *function_p, CUmodule module, const char *name)
{
    ENTER(cuModuleGetFunction, NEEDS_CONTEXT);
    if (!function_p || !name)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = CUDA_ERROR_INVALID_HANDLE;
    emu_lock();
    if (is_module(module)) {
        *function_p = find_function(module, name);
        result = *function_p ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
    }
    emu_unlock();
    return result;
}

static char *find_variable(const module_t *module, const char *name, size_t *size_p)
{
    ptx_variable_t variable;
    for (size_t i = 0; emu_ptx_variable(module->bytes, i, &variable); i++) {
        if (strcmp(variable.name, name) == 0) {
            *size_p = variable.size;
            return module->places[i];
        }
    }
    return NULL;
}

static char *find_global(const module_t *module, const char *name, size_t *size_p)
{
    char *address = module->native ? emu_native_symbol(module->native, name, size_p) : NULL;
    if (!address && module->is_ptx)
        return find_variable(module, name, size_p);
    if (address || !module->is_cubin)
        return address;
    const Elf64_Sym *symbol = emu_elf_symbol(&module->elf, name);
    if (!symbol || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_shndx >= module->elf.header->e_shnum)
        return NULL;
    *size_p = symbol->st_size;
    char *place = module->places[symbol->st_shndx];
    return place ? place + symbol->st_value : NULL;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address_p, size_t *size_p, CUmodule module, const char *name)
{
    ENTER(cuModuleGetGlobal, NEEDS_CONTEXT);
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = CUDA_ERROR_INVALID_HANDLE;
    size_t size = 0;
    emu_lock();
    if (is_module(module)) {
        char *address = find_global(module, name, &size);
        result = address ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
        if (address && address_p)
            *address_p = (CUdeviceptr)address;
        if (address && size_p)
            *size_p = size;
    }
    emu_unlock();
    return result;
}
