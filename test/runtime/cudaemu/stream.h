/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Streams as the program sees them. */
#ifndef EMU_STREAM_H
#define EMU_STREAM_H

#include "cudaemu/context.h"

/*
 * The stream of a handle; NULL stands for the current context's legacy stream. A handle has its own context, which need
 * not be current. Lock held. CUDA_ERROR_INVALID_CONTEXT: NULL, and none is current; CUDA_ERROR_INVALID_HANDLE, and a
 * misuse is reported: the handle is none.
 */
CUresult emu_stream_find(CUstream handle, stream_t **stream_p);
/* The same for a command: puts into the stream what the legacy stream's rules want before it. The fault of its context,
 * if there is one. */
CUresult emu_stream_to_issue(CUstream handle, stream_t **stream_p);

/* A stream without a handle of the program's. Lock held; NULL if there are too many. */
stream_t *emu_stream_new(context_t *context, unsigned int flags);
/* A destroyed stream has become idle. */
void emu_stream_gone(stream_t *stream);
/* Ends all streams of a context. */
void emu_streams_delete(context_t *context);
uint64_t emu_streams_live(void);

/* Waits for all that is issued in a context; counted as a call that waits. Called without the lock. */
void emu_wait_for_context(context_t *context);
/* The same for a stream; returns the fault of its context, if there is one. Lock held, given up meanwhile. */
CUresult emu_wait_for_stream(stream_t *stream);

#endif
