/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the objects of a program demand by `requires` (bits of LLVM's OpenMPOffloadingRequiresDirFlags). OpenMP wants
 * all of them to demand the same; those that say nothing (clang makes an entry for unified_shared_memory alone) are not
 * asked.
 */
#ifndef NW_REQUIREMENTS_H
#define NW_REQUIREMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Takes what an object's entry says. One that contradicts an earlier entry ends the program: regions compiled for
 * shared memory don't map what they use, the others do. Threads: one at a time. */
void nw_requirements_declare(uint64_t bits);

/* Adds what an object of LLVM 17 or before says by a call. Threads: any. */
void nw_requirements_add(uint64_t bits);

/* True if some object demands unified shared memory. Threads: any. */
bool nw_requirements_shared_memory(void);

#endif
