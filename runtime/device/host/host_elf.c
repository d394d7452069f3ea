/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Headers, segments, sections and the dynamic section. */
#include "device/host/host_elf.h"

#include <string.h>

#if defined(__x86_64__)
#define THIS_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define THIS_MACHINE EM_AARCH64
#else
#error "the CPU device knows no ELF machine number for this architecture"
#endif

#define SMALLEST_PAGE 4096u
/* Of memory and of alignments that are believed. */
#define MOST_MEMORY (UINT64_C(1) << 46)
#define MOST_ALIGNMENT (UINT64_C(1) << 30)
#define MOST_DYNAMIC 4096u

bool nw_host_elf_read(const nw_host_elf_t *elf, uint64_t offset, void *to, size_t size)
{
    if (offset > elf->size || size > elf->size - offset)
        return false;
    memcpy(to, elf->bytes + offset, size);
    return true;
}

Elf64_Phdr nw_host_elf_segment(const nw_host_elf_t *elf, size_t i)
{
    Elf64_Phdr segment;
    memcpy(&segment, elf->bytes + elf->header.e_phoff + i * sizeof segment, sizeof segment);
    return segment;
}

static bool lies_within(uint64_t address, uint64_t size, uint64_t begin, uint64_t length)
{
    return address >= begin && address - begin <= length && size <= length - (address - begin);
}

/* Finds the loaded segment that has all these bytes. */
static bool find_segment(const nw_host_elf_t *elf, uint64_t address, uint64_t size, bool from_file,
                         Elf64_Phdr *segment_p)
{
    for (size_t i = 0; i < elf->header.e_phnum; i++) {
        *segment_p = nw_host_elf_segment(elf, i);
        if (segment_p->p_type == PT_LOAD && lies_within(address, size, segment_p->p_vaddr,
                                                        from_file ? segment_p->p_filesz : segment_p->p_memsz))
            return true;
    }
    return false;
}

bool nw_host_elf_has_memory(const nw_host_elf_t *elf, uint64_t address, uint64_t size, uint32_t permissions)
{
    Elf64_Phdr segment;
    return find_segment(elf, address, size, false, &segment) && (segment.p_flags & permissions) == permissions;
}

bool nw_host_elf_has_bytes(const nw_host_elf_t *elf, uint64_t address, uint64_t size)
{
    Elf64_Phdr segment;
    return find_segment(elf, address, size, true, &segment);
}

bool nw_host_elf_load(const nw_host_elf_t *elf, uint64_t address, void *to, size_t size)
{
    Elf64_Phdr segment;
    return find_segment(elf, address, size, true, &segment) &&
           nw_host_elf_read(elf, segment.p_offset + (address - segment.p_vaddr), to, size);
}

const char *nw_host_elf_refuse_header(nw_host_elf_t *elf, const void *start, size_t size)
{
    *elf = (nw_host_elf_t){.bytes = start, .size = size};
    if (!nw_host_elf_read(elf, 0, &elf->header, sizeof elf->header) || memcmp(start, ELFMAG, SELFMAG) != 0)
        return "not an ELF file";
    const Elf64_Ehdr *header = &elf->header;
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != THIS_MACHINE)
        return "built for another machine";
    if (header->e_type != ET_DYN)
        return "not a shared object";
    if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff > size ||
        header->e_phnum > (size - header->e_phoff) / sizeof(Elf64_Phdr))
        return "truncated: its program headers are missing";
    return NULL;
}

static uint64_t page_below(uint64_t address)
{
    return address & ~(uint64_t)(SMALLEST_PAGE - 1);
}

static uint64_t page_above(uint64_t address)
{
    return page_below(address + SMALLEST_PAGE - 1);
}

static bool loaded_is_good(const Elf64_Phdr *segment, uint64_t *end_p)
{
    uint64_t page = segment->p_align, begin = page_below(segment->p_vaddr);
    if (page < SMALLEST_PAGE || page > MOST_ALIGNMENT || (page & (page - 1)) != 0 ||
        (segment->p_vaddr - segment->p_offset) % page != 0)
        return false;
    if (segment->p_filesz > segment->p_memsz || segment->p_memsz > MOST_MEMORY || segment->p_vaddr > MOST_MEMORY)
        return false;
    if (!(segment->p_flags & PF_R) || (segment->p_memsz > segment->p_filesz && !(segment->p_flags & PF_W)))
        return false;
    /* In order, and on pages of its own. */
    if (begin < *end_p)
        return false;
    *end_p = page_above(segment->p_vaddr + segment->p_memsz);
    return true;
}

