/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The entries of entries.c, and what their code says. */
#ifndef NOWAIT_TEST_ENTRIES_H
#define NOWAIT_TEST_ENTRIES_H

#include <stdint.h>

#define ENTRIES(X)                                                                                                     \
    X(entry_of_kernel, NW_ENTRY_CAPTURES)                                                                              \
    X(entry_of_host_version, NW_ENTRY_UNKNOWN)                                                                         \
    X(entry_of_update, NW_ENTRY_CAPTURES)                                                                              \
    X(entry_of_host_version_with_data, NW_ENTRY_UNKNOWN)                                                               \
    X(entry_of_reduction, NW_ENTRY_REDUCES)                                                                            \
    X(entry_of_host_reduction, NW_ENTRY_UNKNOWN)                                                                       \
    X(entry_of_older_kernel, NW_ENTRY_CAPTURES)                                                                        \
    X(entry_that_takes_an_address, NW_ENTRY_UNKNOWN)

#define DECLARE(name, kind) int32_t name(int32_t gtid, void *task);
ENTRIES(DECLARE)
#undef DECLARE

#endif
