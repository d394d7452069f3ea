/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/trace_text.h"

#include <stdbool.h>

#define TEN_TO_8 100000000u
#define ZEROS UINT64_C(0x3030303030303030)

/* The eight decimal digits of a number below 10^8, a byte each, the first in the lowest: as they stand in memory of a
 * little-endian machine. Halves, quarters and eighths are split side by side, by multiplications. */
static inline uint64_t eight_digits(uint32_t number)
{
    uint64_t halves = number / 10000 | (uint64_t)(number % 10000) << 32;
    uint64_t upper = (halves * 10486) >> 20 & UINT64_C(0x0000007f0000007f);
    uint64_t quarters = upper + ((halves - 100 * upper) << 16);
    uint64_t tens = (quarters * 103) >> 10 & UINT64_C(0x000f000f000f000f);
    return tens + ((quarters - 10 * tens) << 8);
}

void nw_trace_text_number(nw_trace_text_t *text, uint64_t number)
{
    uint64_t digits;
    if (number >= TEN_TO_8) {
        nw_trace_text_number(text, number / TEN_TO_8);
        digits = eight_digits((uint32_t)(number % TEN_TO_8)) + ZEROS;
        memcpy(text->bytes + text->used, &digits, sizeof digits);
        text->used += sizeof digits;
        return;
    }
    digits = eight_digits((uint32_t)number);
    /* The last digit stays, if it is 0, too. */
    unsigned leading = (unsigned)__builtin_ctzl(digits | UINT64_C(1) << 56) / 8;
    digits = (digits + ZEROS) >> 8 * leading;
    memcpy(text->bytes + text->used, &digits, sizeof digits);
    text->used += sizeof digits - leading;
}

void nw_trace_text_time(nw_trace_text_t *text, int64_t ns)
{
    uint64_t time = ns > 0 ? (uint64_t)ns : 0;
    uint32_t rest = (uint32_t)(time % 1000);
    nw_trace_text_number(text, time / 1000);
    char decimals[4] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10), (char)('0' + rest % 10)};
    memcpy(text->bytes + text->used, decimals, sizeof decimals);
    text->used += sizeof decimals;
}

/* Bytes of the UTF-8 character at `at`; 0 if it is none. */
static size_t character_length(const char *at, const char *end)
{
    unsigned char first = (unsigned char)*at;
    size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (length > (size_t)(end - at))
        return 0;
    for (size_t i = 1; i < length; i++) {
        unsigned char next = (unsigned char)at[i];
        if ((next & 0xc0) != 0x80)
            return 0;
    }
    /* Overlong forms, surrogates, and what is beyond the last character. */
    unsigned char second = length > 2 ? (unsigned char)at[1] : 0x90;
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
        (first == 0xf4 && second > 0x8f))
        return 0;
    return length;
}

/* A character that stands for itself in a JSON string. */
static bool plain(char character)
{
    return character >= ' ' && character < 0x7f && character != '"' && character != '\\';
}

void nw_trace_text_name(nw_trace_text_t *text, const char *name, size_t length, size_t most)
{
    char *to = text->bytes + text->used, *limit = to + most;
    for (const char *end = name + length; name < end;) {
        while (name < end && plain(*name) && limit - to >= 4)
            *to++ = *name++;
        if (name == end)
            break;
        size_t n = character_length(name, end);
        bool control = (unsigned char)*name < 0x20, escaped = *name == '"' || *name == '\\';
        if (limit - to < 4)
            break;
        if (n == 0 || control) {
            *to++ = '?';
            n = 1;
        } else {
            if (escaped)
                *to++ = '\\';
            memcpy(to, name, n);
            to += n;
        }
        name += n;
    }
    text->used = (size_t)(to - text->bytes);
}

/* The last part of a path. */
static const char *last_part(const char *path, const char *end)
{
    const char *at = end;
    while (at > path && at[-1] != '/')
        at--;
    return at;
}

/* From ";file;function;line;column;;". */
static bool put_source(nw_trace_text_t *text, const char *source)
{
    if (!source || *source != ';')
        return false;
    const char *file = source + 1, *file_end = strchr(file, ';');
    const char *function_end = file_end ? strchr(file_end + 1, ';') : NULL;
    const char *line_end = function_end ? strchr(function_end + 1, ';') : NULL;
    if (!line_end || (file_end - file == 7 && !strncmp(file, "unknown", 7)))
        return false;
    const char *name = last_part(file, file_end);
    nw_trace_text_character(text, ' ');
    nw_trace_text_name(text, name, (size_t)(file_end - name), NW_TRACE_LONGEST_NAME - 24);
    nw_trace_text_character(text, ':');
    nw_trace_text_name(text, function_end + 1, (size_t)(line_end - function_end - 1), 16);
    return true;
}

/* From "__omp_offloading_<device>_<file>_<function>_l<line>". */
static void put_kernel(nw_trace_text_t *text, const char *kernel)
{
    static const char prefix[] = "__omp_offloading_";
    if (!kernel)
        return;
    size_t length = strlen(kernel);
    const char *end = kernel + length, *line = end;
    if (!strncmp(kernel, prefix, sizeof prefix - 1)) {
        const char *device = strchr(kernel + sizeof prefix - 1, '_'), *file = device ? strchr(device + 1, '_') : NULL;
        if (file)
            kernel = file + 1;
    }
    while (line > kernel && line[-1] >= '0' && line[-1] <= '9')
        line--;
    nw_trace_text_character(text, ' ');
    if (line < end && line - kernel > 2 && line[-1] == 'l' && line[-2] == '_') {
        nw_trace_text_name(text, kernel, (size_t)(line - 2 - kernel), NW_TRACE_LONGEST_NAME - 24);
        nw_trace_text_character(text, ':');
        nw_trace_text_name(text, line, (size_t)(end - line), 16);
    } else {
        nw_trace_text_name(text, kernel, (size_t)(end - kernel), NW_TRACE_LONGEST_NAME - 8);
    }
}

void nw_trace_text_place(nw_trace_text_t *text, const nw_ident_t *loc, const char *kernel)
{
    if (!put_source(text, nw_ident_source(loc)))
        put_kernel(text, kernel);
}
