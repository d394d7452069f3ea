/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Dynamic symbols, the hash table by which the loader finds them, and their versions. */
#include <string.h>

#include "device/host/host_elf.h"

bool nw_host_elf_symbol(const nw_host_elf_t *elf, uint64_t i, Elf64_Sym *symbol_p)
{
    return i < elf->n_symbols && nw_host_elf_load(elf, elf->symbols + i * sizeof *symbol_p, symbol_p, sizeof *symbol_p);
}

static uint32_t gnu_hash(const char *name)
{
    uint32_t h = 5381;
    for (; *name; name++)
        h = h * 33 + (unsigned char)*name;
    return h;
}

static uint32_t sysv_hash(const char *name)
{
    uint32_t h = 0;
    for (; *name; name++) {
        h = (h << 4) + (unsigned char)*name;
        h ^= (h & 0xf0000000u) >> 24;
        h &= 0x0fffffffu;
    }
    return h;
}

/* The table of DT_GNU_HASH. */
typedef struct gnu_table {
    uint32_t n_buckets, first, n_masks, shift;
    uint64_t buckets, chains; /* addresses; chains begin with that of symbol `first` */
} gnu_table_t;

static bool read_gnu_table(const nw_host_elf_t *elf, gnu_table_t *table)
{
    uint64_t at;
    uint32_t head[4];
    if (!nw_host_elf_find(elf, DT_GNU_HASH, &at) || !nw_host_elf_load(elf, at, head, sizeof head))
        return false;
    *table = (gnu_table_t){.n_buckets = head[0], .first = head[1], .n_masks = head[2], .shift = head[3]};
    table->buckets = at + sizeof head + (uint64_t)table->n_masks * sizeof(uint64_t);
    table->chains = table->buckets + (uint64_t)table->n_buckets * sizeof(uint32_t);
    return table->n_masks != 0 && (table->n_masks & (table->n_masks - 1)) == 0 && table->shift < 32 &&
           nw_host_elf_has_bytes(elf, at, table->chains - at);
}

static bool read_word(const nw_host_elf_t *elf, uint64_t begin, uint64_t i, uint32_t *word_p)
{
    return nw_host_elf_load(elf, begin + i * sizeof *word_p, word_p, sizeof *word_p);
}

/* Without sections only the hash table tells how many symbols there are. */
static bool count_by_gnu_table(nw_host_elf_t *elf, const gnu_table_t *table)
{
    uint32_t last = 0, word;
    for (uint32_t i = 0; i < table->n_buckets; i++) {
        if (!read_word(elf, table->buckets, i, &word))
            return false;
        last = word > last ? word : last;
    }
    elf->n_symbols = table->first;
    if (last < table->first)
        return true;
    do {
        if (!read_word(elf, table->chains, last - table->first, &word))
            return false;
        elf->n_symbols = ++last;
    } while (!(word & 1));
    return true;
}

/* Every search ends inside the table, and every name has the hash that stands for it. */
static bool gnu_table_is_good(nw_host_elf_t *elf)
{
    gnu_table_t table;
    uint32_t word;
    bool empty = true;
    if (!read_gnu_table(elf, &table) || (elf->n_symbols == 0 && !count_by_gnu_table(elf, &table)))
        return false;
    for (uint32_t i = 0; i < table.n_buckets; i++) {
        if (!read_word(elf, table.buckets, i, &word) || (word != 0 && (word < table.first || word >= elf->n_symbols)))
            return false;
        empty &= word == 0;
    }
    word = 1;
    /* With nobody to be found there are no chains. */
    for (uint64_t i = table.first; !empty && i < elf->n_symbols; i++) {
        Elf64_Sym symbol;
        const char *name = nw_host_elf_symbol(elf, i, &symbol) ? nw_host_elf_string(elf, symbol.st_name) : NULL;
        if (!name || !read_word(elf, table.chains, i - table.first, &word) || ((gnu_hash(name) ^ word) & ~1u) != 0)
            return false;
    }
    return word & 1;
}

