/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cudaemu/cubin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In a symbol's st_other: the function is a kernel. */
#define KERNEL_ENTRY 0x10
/* Relocations of a 64-bit address, of global memory and generic. */
#define RELOCATION_64 2
#define RELOCATION_GENERIC_64 4

/* Entries of .nv.info.NAME: a format, an attribute, and two bytes that are the value or its size. */
#define FORMAT_SIZED 4
#define ATTRIBUTE_MAX_THREADS 0x05
#define ATTRIBUTE_PARAMETER_BANK 0x0a
#define ATTRIBUTE_PARAMETER 0x17
/* In .nv.info, by symbol number. */
#define ATTRIBUTE_REGISTERS 0x2f

int emu_cubin_capability(const Elf64_Ehdr *header)
{
    switch (header->e_ident[EI_ABIVERSION]) {
    case 7:
        return (int)(header->e_flags & 0xff);
    case 8:
        return (int)(header->e_flags >> 8 & 0xff);
    default:
        return 0;
    }
}

typedef struct info_entry {
    uint8_t attribute;
    const char *value; /* of a sized entry */
    size_t size;
} info_entry_t;

/* Steps through the sized entries of an info section. */
static bool next_entry(const char **at, const char *end, info_entry_t *entry)
{
    while (end - *at >= 4) {
        const char *head = *at;
        uint16_t size;
        memcpy(&size, head + 2, sizeof size);
        *at += 4;
        if (head[0] != FORMAT_SIZED)
            continue;
        if (size > end - *at)
            return false;
        *entry = (info_entry_t){.attribute = (uint8_t)head[1], .value = *at, .size = size};
        *at += size;
        return true;
    }
    return false;
}

static uint32_t word(const info_entry_t *entry, size_t offset)
{
    uint32_t value = 0;
    if (offset + sizeof value <= entry->size)
        memcpy(&value, entry->value + offset, sizeof value);
    return value;
}

/* A parameter: its number and offset are the second word, its size the third's upper bits. */
static void add_parameter(cubin_kernel_t *kernel, const info_entry_t *entry)
{
    size_t number = word(entry, 4) & 0xffff;
    if (number >= CUBIN_MAX_PARAMETERS)
        return;
    kernel->parameters[number] =
        (cubin_parameter_t){.offset = (uint16_t)(word(entry, 4) >> 16), .size = (uint16_t)(word(entry, 8) >> 18)};
    if (number >= kernel->n_parameters)
        kernel->n_parameters = number + 1;
}

static void read_own_info(const elf_file_t *elf, const Elf64_Shdr *section, cubin_kernel_t *kernel)
{
    const char *at = elf->start + section->sh_offset, *end = at + section->sh_size;
    for (info_entry_t entry; next_entry(&at, end, &entry);) {
        if (entry.attribute == ATTRIBUTE_MAX_THREADS)
            kernel->max_threads = (int)(word(&entry, 0) * word(&entry, 4) * word(&entry, 8));
        else if (entry.attribute == ATTRIBUTE_PARAMETER_BANK)
            kernel->arguments = word(&entry, 4) >> 16;
        else if (entry.attribute == ATTRIBUTE_PARAMETER)
            add_parameter(kernel, &entry);
    }
}

static void read_common_info(const elf_file_t *elf, size_t symbol, cubin_kernel_t *kernel)
{
    const Elf64_Shdr *section = emu_elf_section(elf, ".nv.info");
    if (!section)
        return;
    const char *at = elf->start + section->sh_offset, *end = at + section->sh_size;
    for (info_entry_t entry; next_entry(&at, end, &entry);) {
        if (entry.attribute == ATTRIBUTE_REGISTERS && word(&entry, 0) == symbol)
            kernel->registers = (int)word(&entry, 4);
    }
}

static const Elf64_Shdr *section_of(const elf_file_t *elf, const char *prefix, const char *kernel)
{
    char name[4096];
    snprintf(name, sizeof name, "%s%s", prefix, kernel);
    return emu_elf_section(elf, name);
}

bool emu_cubin_kernel(const elf_file_t *elf, const char *name, cubin_kernel_t *kernel)
{
    const Elf64_Sym *symbol = emu_elf_symbol(elf, name);
    if (!symbol || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || !(symbol->st_other & KERNEL_ENTRY))
        return false;
    *kernel = (cubin_kernel_t){.max_threads = 1024};
    kernel->parameters = calloc(CUBIN_MAX_PARAMETERS, sizeof *kernel->parameters);
    if (!kernel->parameters)
        return false;
    const Elf64_Shdr *info = section_of(elf, ".nv.info.", name);
    if (info)
        read_own_info(elf, info, kernel);
    const Elf64_Shdr *shared = section_of(elf, ".nv.shared.", name);
    kernel->static_shared = shared ? shared->sh_size : 0;
    read_common_info(elf, (size_t)(symbol - elf->symbols), kernel);
    return true;
}

bool emu_cubin_is_data(const elf_file_t *elf, const Elf64_Shdr *section)
{
    const char *name = emu_elf_section_name(elf, section);
    /* Bank 0 holds launch arguments; the others belong to the module. */
    bool constant = strncmp(name, ".nv.constant", 12) == 0 && strncmp(name, ".nv.constant0", 13) != 0;
    return constant || strcmp(name, ".nv.global") == 0 || strcmp(name, ".nv.global.init") == 0;
}

void emu_cubin_relocate(const elf_file_t *elf, size_t section, char *const *places)
{
    for (size_t i = 0; i < elf->header->e_shnum; i++) {
        const Elf64_Shdr *table = &elf->sections[i];
        if (table->sh_type != SHT_RELA || table->sh_info != section)
            continue;
        const Elf64_Rela *entries = (const void *)(elf->start + table->sh_offset);
        for (size_t k = 0; k < table->sh_size / sizeof *entries; k++) {
            size_t number = ELF64_R_SYM(entries[k].r_info), type = ELF64_R_TYPE(entries[k].r_info);
            if ((type != RELOCATION_64 && type != RELOCATION_GENERIC_64) || number >= elf->n_symbols ||
                entries[k].r_offset > elf->sections[section].sh_size - sizeof(uint64_t))
                continue;
            const Elf64_Sym *symbol = &elf->symbols[number];
            const char *place = symbol->st_shndx < elf->header->e_shnum ? places[symbol->st_shndx] : NULL;
            if (!place)
                continue;
            uint64_t address = (uint64_t)(uintptr_t)place + symbol->st_value + (uint64_t)entries[k].r_addend;
            memcpy(places[section] + entries[k].r_offset, &address, sizeof address);
        }
    }
}
