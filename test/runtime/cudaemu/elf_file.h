/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading of 64-bit ELF files in memory. The driver is not told how long an image is: its headers say it. */
#ifndef EMU_ELF_FILE_H
#define EMU_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef EM_CUDA
#define EM_CUDA 190
#endif

typedef struct elf_file {
    const char *start;
    const Elf64_Ehdr *header;
    const Elf64_Shdr *sections;
    const char *section_names;
    const Elf64_Sym *symbols; /* of the table of the wanted type; NULL if there is none */
    size_t n_symbols;
    const char *symbol_names;
} elf_file_t;

/* Bytes of the file, as far as its headers tell; 0 if it is no 64-bit ELF file. */
size_t emu_elf_size(const void *start);
/* Opens a file of which `size` bytes are there, with the first symbol table of a type (SHT_SYMTAB or SHT_DYNSYM).
 * Returns false if something lies outside. */
bool emu_elf_open(elf_file_t *elf, const void *start, size_t size, uint32_t symbol_table);

const Elf64_Shdr *emu_elf_section(const elf_file_t *elf, const char *name);
const char *emu_elf_section_name(const elf_file_t *elf, const Elf64_Shdr *section);
/* NULL if no defined symbol has that name. */
const Elf64_Sym *emu_elf_symbol(const elf_file_t *elf, const char *name);

#endif