/* The table of DT_HASH, which is used where there is no other. No two searches meet the same symbol. */
static bool sysv_table_is_good(nw_host_elf_t *elf)
{
    uint64_t at, steps = 0;
    uint32_t head[2];
    if (!nw_host_elf_find(elf, DT_HASH, &at) || !nw_host_elf_load(elf, at, head, sizeof head))
        return false;
    uint64_t buckets = at + sizeof head, chains = buckets + (uint64_t)head[0] * sizeof(uint32_t);
    if (elf->n_symbols == 0)
        elf->n_symbols = head[1];
    if (head[1] != elf->n_symbols)
        return false;
    for (uint32_t i = 0; i < head[0]; i++) {
        uint32_t symbol;
        bool good = read_word(elf, buckets, i, &symbol);
        while (good && symbol != 0) {
            good = symbol < head[1] && ++steps < head[1] && read_word(elf, chains, symbol, &symbol);
        }
        if (!good)
            return false;
    }
    return true;
}

static bool symbol_is_good(const nw_host_elf_t *elf, const Elf64_Sym *symbol)
{
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    if (!nw_host_elf_string(elf, symbol->st_name) || (type > STT_TLS && type != STT_GNU_IFUNC))
        return false;
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS)
        return true;
    if (symbol->st_shndx >= SHN_LORESERVE)
        return false;
    if (type == STT_TLS)
        return symbol->st_value <= elf->tls_size && symbol->st_size <= elf->tls_size - symbol->st_value;
    if (type == STT_FUNC || type == STT_GNU_IFUNC)
        return nw_host_elf_has_memory(elf, symbol->st_value, symbol->st_size, PF_X);
    return nw_host_elf_has_memory(elf, symbol->st_value, symbol->st_size, 0);
}

static bool find_by_name(const nw_host_elf_t *elf, const gnu_table_t *table, const char *name, Elf64_Sym *symbol_p)
{
    uint32_t hash = gnu_hash(name), i, word = 0;
    if (table->n_buckets == 0 || !read_word(elf, table->buckets, hash % table->n_buckets, &i) || i == 0)
        return false;
    for (; !(word & 1) && read_word(elf, table->chains, i - table->first, &word); i++) {
        if (((word ^ hash) & ~1u) == 0 && nw_host_elf_symbol(elf, i, symbol_p) &&
            strcmp(nw_host_elf_string(elf, symbol_p->st_name), name) == 0)
            return true;
    }
    return false;
}

/* The linker's own table, which most images still have, says of those that it has, too, the same. */
static bool agrees_with(const nw_host_elf_t *elf, const Elf64_Shdr *table, const Elf64_Shdr *names)
{
    gnu_table_t hashes;
    if (!read_gnu_table(elf, &hashes) || names->sh_size == 0 || names->sh_offset > elf->size ||
        names->sh_size > elf->size - names->sh_offset || elf->bytes[names->sh_offset + names->sh_size - 1] != '\0')
        return true;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol, dynamic;
        if (!nw_host_elf_read(elf, table->sh_offset + at, &symbol, sizeof symbol))
            return true;
        if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL || symbol.st_name >= names->sh_size)
            continue;
        if (find_by_name(elf, &hashes, elf->bytes + names->sh_offset + symbol.st_name, &dynamic) &&
            (dynamic.st_value != symbol.st_value || dynamic.st_size != symbol.st_size ||
             dynamic.st_info != symbol.st_info || dynamic.st_shndx != symbol.st_shndx))
            return false;
    }
    return true;
}

static bool linkers_table_agrees(const nw_host_elf_t *elf)
{
    const Elf64_Ehdr *header = &elf->header;
    uint64_t versions;
    /* With versions of its own it may have several symbols of one name. */
    if (header->e_shentsize != sizeof(Elf64_Shdr) || nw_host_elf_find(elf, DT_VERDEF, &versions))
        return true;
    for (size_t i = 0; i < header->e_shnum; i++) {
        Elf64_Shdr table, names;
        if (!nw_host_elf_read(elf, header->e_shoff + i * sizeof table, &table, sizeof table))
            return true;
        if (table.sh_type == SHT_SYMTAB && table.sh_link < header->e_shnum &&
            nw_host_elf_read(elf, header->e_shoff + table.sh_link * sizeof names, &names, sizeof names) &&
            !agrees_with(elf, &table, &names))
            return false;
    }
    return true;
}

