/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/reason.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_BYTES 300u

static _Thread_local char reason[MOST_BYTES];
static _Thread_local bool is_set;

void nw_reason_set(const char *format, ...)
{
    char text[MOST_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    memcpy(reason, text, sizeof reason);
    is_set = true;
}

const char *nw_reason_take(const char *otherwise)
{
    bool was_set = is_set;
    is_set = false;
    return was_set ? reason : otherwise;
}
