/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decoding of what the compiler leaves in a program: offload entries and OffloadBinary wrappers. */
#include <string.h>

#include "core/images.h"
#include "core/offload_entry.h"

#define KIND_OPENMP 1

static bool is_kind(uint16_t kind)
{
    return kind >= 1 && kind <= 8;
}

unsigned nw_entries_version(const void *begin, const void *end)
{
    nw_entry_56_t first;
    if ((size_t)((const char *)end - (const char *)begin) < sizeof first)
        return 0;
    memcpy(&first, begin, sizeof first);
    /* Versions are small numbers; in the old layout these are the low bits of a name's address. */
    return first.reserved == 0 && first.version < 256 && is_kind(first.kind) ? first.version : 0;
}

nw_entry_layout_t nw_entries_layout(const void *begin, const void *end)
{
    size_t size = (size_t)((const char *)end - (const char *)begin);
    bool all_new = size % sizeof(nw_entry_56_t) == 0;
    for (size_t at = 0; all_new && at < size; at += sizeof(nw_entry_56_t)) {
        nw_entry_56_t entry;
        memcpy(&entry, (const char *)begin + at, sizeof entry);
        /* In the old layout these bytes are pointers: a name's low 16 bits and zeros above them are no address. LLVM
         * looks at no version, so programs that describe themselves may say 0. */
        all_new = entry.reserved == 0 && entry.version <= NW_ENTRY_VERSION && is_kind(entry.kind);
    }
    if (all_new)
        return NW_ENTRIES_56;
    if (nw_entries_version(begin, end) > NW_ENTRY_VERSION)
        return NW_ENTRIES_NEWER;
    return size % sizeof(nw_entry_32_t) == 0 ? NW_ENTRIES_32 : NW_ENTRIES_UNKNOWN;
}

int nw_entries_get(nw_entry_layout_t layout, const void *begin, const void *end, size_t i, nw_entry_t *entry_p)
{
    size_t size = (size_t)((const char *)end - (const char *)begin);
    if (layout == NW_ENTRIES_32 && i < size / sizeof(nw_entry_32_t)) {
        nw_entry_32_t entry;
        memcpy(&entry, (const char *)begin + i * sizeof entry, sizeof entry);
        *entry_p = (nw_entry_t){.address = entry.address,
                                .name = entry.name,
                                .size = entry.size,
                                .flags = (uint32_t)entry.flags,
                                .data = (uint32_t)entry.data};
        return 1;
    }
    if (layout == NW_ENTRIES_56 && i < size / sizeof(nw_entry_56_t)) {
        nw_entry_56_t entry;
        memcpy(&entry, (const char *)begin + i * sizeof entry, sizeof entry);
        *entry_p = (nw_entry_t){.address = entry.address,
                                .name = entry.kind & KIND_OPENMP ? entry.name : NULL,
                                .size = entry.size,
                                .flags = entry.flags,
                                .data = entry.data};
        return 1;
    }
    return 0;
}

/* Format: llvm/Object/OffloadBinary.h, version 1. */
typedef struct offload_header {
    uint8_t magic[4];
    uint32_t version;
    uint64_t size;
    uint64_t entry_offset;
    uint64_t entry_size;
} offload_header_t;

typedef struct offload_entry {
    uint16_t image_kind;
    uint16_t offload_kind;
    uint32_t flags;
    uint64_t string_offset;
    uint64_t n_strings;
    uint64_t image_offset;
    uint64_t image_size;
} offload_entry_t;

nw_status_t nw_offload_binary_unwrap(const void **start, size_t *size)
{
    static const uint8_t magic[4] = {0x10, 0xFF, 0x10, 0xAD};
    offload_header_t header;
    offload_entry_t entry;
    if (*size < sizeof magic || memcmp(*start, magic, sizeof magic) != 0)
        return NW_OK;
    if (*size < sizeof header)
        return NW_ERR_BAD_IMAGE;
    memcpy(&header, *start, sizeof header);
    if (header.version != 1 || header.size > *size || header.entry_offset > header.size ||
        header.size - header.entry_offset < sizeof entry)
        return NW_ERR_BAD_IMAGE;
    memcpy(&entry, (const char *)*start + header.entry_offset, sizeof entry);
    if (entry.image_offset > header.size || entry.image_size > header.size - entry.image_offset)
        return NW_ERR_BAD_IMAGE;
    *start = (const char *)*start + entry.image_offset;
    *size = entry.image_size;
    return NW_OK;
}
