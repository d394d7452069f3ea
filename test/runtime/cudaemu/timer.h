/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The streams whose first command is over at a known time, by that time, and the thread that waits for it. All is
 * called with the lock held. */
#ifndef EMU_TIMER_H
#define EMU_TIMER_H

#include "cudaemu/timeline.h"

/* Adds a stream (its `due` is set), or takes it out. */
void emu_timer_add(stream_t *stream);
void emu_timer_remove(stream_t *stream);
/* Returns the stream that is due first, if at or before `now`, and takes it out; else NULL. */
stream_t *emu_timer_take(uint64_t now);
/* Lets the thread call emu_poll_words every few microseconds as long as `on`. */
void emu_timer_poll(bool on);

#endif
