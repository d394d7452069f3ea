/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events. */
#ifndef EMU_EVENT_H
#define EMU_EVENT_H

#include "cudaemu/context.h"

/* Ends all events of a context; lock held. */
void emu_events_delete(context_t *context);
uint64_t emu_events_live(void);

#endif
