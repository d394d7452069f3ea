/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/info.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* In one piece, so that lines of several threads don't mix. */
static void print(FILE *stream, const char *who, int device, const char *format, va_list args)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    fprintf(stream, "%s device %d info: %s\n", who, device, text);
}

void nw_info(int device, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print(stderr, "omptarget", device, format, args);
    va_end(args);
}

void nw_info_to(FILE *stream, int device, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print(stream, "omptarget", device, format, args);
    va_end(args);
}

void nw_info_of_plugin(int device, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print(stderr, "\"PluginInterface\"", device, format, args);
    va_end(args);
}

/* The four parts of ";a;b;line;column;;". */
typedef struct parts {
    const char *first, *second;
    int first_length, second_length, line, column;
} parts_t;

/* False if there are no such parts. */
static bool split(const char *text, parts_t *parts)
{
    const char *end[4], *from = text;
    if (!text || *text != ';')
        return false;
    for (int i = 0; i < 4; i++) {
        end[i] = strchr(from + 1, ';');
        if (!end[i])
            return false;
        from = end[i];
    }
    parts->first = text + 1;
    parts->first_length = (int)(end[0] - parts->first);
    parts->second = end[0] + 1;
    parts->second_length = (int)(end[1] - parts->second);
    parts->line = atoi(end[1] + 1);
    parts->column = atoi(end[2] + 1);
    return true;
}

/* Leaves out the folders of a file's name. */
static void strip(const char **file, int *length)
{
    for (int i = *length; i-- > 0;) {
        if ((*file)[i] != '/')
            continue;
        *file += i + 1;
        *length -= i + 1;
        return;
    }
}

nw_info_text_t nw_info_place(const nw_ident_t *loc)
{
    nw_info_text_t place = {"unknown:0:0"};
    parts_t parts;
    if (!split(nw_ident_source(loc), &parts))
        return place;
    strip(&parts.first, &parts.first_length);
    snprintf(place.text, sizeof place.text, "%.*s:%d:%d", parts.first_length, parts.first, parts.line, parts.column);
    return place;
}

nw_info_text_t nw_info_variable(const char *name)
{
    nw_info_text_t variable;
    if (!name)
        name = "unknown";
    else if (*name == ';')
        name++;
    snprintf(variable.text, sizeof variable.text, "%.*s", (int)strcspn(name, ";"), name);
    return variable;
}

nw_info_text_t nw_info_declaration(const char *name)
{
    nw_info_text_t declaration;
    parts_t parts = {.second = "unknown", .second_length = 7};
    (void)split(name, &parts);
    strip(&parts.second, &parts.second_length);
    snprintf(declaration.text, sizeof declaration.text, "%.120s at %.*s:%d:%d", nw_info_variable(name).text,
             parts.second_length, parts.second, parts.line, parts.column);
    return declaration;
}
