/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cudaemu/ptx.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLE ".visible .global .align "

int emu_ptx_target(const char *text)
{
    const char *version = strstr(text, ".version");
    const char *target = version ? strstr(version, ".target sm_") : NULL;
    return target ? atoi(target + strlen(".target sm_")) : 0;
}

bool emu_ptx_has_entry(const char *text, const char *name)
{
    static const char entry[] = ".entry ";
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, entry)); at++) {
        const char *found = at + sizeof entry - 1, *end = found + length;
        if (strncmp(found, name, length) == 0 && !isalnum((unsigned char)*end) && *end != '_' && *end != '$')
            return true;
    }
    return false;
}

bool emu_ptx_variable(const char *text, size_t i, ptx_variable_t *variable_p)
{
    const char *at = text;
    for (size_t n = 0; (at = strstr(at, VARIABLE)); at++) {
        int align, used = 0;
        *variable_p = (ptx_variable_t){.size = 0};
        if (sscanf(at, VARIABLE "%d .b8 %63[^[][%zu]%n", &align, variable_p->name, &variable_p->size, &used) < 3 ||
            n++ < i)
            continue;
        const char *byte = at + used + strspn(at + used, " ={");
        for (size_t k = 0; k < sizeof variable_p->bytes && isdigit((unsigned char)*byte); k++) {
            char *end;
            variable_p->bytes[k] = (unsigned char)strtoul(byte, &end, 10);
            byte = end + strspn(end, ", ");
        }
        return true;
    }
    return false;
}
