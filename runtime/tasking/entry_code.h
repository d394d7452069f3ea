/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the machine code of a target task's entry says of it, before the entry has run once.
 *
 * clang outlines a deferred target construct into one function, the entry, which calls the runtime by name. So the
 * code of an entry that dispatches holds a call of one of few functions, through a slot of its object's global offset
 * table. That of an entry which runs the region on the host holds none.
 */
#ifndef NW_ENTRY_CODE_H
#define NW_ENTRY_CODE_H

#include "tasking/entry_kinds.h"

/*
 * Returns NW_ENTRY_CAPTURES if the code calls a function that dispatches (which variables travel by address, if any, is
 * not to be seen), NW_ENTRY_REDUCES if it also asks for a task reduction's private copy, and NW_ENTRY_UNKNOWN if it
 * holds no such call, or can't be read: it has no unwind table, or calls in another way than compilers do. Runs
 * nothing of the program's. Threads: any. Blocks: never; takes no lock of the loader's.
 */
nw_entry_kind_t nw_entry_code_read(nowait_task_entry_t entry);

#endif
