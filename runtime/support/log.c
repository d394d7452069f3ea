/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/ident.h"
#include "support/settings.h"
#include "support/trace.h"

static const char *const level_names[] = {"error", "warning", "info", "debug"};
static _Atomic bool dying;

bool nw_source_location(const char *psource, char *buffer, unsigned long size)
{
    /* ";file;function;line;column;;" */
    const char *field[5] = {0};
    if (!psource || *psource != ';')
        return false;
    for (int i = 0; i < 5; i++) {
        field[i] = psource + 1;
        psource = strchr(psource + 1, ';');
        if (!psource)
            return false;
    }
    int file_length = (int)(field[1] - field[0] - 1);
    if ((file_length == 7 && !strncmp(field[0], "unknown", 7)) || file_length <= 0)
        return false;
    snprintf(buffer, size, "%.*s:%.*s:%.*s", file_length, field[0], (int)(field[3] - field[2] - 1), field[2],
             (int)(field[4] - field[3] - 1), field[3]);
    return true;
}

/* One write, so that lines of several threads or ranks don't mix. `used`: the length that the text would have had. */
static void write_line(char line[static 1024], int used)
{
    size_t length = used < 1023 ? (size_t)used : 1022;
    line[length++] = '\n';
    /* Nothing can be done if standard error is gone. */
    if (write(STDERR_FILENO, line, length) < 0)
        return;
}

static void print_line(nw_log_level_t level, const struct nowait_ident *loc, const char *format, va_list args)
{
    char line[1024], place[256];
    int used = snprintf(line, sizeof line, "nowait: %s: ", level_names[level]);
    if (loc && nw_source_location(nw_ident_source(loc), place, sizeof place))
        used += snprintf(line + used, sizeof line - (size_t)used, "%s: ", place);
    used += vsnprintf(line + used, sizeof line - (size_t)used, format, args);
    write_line(line, used);
}

void nw_log(nw_log_level_t level, const char *format, ...)
{
    if ((int64_t)level > nw_settings.log)
        return;
    va_list args;
    va_start(args, format);
    print_line(level, NULL, format, args);
    va_end(args);
}

void nw_log_at(nw_log_level_t level, const struct nowait_ident *loc, const char *format, ...)
{
    if ((int64_t)level > nw_settings.log)
        return;
    va_list args;
    va_start(args, format);
    print_line(level, loc, format, args);
    va_end(args);
}

/* A thread that is stuck in a stream holds its lock: then what is in it can't be saved. */
static void flush(FILE *stream)
{
    if (ftrylockfile(stream) != 0)
        return;
    fflush_unlocked(stream);
    funlockfile(stream);
}

void nw_leave(int status)
{
    nw_trace_end();
    flush(stdout);
    flush(stderr);
    _exit(status);
}

void nw_log_llvm(const char *format, ...)
{
    if (nw_settings.fatal != NW_FATAL_ABORT || nw_is_dying())
        return;
    char line[1024];
    va_list args;
    va_start(args, format);
    int used = snprintf(line, sizeof line, "omptarget ");
    used += vsnprintf(line + used, sizeof line - (size_t)used, format, args);
    va_end(args);
    write_line(line, used);
}

void nw_fatal(const struct nowait_ident *loc, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bool first = !atomic_exchange(&dying, true);
    if (first)
        print_line(NW_LOG_ERROR, loc, format, args);
    va_end(args);
    if (first && nw_settings.fatal == NW_FATAL_ABORT) {
        static char last[1024] = "omptarget fatal error 1: failure of target construct while offloading is mandatory";
        write_line(last, (int)strlen(last));
    }
    /* Exit handlers don't run: libomp's would wait for the task that has just failed, and a device's own thread can't
     * run those that join it. What the program has printed is not lost. */
    while (!first)
        pause();
    if (nw_settings.fatal == NW_FATAL_ABORT) {
        nw_trace_end();
        flush(stdout);
        flush(stderr);
        abort();
    }
    nw_leave(EXIT_FAILURE);
}

bool nw_is_dying(void)
{
    return atomic_load_explicit(&dying, memory_order_relaxed);
}