static bool notes_are_whole(const nw_host_elf_t *elf, const Elf64_Phdr *segment)
{
    uint64_t unit = segment->p_align == 8 ? 8 : 4, left = segment->p_filesz, at = segment->p_offset;
    while (left >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note;
        if (!nw_host_elf_read(elf, at, &note, sizeof note))
            return false;
        uint64_t named = (sizeof note + (uint64_t)note.n_namesz + unit - 1) / unit * unit;
        uint64_t whole = (named + note.n_descsz + unit - 1) / unit * unit;
        if (named + note.n_descsz > left)
            return false;
        if (whole >= left)
            return true;
        left -= whole;
        at += whole;
    }
    return left == 0;
}

/* What lies inside of the loaded segments. */
static bool fits(nw_host_elf_t *elf, const Elf64_Phdr *segment)
{
    Elf64_Phdr outer;
    bool in_file = find_segment(elf, segment->p_vaddr, segment->p_filesz, true, &outer) &&
                   segment->p_offset - outer.p_offset == segment->p_vaddr - outer.p_vaddr;
    switch (segment->p_type) {
    case PT_DYNAMIC:
        elf->dynamic = *segment;
        return in_file && (outer.p_flags & PF_W) && segment->p_vaddr % sizeof(uint64_t) == 0 &&
               segment->p_filesz == segment->p_memsz;
    case PT_GNU_RELRO:
        /* The loader forbids writing to the pages that are wholly inside. */
        return in_file && (outer.p_flags & PF_W) && segment->p_memsz <= MOST_MEMORY &&
               page_below(segment->p_vaddr + segment->p_memsz) <= page_above(outer.p_vaddr + outer.p_memsz);
    case PT_TLS:
        elf->tls_size = segment->p_memsz;
        return (segment->p_filesz == 0 || in_file) && segment->p_filesz <= segment->p_memsz &&
               segment->p_memsz <= MOST_ALIGNMENT && segment->p_align <= MOST_ALIGNMENT &&
               (segment->p_align & (segment->p_align - 1)) == 0;
    case PT_NOTE:
    case PT_GNU_PROPERTY:
        return in_file && segment->p_filesz == segment->p_memsz && notes_are_whole(elf, segment);
    case PT_GNU_EH_FRAME:
    case PT_PHDR:
    case PT_INTERP:
        return in_file && segment->p_filesz == segment->p_memsz;
    default:
        return true;
    }
}

static bool segments_are_good(nw_host_elf_t *elf)
{
    uint64_t end = 0;
    size_t n_loaded = 0, n_dynamic = 0, n_tls = 0;
    for (size_t i = 0; i < elf->header.e_phnum; i++) {
        Elf64_Phdr segment = nw_host_elf_segment(elf, i);
        if (segment.p_type == PT_LOAD && !loaded_is_good(&segment, &end))
            return false;
        n_loaded += segment.p_type == PT_LOAD;
        n_dynamic += segment.p_type == PT_DYNAMIC;
        n_tls += segment.p_type == PT_TLS;
    }
    for (size_t i = 0; i < elf->header.e_phnum; i++) {
        Elf64_Phdr segment = nw_host_elf_segment(elf, i);
        if (!fits(elf, &segment))
            return false;
    }
    return n_loaded > 0 && n_dynamic == 1 && n_tls <= 1;
}

const char *nw_host_elf_refuse_segments(nw_host_elf_t *elf)
{
    /* The loader maps segments without looking at the file's size, and a read past its end would be a bus error. */
    for (size_t i = 0; i < elf->header.e_phnum; i++) {
        Elf64_Phdr segment = nw_host_elf_segment(elf, i);
        if (segment.p_offset > elf->size || segment.p_filesz > elf->size - segment.p_offset)
            return "truncated: a segment lies past its end";
    }
    return segments_are_good(elf) ? NULL : "damaged: its program headers contradict each other";
}

Elf64_Dyn nw_host_elf_dynamic(const nw_host_elf_t *elf, size_t i)
{
    Elf64_Dyn entry;
    memcpy(&entry, elf->bytes + elf->dynamic.p_offset + i * sizeof entry, sizeof entry);
    return entry;
}

bool nw_host_elf_find(const nw_host_elf_t *elf, int64_t tag, uint64_t *value_p)
{
    *value_p = 0;
    for (size_t i = 0; i < elf->n_dynamic; i++) {
        Elf64_Dyn entry = nw_host_elf_dynamic(elf, i);
        if (entry.d_tag == tag) {
            *value_p = entry.d_un.d_val;
            return true;
        }
    }
    return false;
}

const char *nw_host_elf_string(const nw_host_elf_t *elf, uint64_t offset)
{
    Elf64_Phdr segment;
    if (offset >= elf->strings_size || !find_segment(elf, elf->strings + offset, 1, true, &segment))
        return NULL;
    return elf->bytes + segment.p_offset + (elf->strings + offset - segment.p_vaddr);
}

