/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Cubins: ELF files for the CUDA machine, of ABI version 7 (the compute capability is in the flags' low byte) and 8 (in
 * the next byte). Kernels are functions marked as entries; what launches must know of them is in .nv.info.NAME. Global
 * variables lie in .nv.global, .nv.global.init and .nv.constant*. Called with the lock held.
 */
#ifndef EMU_CUBIN_H
#define EMU_CUBIN_H

#include "cudaemu/context.h"
#include "cudaemu/elf_file.h"

/* The section that holds an x86-64 shared object with the kernels' code; not NVIDIA's: scripts write it for the
 * emulator. */
#define CUBIN_CODE_SECTION ".cudaemu.x86_64"

typedef struct cubin_parameter {
    uint16_t offset, size; /* bytes */
} cubin_parameter_t;

enum { CUBIN_MAX_PARAMETERS = 1024 };

typedef struct cubin_kernel {
    int max_threads, registers;
    size_t static_shared; /* bytes */
    size_t arguments;     /* bytes of the argument buffer */
    size_t n_parameters;
    cubin_parameter_t *parameters; /* the caller's to free */
} cubin_kernel_t;

/* 10 * major + minor of the capability that the file is made for; 0 if its ABI version is not known. */
int emu_cubin_capability(const Elf64_Ehdr *header);
/* Fills in what is known of a kernel; false if there is none of that name. */
bool emu_cubin_kernel(const elf_file_t *elf, const char *name, cubin_kernel_t *kernel);
/* Whether a section holds global variables, and so has a place in device memory. */
bool emu_cubin_is_data(const elf_file_t *elf, const Elf64_Shdr *section);
/* Enters addresses into the data of a section that has been copied to device memory: `places` are the device addresses
 * of all sections, by number. */
void emu_cubin_relocate(const elf_file_t *elf, size_t section, char *const *places);

#endif
