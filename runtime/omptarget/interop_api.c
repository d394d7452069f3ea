/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* OpenMP's interoperability routines (OpenMP 5.2, 18.12). */
#include "core/interop_object.h"
#include "omptarget/omptarget.h"
#include "support/export.h"

/* No properties of the implementation's own. */
NW_EXPORT int omp_get_num_interop_properties(nw_interop_t *interop)
{
    (void)interop;
    return 0;
}

static nw_interop_value_t get(nw_interop_t *interop, int property, int type, int *error_p)
{
    nw_interop_value_t value;
    int error = nw_interop_get(interop, property, type, &value);
    if (error_p)
        *error_p = error;
    return value;
}

NW_EXPORT intptr_t omp_get_interop_int(nw_interop_t *interop, int property, int *error_p)
{
    return get(interop, property, NW_IRC_TYPE_INT, error_p).integer;
}

NW_EXPORT void *omp_get_interop_ptr(nw_interop_t *interop, int property, int *error_p)
{
    return get(interop, property, NW_IRC_TYPE_PTR, error_p).pointer;
}

NW_EXPORT const char *omp_get_interop_str(nw_interop_t *interop, int property, int *error_p)
{
    return get(interop, property, NW_IRC_TYPE_STR, error_p).string;
}

NW_EXPORT const char *omp_get_interop_name(nw_interop_t *interop, int property)
{
    static const char *const names[] = {"fr_id",    "fr_name", "vendor",         "vendor_name", "device_num",
                                        "platform", "device",  "device_context", "targetsync"};
    if (!interop || property >= 0 || property < NW_IPR_FIRST)
        return NULL;
    return names[-property - 1];
}

NW_EXPORT const char *omp_get_interop_type_desc(nw_interop_t *interop, int property)
{
    if (!interop)
        return NULL;
    switch (nw_interop_type(property)) {
    case NW_IRC_TYPE_INT:
        return "omp_intptr_t";
    case NW_IRC_TYPE_STR:
        return "const char *";
    case NW_IRC_TYPE_PTR:
        return "void *";
    default:
        return NULL;
    }
}

NW_EXPORT const char *omp_get_interop_rc_desc(nw_interop_t *interop, int code)
{
    (void)interop;
    switch (code) {
    case NW_IRC_NO_VALUE:
        return "the property has no value for this object";
    case NW_IRC_SUCCESS:
        return "success";
    case NW_IRC_EMPTY:
        return "the object is omp_interop_none";
    case NW_IRC_OUT_OF_RANGE:
        return "there is no such property";
    case NW_IRC_TYPE_INT:
        return "the property is an integer";
    case NW_IRC_TYPE_PTR:
        return "the property is a pointer";
    case NW_IRC_TYPE_STR:
        return "the property is a string";
    case NW_IRC_OTHER:
        return "the runtime underneath the device failed";
    default:
        return NULL;
    }
}

NW_EXPORT int ompx_interop_add_completion_callback(nw_interop_t *interop, nw_interop_callback_t callback, void *data)
{
    if (!interop || !callback || nw_interop_add_callback(interop, callback, data) != NW_OK)
        return NW_IRC_OTHER;
    return NW_IRC_SUCCESS;
}