const char *nw_host_elf_refuse_symbols(nw_host_elf_t *elf)
{
    uint64_t where;
    if (!(nw_host_elf_find(elf, DT_GNU_HASH, &where) ? gnu_table_is_good(elf) : sysv_table_is_good(elf)))
        return "damaged: its hash table is not that of its symbols";
    bool good = linkers_table_agrees(elf);
    for (uint64_t i = 0; good && i < elf->n_symbols; i++) {
        Elf64_Sym symbol;
        good = nw_host_elf_symbol(elf, i, &symbol) && symbol_is_good(elf, &symbol);
    }
    return good ? NULL : "damaged: its symbols are not whole";
}

static bool is_needed(const nw_host_elf_t *elf, const char *file)
{
    for (size_t i = 0; i < elf->n_dynamic; i++) {
        Elf64_Dyn entry = nw_host_elf_dynamic(elf, i);
        if (entry.d_tag == DT_NEEDED && strcmp(nw_host_elf_string(elf, entry.d_un.d_val), file) == 0)
            return true;
    }
    return false;
}

/* Goes on to the next of a chain, which leads forwards only. */
static bool step(uint64_t *at, uint32_t distance)
{
    *at += distance;
    return distance != 0;
}

static bool needs_are_good(const nw_host_elf_t *elf, uint64_t at, uint32_t *highest)
{
    Elf64_Verneed need;
    do {
        const char *file = nw_host_elf_load(elf, at, &need, sizeof need) && need.vn_version == VER_NEED_CURRENT
                               ? nw_host_elf_string(elf, need.vn_file)
                               : NULL;
        if (!file || !is_needed(elf, file))
            return false;
        uint64_t part = at + need.vn_aux;
        Elf64_Vernaux version;
        do {
            const char *name = nw_host_elf_load(elf, part, &version, sizeof version)
                                   ? nw_host_elf_string(elf, version.vna_name)
                                   : NULL;
            if (!name || sysv_hash(name) != version.vna_hash)
                return false;
            uint32_t number = version.vna_other & 0x7fffu;
            *highest = number > *highest ? number : *highest;
        } while (step(&part, version.vna_next));
    } while (step(&at, need.vn_next));
    return true;
}

static bool definitions_are_good(const nw_host_elf_t *elf, uint64_t at, uint32_t *highest)
{
    Elf64_Verdef definition;
    do {
        Elf64_Verdaux part;
        if (!nw_host_elf_load(elf, at, &definition, sizeof definition) ||
            definition.vd_version != VER_DEF_CURRENT ||
            !nw_host_elf_load(elf, at + definition.vd_aux, &part, sizeof part))
            return false;
        const char *name = nw_host_elf_string(elf, part.vda_name);
        if (!name || sysv_hash(name) != definition.vd_hash)
            return false;
        uint32_t number = definition.vd_ndx & 0x7fffu;
        *highest = number > *highest ? number : *highest;
    } while (step(&at, definition.vd_next));
    return true;
}

static bool versions_are_good(const nw_host_elf_t *elf)
{
    uint64_t needs, definitions, numbers;
    uint32_t highest = 1;
    bool has_needs = nw_host_elf_find(elf, DT_VERNEED, &needs);
    bool has_definitions = nw_host_elf_find(elf, DT_VERDEF, &definitions);
    bool has_numbers = nw_host_elf_find(elf, DT_VERSYM, &numbers);
    if (has_numbers != (has_needs || has_definitions) || (has_needs && !needs_are_good(elf, needs, &highest)) ||
        (has_definitions && !definitions_are_good(elf, definitions, &highest)))
        return false;
    for (uint64_t i = 0; has_numbers && i < elf->n_symbols; i++) {
        uint16_t number;
        if (!nw_host_elf_load(elf, numbers + i * sizeof number, &number, sizeof number) ||
            (number & 0x7fffu) > highest)
            return false;
    }
    return true;
}

const char *nw_host_elf_refuse_versions(const nw_host_elf_t *elf)
{
    return versions_are_good(elf) ? NULL : "damaged: its versions are not those of its symbols";
}
