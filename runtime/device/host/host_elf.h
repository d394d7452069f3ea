/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A reader of shared objects that trusts nothing in them, and what it must find before the system's loader, which
 * trusts all of it, gets to see one.
 *
 * What can be checked is what one part of the file says of another: headers, sections, the dynamic section, symbols and
 * their hash table, versions, relocations. Code and data are not: nothing says what they should be.
 */
#ifndef NW_HOST_ELF_H
#define NW_HOST_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct nw_host_elf {
    const char *bytes; /* at any address: all is read by copying */
    size_t size;
    Elf64_Ehdr header;
    Elf64_Phdr dynamic;  /* the segment; set by nw_host_elf_refuse_segments */
    uint64_t tls_size;   /* bytes; 0: no thread-local variables */
    size_t n_dynamic;    /* entries without the one that ends them; from here on set by nw_host_elf_refuse_dynamic */
    uint64_t strings, strings_size; /* addresses are those of the file, before it is loaded anywhere */
    uint64_t symbols, n_symbols;
} nw_host_elf_t;

/* Each says why the object is none that the loader may have, or NULL; they come in this order. */
const char *nw_host_elf_refuse_header(nw_host_elf_t *elf, const void *start, size_t size);
const char *nw_host_elf_refuse_segments(nw_host_elf_t *elf);
const char *nw_host_elf_refuse_dynamic(nw_host_elf_t *elf);
const char *nw_host_elf_refuse_sections(nw_host_elf_t *elf);
const char *nw_host_elf_refuse_symbols(nw_host_elf_t *elf);
const char *nw_host_elf_refuse_versions(const nw_host_elf_t *elf);
const char *nw_host_elf_refuse_relocations(const nw_host_elf_t *elf);

/* After the header has been accepted. The i-th segment; i is below header.e_phnum. */
Elf64_Phdr nw_host_elf_segment(const nw_host_elf_t *elf, size_t i);

/* Copies bytes of the file; false if it has not so many there. */
bool nw_host_elf_read(const nw_host_elf_t *elf, uint64_t offset, void *to, size_t size);

/* Whether a loaded segment with these permissions (PF_*) has all these bytes, and has them from the file. */
bool nw_host_elf_has_memory(const nw_host_elf_t *elf, uint64_t address, uint64_t size, uint32_t permissions);
bool nw_host_elf_has_bytes(const nw_host_elf_t *elf, uint64_t address, uint64_t size);

/* Copies bytes that a loaded segment has from the file; false if there are none. */
bool nw_host_elf_load(const nw_host_elf_t *elf, uint64_t address, void *to, size_t size);

/* After the dynamic section has been accepted. The i-th entry; i is below n_dynamic. */
Elf64_Dyn nw_host_elf_dynamic(const nw_host_elf_t *elf, size_t i);

/* Sets the value of an entry; false, and 0, if there is none. */
bool nw_host_elf_find(const nw_host_elf_t *elf, int64_t tag, uint64_t *value_p);

/* The string at an offset in the table of strings; NULL if it begins past its end. */
const char *nw_host_elf_string(const nw_host_elf_t *elf, uint64_t offset);

/* The i-th dynamic symbol; false if there is none. */
bool nw_host_elf_symbol(const nw_host_elf_t *elf, uint64_t i, Elf64_Sym *symbol_p);

#endif
