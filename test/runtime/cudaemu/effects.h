/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What commands do to memory, and whether a thread of its own is worth it. */
#ifndef EMU_EFFECTS_H
#define EMU_EFFECTS_H

#include "cudaemu/timeline.h"

/* Whether a command takes time of its own, and so may not be done with the lock held. */
bool emu_takes_time(const command_t *command);
/* Does a command. Called with the lock held if the command takes no time, else without. */
void emu_perform(stream_t *stream, command_t *command);
/* Whether the memory that a copy or fill touches is still there; a misuse is reported if it is not. Lock held. */
bool emu_memory_is_there(const command_t *command);
/* Whether the word in memory is what a command waits for. */
bool emu_word_is_right(const value_command_t *wait);

#endif
