/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the loader writes into an object when it has chosen its address. */
#include "device/host/host_elf.h"

/* What kind of word is written. */
typedef enum writes { OTHER, NOTHING, ADDRESS_OF_SYMBOL, OWN_ADDRESS, FOR_THREADS, RESOLVED, IN_CODE } writes_t;

static writes_t what_writes(uint32_t type)
{
    switch (type) {
#if defined(__x86_64__)
    case R_X86_64_NONE:
        return NOTHING;
    case R_X86_64_64:
    case R_X86_64_GLOB_DAT:
    case R_X86_64_JUMP_SLOT:
    case R_X86_64_SIZE64:
        return ADDRESS_OF_SYMBOL;
    case R_X86_64_RELATIVE:
    case R_X86_64_RELATIVE64:
        return OWN_ADDRESS;
    case R_X86_64_DTPMOD64:
    case R_X86_64_DTPOFF64:
    case R_X86_64_TPOFF64:
    case R_X86_64_TLSDESC:
        return FOR_THREADS;
    case R_X86_64_IRELATIVE:
        return RESOLVED;
    case R_X86_64_32:
    case R_X86_64_PC32:
    case R_X86_64_PC64:
    case R_X86_64_SIZE32:
        return IN_CODE;
#elif defined(__aarch64__)
    case R_AARCH64_NONE:
        return NOTHING;
    case R_AARCH64_ABS64:
    case R_AARCH64_GLOB_DAT:
    case R_AARCH64_JUMP_SLOT:
        return ADDRESS_OF_SYMBOL;
    case R_AARCH64_RELATIVE:
        return OWN_ADDRESS;
    case R_AARCH64_TLS_DTPMOD:
    case R_AARCH64_TLS_DTPREL:
    case R_AARCH64_TLS_TPREL:
    case R_AARCH64_TLSDESC:
        return FOR_THREADS;
    case R_AARCH64_IRELATIVE:
        return RESOLVED;
#endif
    default:
        return OTHER;
    }
}

static bool writes_code(const nw_host_elf_t *elf)
{
    uint64_t value, flags;
    (void)nw_host_elf_find(elf, DT_FLAGS, &flags);
    return nw_host_elf_find(elf, DT_TEXTREL, &value) || (flags & DF_TEXTREL);
}

/* The dynamic section is the loader's own while it works. */
static bool may_write(const nw_host_elf_t *elf, uint64_t address, uint64_t size)
{
    const Elf64_Phdr *dynamic = &elf->dynamic;
    bool apart = address >= dynamic->p_vaddr + dynamic->p_memsz || address + size <= dynamic->p_vaddr;
    return apart && nw_host_elf_has_memory(elf, address, size, writes_code(elf) ? 0 : PF_W);
}

static bool is_own_address(const nw_host_elf_t *elf, uint64_t address)
{
    return nw_host_elf_has_memory(elf, address, 0, 0);
}

/* Whether the linker's own table of symbols, if there is one, knows of a function there that chooses another. */
static bool is_resolver(const nw_host_elf_t *elf, uint64_t address)
{
    const Elf64_Ehdr *header = &elf->header;
    bool has_table = false;
    if (!nw_host_elf_has_memory(elf, address, 1, PF_X))
        return false;
    for (size_t i = 0; header->e_shentsize == sizeof(Elf64_Shdr) && i < header->e_shnum; i++) {
        Elf64_Shdr table;
        Elf64_Sym symbol;
        if (!nw_host_elf_read(elf, header->e_shoff + i * sizeof table, &table, sizeof table))
            break;
        if (table.sh_type != SHT_SYMTAB)
            continue;
        has_table = true;
        for (uint64_t at = 0; at < table.sh_size; at += sizeof symbol) {
            if (!nw_host_elf_read(elf, table.sh_offset + at, &symbol, sizeof symbol))
                break;
            if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC && symbol.st_value == address)
                return true;
        }
    }
    return !has_table;
}

static bool is_good(const nw_host_elf_t *elf, const Elf64_Rela *relocation)
{
    uint64_t target = relocation->r_offset, addend = (uint64_t)relocation->r_addend;
    Elf64_Sym symbol;
    if (!nw_host_elf_symbol(elf, ELF64_R_SYM(relocation->r_info), &symbol))
        return false;
    bool for_threads = ELF64_ST_TYPE(symbol.st_info) == STT_TLS;
    bool named = ELF64_R_SYM(relocation->r_info) != 0;
    switch (what_writes((uint32_t)ELF64_R_TYPE(relocation->r_info))) {
    case NOTHING:
        return true;
    case ADDRESS_OF_SYMBOL:
        return !for_threads && may_write(elf, target, 8);
    case OWN_ADDRESS:
        return may_write(elf, target, 8) && is_own_address(elf, addend);
    case FOR_THREADS:
        return (named ? for_threads : elf->tls_size > 0) && may_write(elf, target, 16);
    case RESOLVED:
        return may_write(elf, target, 8) && is_resolver(elf, addend);
    case IN_CODE:
        return !for_threads && writes_code(elf) && may_write(elf, target, 8);
    default:
        return false;
    }
}

/* Entries of one table; the first n_own write addresses of the object's own. */
static bool table_is_good(const nw_host_elf_t *elf, int64_t where_tag, int64_t bytes_tag, uint64_t n_own)
{
    uint64_t where, bytes;
    (void)nw_host_elf_find(elf, where_tag, &where);
    (void)nw_host_elf_find(elf, bytes_tag, &bytes);
    if (n_own > bytes / sizeof(Elf64_Rela))
        return false;
    for (uint64_t i = 0; i < bytes / sizeof(Elf64_Rela); i++) {
        Elf64_Rela relocation;
        if (!nw_host_elf_load(elf, where + i * sizeof relocation, &relocation, sizeof relocation) ||
            !is_good(elf, &relocation) ||
            (i < n_own && what_writes((uint32_t)ELF64_R_TYPE(relocation.r_info)) != OWN_ADDRESS))
            return false;
    }
    return true;
}

/* The short form of relocations by the object's own address: an even word says where, an odd one which of the 63 words
 * behind it, too. What is there now is the address. */
static bool short_table_is_good(const nw_host_elf_t *elf)
{
    uint64_t where, bytes, word, next = 0;
    (void)nw_host_elf_find(elf, DT_RELR, &where);
    (void)nw_host_elf_find(elf, DT_RELRSZ, &bytes);
    for (uint64_t i = 0; i < bytes / sizeof word; i++) {
        if (!nw_host_elf_load(elf, where + i * sizeof word, &word, sizeof word))
            return false;
        if (!(word & 1)) {
            if (!may_write(elf, word, 8))
                return false;
            next = word + 8;
            continue;
        }
        if (i == 0)
            return false;
        for (unsigned bit = 1; bit < 64; bit++) {
            if ((word >> bit & 1) && !may_write(elf, next + (bit - 1) * 8, 8))
                return false;
        }
        next += UINT64_C(63) * 8;
    }
    return true;
}

const char *nw_host_elf_refuse_relocations(const nw_host_elf_t *elf)
{
    uint64_t n_own;
    (void)nw_host_elf_find(elf, DT_RELACOUNT, &n_own);
    bool good = table_is_good(elf, DT_RELA, DT_RELASZ, n_own) && table_is_good(elf, DT_JMPREL, DT_PLTRELSZ, 0) &&
                short_table_is_good(elf);
    return good ? NULL : "damaged: its relocations lead out of it";
}
