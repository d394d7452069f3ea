/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sections, which the loader does not read: a second opinion on everything that it does. */
#include <string.h>

#include "device/host/host_elf.h"

static bool read_section(const nw_host_elf_t *elf, size_t i, Elf64_Shdr *section_p)
{
    return nw_host_elf_read(elf, elf->header.e_shoff + i * sizeof *section_p, section_p, sizeof *section_p);
}

/* What is in memory is in a loaded segment, at the same distance from its begin as in the file. */
static bool is_in_its_segment(const nw_host_elf_t *elf, const Elf64_Shdr *section)
{
    bool from_file = section->sh_type != SHT_NOBITS;
    for (size_t i = 0; i < elf->header.e_phnum; i++) {
        Elf64_Phdr segment = nw_host_elf_segment(elf, i);
        uint64_t at = section->sh_addr - segment.p_vaddr, length = from_file ? segment.p_filesz : segment.p_memsz;
        if (segment.p_type == PT_LOAD && section->sh_addr >= segment.p_vaddr && at <= length &&
            section->sh_size <= length - at)
            return (!from_file || section->sh_offset - segment.p_offset == at) &&
                   (!(section->sh_flags & SHF_WRITE) || (segment.p_flags & PF_W)) &&
                   (!(section->sh_flags & SHF_EXECINSTR) || (segment.p_flags & PF_X));
    }
    return false;
}

/* The entries of the dynamic section that say where such a section is, and its size. */
static const struct counterpart {
    uint32_t type;
    int64_t where, bytes;
} counterparts[] = {
    {SHT_GNU_HASH, DT_GNU_HASH, 0},          {SHT_HASH, DT_HASH, 0},
    {SHT_DYNSYM, DT_SYMTAB, 0},              {SHT_GNU_versym, DT_VERSYM, 0},
    {SHT_GNU_verneed, DT_VERNEED, 0},        {SHT_GNU_verdef, DT_VERDEF, 0},
    {SHT_INIT_ARRAY, DT_INIT_ARRAY, DT_INIT_ARRAYSZ}, {SHT_FINI_ARRAY, DT_FINI_ARRAY, DT_FINI_ARRAYSZ},
};

static bool agrees_with_dynamic(const nw_host_elf_t *elf, const Elf64_Shdr *section)
{
    for (size_t i = 0; i < sizeof counterparts / sizeof counterparts[0]; i++) {
        const struct counterpart *counterpart = &counterparts[i];
        uint64_t where, bytes;
        if (section->sh_type != counterpart->type)
            continue;
        return nw_host_elf_find(elf, counterpart->where, &where) && where == section->sh_addr &&
               (!counterpart->bytes ||
                (nw_host_elf_find(elf, counterpart->bytes, &bytes) && bytes == section->sh_size));
    }
    return true;
}

/* Relocations of one kind may be several sections, and of both kinds one table. */
static bool is_among_relocations(const nw_host_elf_t *elf, const Elf64_Shdr *section)
{
    static const int64_t where[] = {DT_RELA, DT_JMPREL}, size[] = {DT_RELASZ, DT_PLTRELSZ};
    for (size_t i = 0; i < 2; i++) {
        uint64_t begin, bytes;
        (void)nw_host_elf_find(elf, where[i], &begin);
        (void)nw_host_elf_find(elf, size[i], &bytes);
        if (section->sh_addr >= begin && section->sh_addr - begin <= bytes &&
            section->sh_size <= bytes - (section->sh_addr - begin))
            return true;
    }
    return false;
}

static bool is_dynamic(const nw_host_elf_t *elf, const Elf64_Shdr *section)
{
    return section->sh_addr == elf->dynamic.p_vaddr && section->sh_size == elf->dynamic.p_filesz;
}

/* The strings of the dynamic symbols. */
static bool has_strings(const nw_host_elf_t *elf, const Elf64_Shdr *section)
{
    Elf64_Shdr strings;
    return section->sh_link < elf->header.e_shnum && read_section(elf, section->sh_link, &strings) &&
           strings.sh_addr == elf->strings && strings.sh_size == elf->strings_size;
}

const char *nw_host_elf_refuse_sections(nw_host_elf_t *elf)
{
    const Elf64_Ehdr *header = &elf->header;
    /* They may have been stripped, or cut off. */
    if (header->e_shnum == 0 || header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff > elf->size ||
        header->e_shnum > (elf->size - header->e_shoff) / sizeof(Elf64_Shdr))
        return NULL;
    for (size_t i = 0; i < header->e_shnum; i++) {
        Elf64_Shdr section;
        (void)read_section(elf, i, &section);
        if (!(section.sh_flags & SHF_ALLOC) || section.sh_size == 0)
            continue;
        bool is_thread_local_zero = section.sh_type == SHT_NOBITS && (section.sh_flags & SHF_TLS);
        bool good = (is_thread_local_zero || is_in_its_segment(elf, &section)) && agrees_with_dynamic(elf, &section);
        if (section.sh_type == SHT_RELA)
            good &= is_among_relocations(elf, &section);
        if (section.sh_type == SHT_DYNAMIC)
            good &= is_dynamic(elf, &section);
        if (section.sh_type == SHT_DYNSYM) {
            good &= has_strings(elf, &section);
            elf->n_symbols = section.sh_size / sizeof(Elf64_Sym);
        }
        if (!good)
            return "damaged: its sections are not what its other headers say";
    }
    return NULL;
}
