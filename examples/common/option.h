/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers given on the command line of an example; a bad one ends the program with one line. */
#ifndef EXAMPLES_OPTION_H
#define EXAMPLES_OPTION_H

#include <stdio.h>
#include <stdlib.h>

static inline double option_number(const char *name, const char *text, double least, double most)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= least && value <= most)) {
        fprintf(stderr, "--%s: '%s' is not a number from %g to %g\n", name, text, least, most);
        exit(2);
    }
    return value;
}

/* A count: the fraction of a number such as 1.5 is an error, not rounded. */
static inline size_t option_count(const char *name, const char *text, size_t least, size_t most)
{
    double value = option_number(name, text, (double)least, (double)most);
    if (value != (double)(size_t)value) {
        fprintf(stderr, "--%s: '%s' is not a whole number\n", name, text);
        exit(2);
    }
    return (size_t)value;
}

#endif
