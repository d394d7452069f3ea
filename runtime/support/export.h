/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NW_EXPORT_H
#define NW_EXPORT_H

/* Marks what leaves the library; exports.map gives each its version node. */
#define NW_EXPORT __attribute__((visibility("default")))

/* The function leaves the library as "name@NODE", beside the name's default version. */
#define NW_EXPORT_AS(function, name_at_node) __asm__(".symver " #function ", " name_at_node)

#endif
