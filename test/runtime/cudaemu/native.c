/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cudaemu/native.h"

#include <dlfcn.h>
#include <ffi.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cudaemu/elf_file.h"
#include "cudaemu/emu.h"

enum { MAX_ARGUMENTS = 1024 };

struct native {
    void *handle;
    int file; /* open as long as the image is loaded: the loader knows libraries by path, and the path by this number */
    char *bytes;
    elf_file_t elf;
};

static bool write_all(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(file, bytes, size);
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

static void *load(int file, const void *start, size_t size)
{
    char path[64];
    if (!write_all(file, start, size))
        return NULL;
    /* Not by /proc/self: a debugger opens it, too. By the thread, since the initial one may have ended. */
    snprintf(path, sizeof path, "/proc/%d/task/%ld/fd/%d", (int)getpid(), syscall(SYS_gettid), file);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        fprintf(stderr, "cudaemu: x86-64 image: %s\n", dlerror());
    return handle;
}

native_t *emu_native_load(const void *start, size_t size)
{
    native_t *native = emu_alloc(sizeof *native);
    native->bytes = emu_alloc(size);
    memcpy(native->bytes, start, size);
    native->file = memfd_create("cudaemu-image", MFD_CLOEXEC);
    if (native->file >= 0 && emu_elf_open(&native->elf, native->bytes, size, SHT_DYNSYM))
        native->handle = load(native->file, start, size);
    if (native->handle)
        return native;
    if (native->file >= 0)
        close(native->file);
    free(native->bytes);
    free(native);
    return NULL;
}

void emu_native_unload(native_t *native)
{
    dlclose(native->handle);
    close(native->file);
    free(native->bytes);
    free(native);
}

void emu_native_ranges(native_t *native, void (*range)(void *context, void *start, size_t size), void *context)
{
    struct link_map *map = NULL;
    const Elf64_Ehdr *header = native->elf.header;
    const Elf64_Phdr *segments = (const void *)(native->bytes + header->e_phoff);
    if (dlinfo(native->handle, RTLD_DI_LINKMAP, &map) != 0)
        return;
    for (size_t i = 0; i < header->e_phnum; i++) {
        if (segments[i].p_type == PT_LOAD && !(segments[i].p_flags & PF_X))
            range(context, (char *)map->l_addr + segments[i].p_vaddr, segments[i].p_memsz);
    }
}

void *emu_native_symbol(native_t *native, const char *name, size_t *size_p)
{
    void *address = dlsym(native->handle, name);
    const Elf64_Sym *symbol = address && size_p ? emu_elf_symbol(&native->elf, name) : NULL;
    if (size_p)
        *size_p = symbol ? symbol->st_size : 0;
    return address && size_p && !symbol ? NULL : address;
}

void emu_native_call(void *function, const uint64_t *arguments, size_t n)
{
    ffi_cif interface;
    ffi_type *types[MAX_ARGUMENTS];
    void *values[MAX_ARGUMENTS];
    void (*entry)(void);
    if (n > MAX_ARGUMENTS)
        emu_die("a kernel with %zu arguments", n);
    for (size_t i = 0; i < n; i++) {
        types[i] = &ffi_type_uint64;
        values[i] = (void *)&arguments[i];
    }
    memcpy(&entry, &function, sizeof entry);
    if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, (unsigned int)n, &ffi_type_void, types) != FFI_OK)
        emu_die("a kernel with %zu arguments can't be called", n);
    ffi_call(&interface, entry, NULL, values);
}
