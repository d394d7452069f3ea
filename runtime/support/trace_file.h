/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file behind support/trace.h: a JSON array that grows, whole at any moment. */
#ifndef NW_TRACE_FILE_H
#define NW_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens the file that the settings name; false if they name none, or, after one warning, if it can't be had. Threads:
 * one, once. Blocks. */
bool nw_trace_file_open(void);

/* Adds one event or more, each with its comma and line end; at most NW_TRACE_LONGEST_EVENT bytes together. Does nothing
 * when tracing has been switched off. Threads: any. */
void nw_trace_file_add(const char *text, size_t length);

/* Saves what is in buffers and closes the file. Tracing must have been switched off; waits for threads that are still
 * adding, for at most a second. Threads: any, also inside a signal handler. */
void nw_trace_file_close(void);

/* In a child process: leaves the file to the parent. */
void nw_trace_file_forget(void);

int32_t nw_trace_file_process(void); /* the process's number */
int64_t nw_trace_file_origin(void);  /* when the trace began, as nw_clock_ns */

#endif
