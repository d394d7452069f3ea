/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The entries by which compiled code describes its regions and variables, in the two layouts that exist. */
#ifndef NW_OFFLOAD_ENTRY_H
#define NW_OFFLOAD_ENTRY_H

#include <stddef.h>
#include <stdint.h>

/* LLVM <= 20 */
typedef struct nw_entry_32 {
    void *address;
    char *name;
    uint64_t size;
    int32_t flags;
    int32_t data;
} nw_entry_32_t;

/* LLVM >= 21 */
typedef struct nw_entry_56 {
    uint64_t reserved;
    uint16_t version; /* NW_ENTRY_VERSION */
    uint16_t kind;    /* the language; bits of llvm's OffloadKind */
    uint32_t flags;
    void *address;
    char *name;
    uint64_t size;
    uint64_t data;
    void *aux;
} nw_entry_56_t;

/* The only version so far (LLVM 21, 22). */
#define NW_ENTRY_VERSION 1u

_Static_assert(sizeof(nw_entry_32_t) == 32, "__tgt_offload_entry of LLVM 19");
_Static_assert(offsetof(nw_entry_32_t, address) == 0, "__tgt_offload_entry of LLVM 19");
_Static_assert(offsetof(nw_entry_32_t, name) == 8, "__tgt_offload_entry of LLVM 19");
_Static_assert(offsetof(nw_entry_32_t, size) == 16, "__tgt_offload_entry of LLVM 19");
_Static_assert(offsetof(nw_entry_32_t, flags) == 24, "__tgt_offload_entry of LLVM 19");
_Static_assert(offsetof(nw_entry_32_t, data) == 28, "__tgt_offload_entry of LLVM 19");
_Static_assert(sizeof(nw_entry_56_t) == 56, "__tgt_offload_entry of LLVM 22");
_Static_assert(offsetof(nw_entry_56_t, reserved) == 0, "__tgt_offload_entry of LLVM 22");
_Static_assert(offsetof(nw_entry_56_t, version) == 8, "__tgt_offload_entry of LLVM 22");
_Static_assert(offsetof(nw_entry_56_t, kind) == 10, "__tgt_offload_entry of LLVM 22");
_Static_assert(offsetof(nw_entry_56_t, flags) == 12, "__tgt_offload_entry of LLVM 22");
_Static_assert(offsetof(nw_entry_56_t, address) == 16, "__tgt_offload_entry of LLVM 22");
_Static_assert(offsetof(nw_entry_56_t, name) == 24, "__tgt_offload_entry of LLVM 22");
_Static_assert(offsetof(nw_entry_56_t, size) == 32, "__tgt_offload_entry of LLVM 22");
_Static_assert(offsetof(nw_entry_56_t, data) == 40, "__tgt_offload_entry of LLVM 22");
_Static_assert(offsetof(nw_entry_56_t, aux) == 48, "__tgt_offload_entry of LLVM 22");

#endif
