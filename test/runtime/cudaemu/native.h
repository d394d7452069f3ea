/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Images whose kernels are code of the host: x86-64 shared objects, as clang makes them for
 * -fopenmp-targets=x86_64-pc-linux-gnu. Called without the lock, as constructors of the image run. */
#ifndef EMU_NATIVE_H
#define EMU_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct native native_t;

/* Returns NULL if the loader refuses the image; its words are on standard error. */
native_t *emu_native_load(const void *start, size_t size);
void emu_native_unload(native_t *native);

/* Calls `range` for each part of the image that is data: [start, start + size). */
void emu_native_ranges(native_t *native, void (*range)(void *context, void *start, size_t size), void *context);
/* The address of a function or variable, or NULL; of a variable, also its size. */
void *emu_native_symbol(native_t *native, const char *name, size_t *size_p);
/* Calls a function with n arguments of 8 bytes. */
void emu_native_call(void *function, const uint64_t *arguments, size_t n);

#endif
