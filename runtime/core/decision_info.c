/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What LIBOMPTARGET_INFO says of a construct while it is decided: noted with the lock held, printed without. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/decision.h"

nw_info_text_t nw_decision_name(const nw_decision_t *d, int32_t i)
{
    return nw_info_variable(d->args->names ? d->args->names[i] : NULL);
}

void nw_decision_say(nw_decision_t *d, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    size_t size = length < 0 ? 0 : (size_t)length < sizeof line ? (size_t)length + 1 : sizeof line;
    char *grown = size > 0 ? realloc(d->said, d->said_size + size) : NULL;
    if (!grown)
        return;
    memcpy(grown + d->said_size, line, size);
    d->said = grown;
    d->said_size += size;
}

void nw_decision_print(nw_decision_t *d)
{
    for (size_t at = 0; at < d->said_size; at += strlen(d->said + at) + 1)
        nw_info(d->op->work.device->number, "%s", d->said + at);
    free(d->said);
    d->said = NULL;
    d->said_size = 0;
}

static size_t size_of(const nw_mapping_t *mapping)
{
    return (size_t)(mapping->host_end - mapping->host);
}

void nw_decision_tell_created(nw_decision_t *d, const nw_mapping_t *mapping, int32_t i)
{
    char dynamic[24], hold[24];
    nw_decision_say(d,
                    "Creating new map entry with HstPtrBase=" NW_INFO_ADDRESS ", HstPtrBegin=" NW_INFO_ADDRESS
                    ", TgtAllocBegin=" NW_INFO_ADDRESS ", TgtPtrBegin=" NW_INFO_ADDRESS
                    ", Size=%zu, DynRefCount=%s, HoldRefCount=%s, Name=%s",
                    NW_INFO_BITS(mapping->base), NW_INFO_BITS(mapping->host), NW_INFO_BITS(mapping->block),
                    NW_INFO_BITS(mapping->device), size_of(mapping), nw_count_text(mapping->dynamic_count, dynamic),
                    nw_count_text(mapping->hold_count, hold), nw_decision_name(d, i).text);
}

void nw_decision_tell_shared(nw_decision_t *d, const nw_mapping_t *mapping)
{
    nw_decision_say(d, "Return HstPtrBegin " NW_INFO_ADDRESS " Size=%zu for unified shared memory",
                    NW_INFO_BITS(mapping->host), size_of(mapping));
}

/* `action`: what has been done to the one count or the other. */
static void tell_present(nw_decision_t *d, const nw_mapping_t *mapping, int32_t i, const char *host, size_t size,
                         const char *action, bool begins)
{
    char dynamic[24], hold[24];
    bool holds = (d->args->types[i] & NW_MAP_HOLD) != 0;
    bool implicit = begins && (d->args->types[i] & NW_MAP_IMPLICIT);
    nw_decision_say(d,
                    "Mapping exists%s with HstPtrBegin=" NW_INFO_ADDRESS ", TgtPtrBegin=" NW_INFO_ADDRESS
                    ", Size=%zu, DynRefCount=%s%s, HoldRefCount=%s%s%s%s",
                    implicit ? " (implicit)" : "", NW_INFO_BITS(host),
                    NW_INFO_BITS(mapping->device + (host - mapping->host)), size,
                    nw_count_text(mapping->dynamic_count, dynamic), holds ? "" : action,
                    nw_count_text(mapping->hold_count, hold), holds ? action : "", begins ? ", Name=" : "",
                    begins ? nw_decision_name(d, i).text : "");
}

void nw_decision_tell_found(nw_decision_t *d, const nw_mapping_t *mapping, int32_t i, const char *host, size_t size,
                            bool counted)
{
    tell_present(d, mapping, i, host, size, counted ? " (incremented)" : " (update suppressed)", true);
}

void nw_decision_tell_given_up(nw_decision_t *d, const nw_step_t *step, bool counted)
{
    const nw_mapping_t *mapping = step->mapping;
    const char *action = " (update suppressed)";
    if (counted && (mapping->dynamic_count != 0 || mapping->hold_count != 0))
        action = " (decremented)";
    else if (counted)
        action = d->args->types[step->entry] & NW_MAP_DELETE ? " (reset, delayed deletion)"
                                                             : " (decremented, delayed deletion)";
    tell_present(d, mapping, step->entry, step->host, step->size, action, false);
}

void nw_decision_tell_removed(nw_decision_t *d, const nw_mapping_t *mapping)
{
    nw_decision_say(d,
                    "Removing map entry with HstPtrBegin=" NW_INFO_ADDRESS ", TgtPtrBegin=" NW_INFO_ADDRESS
                    ", Size=%zu, Name=%s",
                    NW_INFO_BITS(mapping->host), NW_INFO_BITS(mapping->device), size_of(mapping),
                    nw_info_variable(mapping->name).text);
}

void nw_decision_tell_copy(nw_decision_t *d, const nw_step_t *step, bool in)
{
    nw_decision_say(d,
                    "Copying data from %s to %s, %sPtr=" NW_INFO_ADDRESS ", %sPtr=" NW_INFO_ADDRESS
                    ", Size=%zu, Name=%s",
                    in ? "host" : "device", in ? "device" : "host", in ? "Hst" : "Tgt",
                    in ? NW_INFO_BITS(step->host) : NW_INFO_BITS(step->device), in ? "Tgt" : "Hst",
                    in ? NW_INFO_BITS(step->device) : NW_INFO_BITS(step->host), step->size,
                    nw_info_variable(step->mapping->name).text);
}
