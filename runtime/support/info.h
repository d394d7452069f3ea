/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The lines of LIBOMPTARGET_INFO, in LLVM's form, so that what reads them goes on to work. Each place tests its bit of
 * nw_settings.info first.
 */
#ifndef NW_INFO_H
#define NW_INFO_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include "support/ident.h"
#include "support/log.h"

enum {
    NW_INFO_ARGUMENTS = 0x1, /* of each construct */
    NW_INFO_PRESENT = 0x2,   /* what an entry finds present */
    NW_INFO_TABLE = 0x4,     /* the map tables after each construct, and after a failure */
    NW_INFO_CHANGED = 0x8,   /* mappings that come and go */
    NW_INFO_LAUNCH = 0x10,
    NW_INFO_COPY = 0x20,
    NW_INFO_EMPTY = 0x40 /* what stays without a device copy */
};

/* Prints "omptarget device N info: ...", or what LLVM's plugins print. */
void nw_info(int device, const char *format, ...) NW_PRINTF(2, 3) __attribute__((cold));
void nw_info_of_plugin(int device, const char *format, ...) NW_PRINTF(2, 3) __attribute__((cold));

/* As nw_info, to `stream`. */
void nw_info_to(FILE *stream, int device, const char *format, ...) NW_PRINTF(3, 4) __attribute__((cold));

/* How addresses are written: nw_info(0, "at " NW_INFO_ADDRESS, NW_INFO_BITS(p)). */
#define NW_INFO_ADDRESS "0x%016" PRIxPTR
#define NW_INFO_BITS(pointer) ((uintptr_t)(pointer))

typedef struct nw_info_text {
    char text[192];
} nw_info_text_t;

/* "file:line:column" of a construct, without folders; "unknown:0:0" if that isn't known. */
nw_info_text_t nw_info_place(const nw_ident_t *loc);

/* The variable's part of a map entry's name, ";name;file;line;column;;" with debug information, or the name of a
 * variable with static storage. NULL: "unknown". */
nw_info_text_t nw_info_variable(const char *name);

/* The same and where the variable is declared: "x at file:line:column". */
nw_info_text_t nw_info_declaration(const char *name);

#endif
