/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/entry_code.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Slots of the global offset table that matter in one object: twice as many as there are functions, which may have one
 * for calls and one for their address. */
#define MOST_SLOTS 32

/* The object that an entry lies in, as the loader has mapped it. */
typedef struct object {
    uintptr_t base; /* what is added to its addresses */
    uintptr_t begin, end;
    uintptr_t code, code_end; /* the segment with the entry */
    const char *unwind;       /* .eh_frame_hdr */
    struct {
        uintptr_t address;
        bool reduces;
    } slots[MOST_SLOTS];
    uint32_t n_slots;
} object_t;

static int32_t read_i32(uintptr_t address)
{
    int32_t value;
    memcpy(&value, (const void *)address, sizeof value);
    return value;
}

static uint8_t read_u8(uintptr_t address)
{
    return *(const uint8_t *)address;
}

/* The executable segment with this address. */
static bool find_code(object_t *object, uintptr_t address)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)object->begin;
    if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_phentsize != sizeof(Elf64_Phdr))
        return false;
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(object->begin + head->e_phoff);
    for (int i = 0; i < head->e_phnum; i++) {
        object->code = object->base + segments[i].p_vaddr;
        object->code_end = object->code + segments[i].p_memsz;
        if (segments[i].p_type == PT_LOAD && (segments[i].p_flags & PF_X) && address >= object->code &&
            address < object->code_end)
            return true;
    }
    return false;
}

/* Whether a function of this name dispatches, or asks for a reduction's copy. */
static bool is_of_interest(const char *name, bool *reduces_p)
{
    static const char prefix[] = "__tgt_target_";
    *reduces_p = strcmp(name, "__kmpc_task_reduction_get_th_data") == 0;
    if (*reduces_p || strcmp(name, "__tgt_target_kernel") == 0)
        return true;
    /* Of the others those that stand for a construct with nowait, newer ones and older. */
    return strncmp(name, prefix, sizeof prefix - 1) == 0 && strstr(name, "_nowait") != NULL;
}

/* Notes the slots that n relocations fill with the addresses of such functions. */
static void note_slots(object_t *object, const Elf64_Rela *relocations, size_t n, const Elf64_Sym *symbols,
                       const char *names)
{
    for (size_t i = 0; i < n && object->n_slots < MOST_SLOTS; i++) {
        uint32_t type = (uint32_t)ELF64_R_TYPE(relocations[i].r_info);
        bool reduces;
        if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
            !is_of_interest(names + symbols[ELF64_R_SYM(relocations[i].r_info)].st_name, &reduces))
            continue;
        object->slots[object->n_slots].address = object->base + relocations[i].r_offset;
        object->slots[object->n_slots++].reduces = reduces;
    }
}

/* The loader leaves addresses in a dynamic section that it can't write as they are in the file. */
static const void *pointer_of(const object_t *object, const Elf64_Dyn *entry)
{
    uintptr_t address = entry->d_un.d_ptr;
    return (const void *)(address < object->begin ? object->base + address : address);
}

static void find_slots(object_t *object, const Elf64_Dyn *dynamic)
{
    const Elf64_Rela *calls = NULL, *others = NULL;
    const Elf64_Sym *symbols = NULL;
    const char *names = NULL;
    size_t calls_size = 0, others_size = 0, n_relative = 0;
    for (const Elf64_Dyn *entry = dynamic; entry->d_tag != DT_NULL; entry++) {
        switch (entry->d_tag) {
        case DT_JMPREL:
            calls = pointer_of(object, entry);
            break;
        case DT_PLTRELSZ:
            calls_size = entry->d_un.d_val;
            break;
        case DT_RELA:
            others = pointer_of(object, entry);
            break;
        case DT_RELASZ:
            others_size = entry->d_un.d_val;
            break;
        case DT_RELACOUNT:
            n_relative = entry->d_un.d_val;
            break;
        case DT_SYMTAB:
            symbols = pointer_of(object, entry);
            break;
        case DT_STRTAB:
            names = pointer_of(object, entry);
            break;
        default:
            break;
        }
    }
    if (!symbols || !names)
        return;
    if (calls)
        note_slots(object, calls, calls_size / sizeof *calls, symbols, names);
    /* Those that name no symbol come first. */
    if (others && n_relative < others_size / sizeof *others)
        note_slots(object, others + n_relative, others_size / sizeof *others - n_relative, symbols, names);
}

