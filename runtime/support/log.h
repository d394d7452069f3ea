/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages to the user: one line each on standard error, "nowait: <kind>: <place>: <what>; <what to do>". */
#ifndef NW_LOG_H
#define NW_LOG_H

#include <stdbool.h>

#include "support/status.h"

struct nowait_ident;

/* By volume: one for each failure, for each process, for each device or image, for each operation. */
typedef enum nw_log_level { NW_LOG_ERROR, NW_LOG_WARNING, NW_LOG_INFO, NW_LOG_DEBUG } nw_log_level_t;

#define NW_PRINTF(format_at, first) __attribute__((format(printf, format_at, first)))

/* Prints if NOWAIT_LOG admits the level. Threads: any. */
void nw_log(nw_log_level_t level, const char *format, ...) NW_PRINTF(2, 3) __attribute__((cold));

/* As nw_log, with the source location of a construct in front; loc may be NULL or without location. */
void nw_log_at(nw_log_level_t level, const struct nowait_ident *loc, const char *format, ...) NW_PRINTF(3, 4)
    __attribute__((cold));

/*
 * Prints an error with its source location and ends the program: what OpenMP asks for when a construct cannot be done
 * and offloading is mandatory. With status 1, or as NOWAIT_FATAL says. Standard output is flushed. Regions still in
 * flight are abandoned.
 */
_Noreturn void nw_fatal(const struct nowait_ident *loc, const char *format, ...) NW_PRINTF(2, 3)
    __attribute__((cold));

/* Ends the program with this status: standard output and error are flushed, exit handlers don't run. Threads: any. */
_Noreturn void nw_leave(int status);

/* True once nw_fatal has been called: nothing should wait for a device any more. */
bool nw_is_dying(void);

/* Prints "omptarget <text>", what LLVM's runtime says of the same failure, if NOWAIT_FATAL asks for that. */
void nw_log_llvm(const char *format, ...) NW_PRINTF(1, 2) __attribute__((cold));

/* Pulls file, line and column out of ";file;function;line;column;;". Returns false if there is no known place. */
bool nw_source_location(const char *psource, char *buffer, unsigned long size);

#define NW_LIKELY(x) __builtin_expect(!!(x), 1)
#define NW_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* A fault of our own after which going on could corrupt memory. */
#define NW_ASSERT_ALWAYS(condition)                                                                        \
    do {                                                                                                   \
        if (NW_UNLIKELY(!(condition)))                                                                     \
            nw_fatal(NULL, "internal error: %s is false (%s:%d); please report it", #condition, __FILE__, \
                     __LINE__);                                                                            \
    } while (0)

#endif