/* Tables that the loader looks for by two or three entries: where, how many bytes, and the size of a member. */
static const struct table {
    int64_t where, bytes, member_bytes;
    uint64_t member;
} tables[] = {
    {DT_RELA, DT_RELASZ, DT_RELAENT, sizeof(Elf64_Rela)},
    {DT_JMPREL, DT_PLTRELSZ, 0, sizeof(Elf64_Rela)},
    {DT_RELR, DT_RELRSZ, DT_RELRENT, sizeof(uint64_t)},
    {DT_INIT_ARRAY, DT_INIT_ARRAYSZ, 0, sizeof(uint64_t)},
    {DT_FINI_ARRAY, DT_FINI_ARRAYSZ, 0, sizeof(uint64_t)},
};

static bool tables_are_whole(const nw_host_elf_t *elf)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const struct table *table = &tables[i];
        uint64_t where, bytes, member;
        bool placed = nw_host_elf_find(elf, table->where, &where);
        if (placed != nw_host_elf_find(elf, table->bytes, &bytes))
            return false;
        if (placed && (bytes % table->member != 0 || !nw_host_elf_has_bytes(elf, where, bytes)))
            return false;
        if (placed && table->member_bytes &&
            (!nw_host_elf_find(elf, table->member_bytes, &member) || member != table->member))
            return false;
    }
    return true;
}

/* An entry by itself. */
static bool entry_is_good(const nw_host_elf_t *elf, const Elf64_Dyn *entry)
{
    uint64_t value = entry->d_un.d_val;
    switch (entry->d_tag) {
    case DT_NEEDED:
    case DT_SONAME:
    case DT_RPATH:
    case DT_RUNPATH:
    case DT_AUXILIARY:
    case DT_FILTER:
    case DT_AUDIT:
    case DT_DEPAUDIT:
        return nw_host_elf_string(elf, value) != NULL;
    case DT_INIT:
    case DT_FINI:
        return nw_host_elf_has_memory(elf, value, 1, PF_X);
    case DT_PLTGOT:
        return nw_host_elf_has_memory(elf, value, 0, PF_R);
    case DT_PLTREL:
        return value == DT_RELA;
    case DT_SYMENT:
        return value == sizeof(Elf64_Sym);
    case DT_REL:
    case DT_RELSZ:
    case DT_RELENT:
        return false;
    default:
        return true;
    }
}

/* How many times an entry may be there. */
static bool is_alone(const nw_host_elf_t *elf, size_t i, int64_t tag)
{
    for (size_t j = 0; j < i && tag != DT_NEEDED && tag != DT_AUXILIARY && tag != DT_FILTER; j++) {
        if (nw_host_elf_dynamic(elf, j).d_tag == tag)
            return false;
    }
    return true;
}

static bool count_entries(nw_host_elf_t *elf)
{
    size_t most = elf->dynamic.p_filesz / sizeof(Elf64_Dyn);
    if (most > MOST_DYNAMIC)
        most = MOST_DYNAMIC;
    while (elf->n_dynamic < most && nw_host_elf_dynamic(elf, elf->n_dynamic).d_tag != DT_NULL)
        elf->n_dynamic++;
    return elf->n_dynamic < most;
}

static bool dynamic_is_good(nw_host_elf_t *elf)
{
    uint64_t value;
    const char *last;
    if (!count_entries(elf) || !nw_host_elf_find(elf, DT_STRTAB, &elf->strings) ||
        !nw_host_elf_find(elf, DT_STRSZ, &elf->strings_size) || !nw_host_elf_find(elf, DT_SYMTAB, &elf->symbols) ||
        !nw_host_elf_find(elf, DT_SYMENT, &value) || !nw_host_elf_has_bytes(elf, elf->strings, elf->strings_size))
        return false;
    /* Every string ends inside. */
    last = nw_host_elf_string(elf, elf->strings_size - 1);
    if (!last || *last)
        return false;
    for (size_t i = 0; i < elf->n_dynamic; i++) {
        Elf64_Dyn entry = nw_host_elf_dynamic(elf, i);
        if (!is_alone(elf, i, entry.d_tag) || !entry_is_good(elf, &entry))
            return false;
    }
    bool has_calls = nw_host_elf_find(elf, DT_JMPREL, &value);
    return tables_are_whole(elf) && has_calls == nw_host_elf_find(elf, DT_PLTREL, &value);
}

const char *nw_host_elf_refuse_dynamic(nw_host_elf_t *elf)
{
    return dynamic_is_good(elf) ? NULL : "damaged: its dynamic section is not whole";
}