static bool find_object(object_t *object, uintptr_t address)
{
    struct dl_find_object found;
    if (_dl_find_object((void *)address, &found) != 0 || !found.dlfo_eh_frame || !found.dlfo_link_map->l_ld)
        return false;
    object->base = found.dlfo_link_map->l_addr;
    object->begin = (uintptr_t)found.dlfo_map_start;
    object->end = (uintptr_t)found.dlfo_map_end;
    object->unwind = found.dlfo_eh_frame;
    object->n_slots = 0;
    if (!find_code(object, address))
        return false;
    find_slots(object, found.dlfo_link_map->l_ld);
    return object->n_slots > 0;
}

/* How the unwind table is written: the only way that linkers have. */
enum { VERSION = 1, PTR_PCREL_SDATA4 = 0x1b, COUNT_UDATA4 = 0x03, TABLE_DATAREL_SDATA4 = 0x3b };

/*
 * The end of the function that begins at this address, or 0: a binary search in .eh_frame_hdr, whose rows give a
 * function and its description in .eh_frame, both relative to the table's begin. (Linux Standard Base, Exception
 * Frames.)
 */
static uintptr_t end_of_function(const object_t *object, uintptr_t begin)
{
    uintptr_t table = (uintptr_t)object->unwind, rows = table + 12;
    if (read_u8(table) != VERSION || read_u8(table + 1) != PTR_PCREL_SDATA4 || read_u8(table + 2) != COUNT_UDATA4 ||
        read_u8(table + 3) != TABLE_DATAREL_SDATA4)
        return 0;
    uint32_t low = 0, high = (uint32_t)read_i32(table + 8);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uintptr_t first = table + (uintptr_t)(intptr_t)read_i32(rows + (uintptr_t)middle * 8);
        if (first < begin) {
            low = middle + 1;
        } else if (first > begin) {
            high = middle;
        } else {
            /* Two words, then the function's begin, relative to that place unless it has another form, and its size. */
            uintptr_t place = table + (uintptr_t)(intptr_t)read_i32(rows + (uintptr_t)middle * 8 + 4) + 8;
            uintptr_t size = (uint32_t)read_i32(place + 4);
            bool plain = place + (uintptr_t)(intptr_t)read_i32(place) == begin;
            return plain && size <= object->code_end - begin ? begin + size : 0;
        }
    }
    return 0;
}

/* Returns the slot's index, or -1 if the address is that of no slot. */
static int slot_at(const object_t *object, uintptr_t address)
{
    for (uint32_t i = 0; i < object->n_slots; i++) {
        if (object->slots[i].address == address)
            return (int)i;
    }
    return -1;
}

/* The longest way into a stub of the procedure linkage table before its jump: endbr64, bnd. */
#define STUB_HEAD 5
/* jmp *slot(%rip), call *slot(%rip): two bytes and the distance from behind it. */
#define INDIRECT_SIZE 6

/* The slot that a stub at this address jumps through. */
static int slot_of_stub(const object_t *object, uintptr_t stub)
{
    if (stub < object->code || stub >= object->code_end)
        return -1;
    for (uintptr_t at = stub; at <= stub + STUB_HEAD && at + INDIRECT_SIZE <= object->code_end; at++) {
        if (read_u8(at) == 0xff && read_u8(at + 1) == 0x25)
            return slot_at(object, at + INDIRECT_SIZE + (uintptr_t)(intptr_t)read_i32(at + 2));
    }
    return -1;
}

/* The slot that the bytes here call through, if they are a call. Where they lie in the middle of an instruction, they
 * would have to hold a distance of 32 bits to the slot, or to its stub, by chance. */
static int slot_called(const object_t *object, uintptr_t at)
{
    if (read_u8(at) == 0xe8) /* call stub */
        return slot_of_stub(object, at + 5 + (uintptr_t)(intptr_t)read_i32(at + 1));
    if (read_u8(at) == 0xff && read_u8(at + 1) == 0x15) /* call *slot(%rip) */
        return slot_at(object, at + INDIRECT_SIZE + (uintptr_t)(intptr_t)read_i32(at + 2));
    return -1;
}

nw_entry_kind_t nw_entry_code_read(nowait_task_entry_t entry)
{
    object_t object;
    uintptr_t begin = (uintptr_t)entry;
    if (!find_object(&object, begin))
        return NW_ENTRY_UNKNOWN;
    uintptr_t end = end_of_function(&object, begin);
    bool dispatches = false, reduces = false;
    for (uintptr_t at = begin; at + INDIRECT_SIZE <= end; at++) {
        int slot = slot_called(&object, at);
        if (slot < 0)
            continue;
        if (object.slots[slot].reduces)
            reduces = true;
        else
            dispatches = true;
    }
    return !dispatches ? NW_ENTRY_UNKNOWN : reduces ? NW_ENTRY_REDUCES : NW_ENTRY_CAPTURES;
}
