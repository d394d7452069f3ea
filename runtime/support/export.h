/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NW_EXPORT_H
#define NW_EXPORT_H

/* Marks what leaves the library; exports.map gives each its version node. */
#define NW_EXPORT __attribute__((visibility("default")))

#endif
