/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NOWAIT_TRACE_SUMMARY_H
#define NOWAIT_TRACE_SUMMARY_H

/* Prints what a trace (NOWAIT_TRACE) comes to: the busiest regions, the time outstanding and in flight, what waited for
 * what. A file that ends too early, or has damaged lines, is summed up as far as it goes. Returns an exit status; a
 * failure is told. */
int trace_summary(const char *path);

#endif
