/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cudaemu/elf_file.h"

#include <string.h>

static bool is_elf(const Elf64_Ehdr *header)
{
    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == ELFCLASS64 &&
           (header->e_shnum == 0 || header->e_shentsize == sizeof(Elf64_Shdr)) &&
           (header->e_phnum == 0 || header->e_phentsize == sizeof(Elf64_Phdr));
}

static size_t later(size_t a, size_t b)
{
    return a > b ? a : b;
}

size_t emu_elf_size(const void *start)
{
    const Elf64_Ehdr *header = start;
    if (!is_elf(header))
        return 0;
    size_t end = later(header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr),
                       header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr));
    const Elf64_Shdr *sections = (const void *)((const char *)start + header->e_shoff);
    for (size_t i = 0; i < header->e_shnum; i++)
        end = later(end, sections[i].sh_type == SHT_NOBITS ? 0 : sections[i].sh_offset + sections[i].sh_size);
    const Elf64_Phdr *segments = (const void *)((const char *)start + header->e_phoff);
    for (size_t i = 0; i < header->e_phnum; i++)
        end = later(end, segments[i].p_offset + segments[i].p_filesz);
    return end;
}

static bool is_inside(const Elf64_Shdr *section, size_t size)
{
    return section->sh_type == SHT_NOBITS ||
           (section->sh_offset <= size && section->sh_size <= size - section->sh_offset);
}

/* A string table ends in a zero, so that each name in it does. */
static const char *strings(const elf_file_t *elf, size_t index)
{
    if (index >= elf->header->e_shnum)
        return NULL;
    const Elf64_Shdr *section = &elf->sections[index];
    const char *text = elf->start + section->sh_offset;
    return section->sh_type == SHT_STRTAB && section->sh_size > 0 && text[section->sh_size - 1] == '\0' ? text : NULL;
}

static bool open_symbols(elf_file_t *elf, const Elf64_Shdr *table)
{
    elf->symbols = (const void *)(elf->start + table->sh_offset);
    elf->n_symbols = table->sh_size / sizeof(Elf64_Sym);
    elf->symbol_names = strings(elf, table->sh_link);
    if (!elf->symbol_names)
        return false;
    for (size_t i = 0; i < elf->n_symbols; i++) {
        if (elf->symbols[i].st_name >= elf->sections[table->sh_link].sh_size)
            return false;
    }
    return true;
}

bool emu_elf_open(elf_file_t *elf, const void *start, size_t size, uint32_t symbol_table)
{
    const Elf64_Ehdr *header = start;
    *elf = (elf_file_t){.start = start, .header = header};
    if (size < sizeof *header || !is_elf(header) || header->e_shoff > size ||
        header->e_shnum > (size - header->e_shoff) / sizeof(Elf64_Shdr))
        return false;
    elf->sections = (const void *)(elf->start + header->e_shoff);
    for (size_t i = 0; i < header->e_shnum; i++) {
        if (!is_inside(&elf->sections[i], size))
            return false;
    }
    elf->section_names = strings(elf, header->e_shstrndx);
    if (!elf->section_names)
        return false;
    for (size_t i = 0; i < header->e_shnum; i++) {
        if (elf->sections[i].sh_name >= elf->sections[header->e_shstrndx].sh_size)
            return false;
    }
    for (size_t i = 0; i < header->e_shnum; i++) {
        if (elf->sections[i].sh_type == symbol_table)
            return open_symbols(elf, &elf->sections[i]);
    }
    return true;
}

const char *emu_elf_section_name(const elf_file_t *elf, const Elf64_Shdr *section)
{
    return elf->section_names + section->sh_name;
}

const Elf64_Shdr *emu_elf_section(const elf_file_t *elf, const char *name)
{
    for (size_t i = 0; i < elf->header->e_shnum; i++) {
        if (strcmp(emu_elf_section_name(elf, &elf->sections[i]), name) == 0)
            return &elf->sections[i];
    }
    return NULL;
}

const Elf64_Sym *emu_elf_symbol(const elf_file_t *elf, const char *name)
{
    for (size_t i = 0; i < elf->n_symbols; i++) {
        const Elf64_Sym *symbol = &elf->symbols[i];
        if (symbol->st_shndx != SHN_UNDEF && strcmp(elf->symbol_names + symbol->st_name, name) == 0)
            return symbol;
    }
    return NULL;
}
