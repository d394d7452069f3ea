/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * PTX, of which the emulated driver reads the outline: the target, entries, and variables written as
 * `.visible .global .align N .b8 name[size] = {bytes}`. Its kernels do nothing, or call what a test has registered.
 */
#ifndef EMU_PTX_H
#define EMU_PTX_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ptx_variable {
    char name[64];
    size_t size; /* bytes */
    unsigned char bytes[64]; /* the first ones */
} ptx_variable_t;

/* The number behind `.target sm_`; 0 if the text is no PTX. */
int emu_ptx_target(const char *text);
bool emu_ptx_has_entry(const char *text, const char *name);
/* Reads variable i; false behind the last. */
bool emu_ptx_variable(const char *text, size_t i, ptx_variable_t *variable_p);

#endif
