// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an interop object says of itself: on each CPU device, on the initial device, and omp_interop_none. Types and
// return codes are those of OpenMP 5.2, 18.12. (Stock libomptarget 19 crashes in interop init on the CPU device.)
//
// REQUIRES: device-host
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

static void has_int(omp_interop_t object, omp_interop_property_t property, intptr_t expected)
{
    int code = 77;
    CHECK_EQ(omp_get_interop_int(object, property, &code), expected);
    CHECK_EQ(code, omp_irc_success);
    CHECK_EQ(omp_get_interop_int(object, property, NULL), expected);
    CHECK_EQ(strcmp(omp_get_interop_type_desc(object, property), "omp_intptr_t"), 0);
    CHECK_PTR_EQ(omp_get_interop_ptr(object, property, &code), NULL);
    CHECK_EQ(code, omp_irc_type_int);
    CHECK_PTR_EQ(omp_get_interop_str(object, property, &code), NULL);
    CHECK_EQ(code, omp_irc_type_int);
}

static void has_str(omp_interop_t object, omp_interop_property_t property, const char *expected)
{
    int code = 77;
    const char *text = omp_get_interop_str(object, property, &code);
    CHECK_EQ(code, omp_irc_success);
    CHECK_EQ(strcmp(text, expected), 0);
    CHECK_EQ(strcmp(omp_get_interop_type_desc(object, property), "const char *"), 0);
    CHECK_EQ(omp_get_interop_int(object, property, &code), 0);
    CHECK_EQ(code, omp_irc_type_str);
    CHECK_PTR_EQ(omp_get_interop_ptr(object, property, &code), NULL);
    CHECK_EQ(code, omp_irc_type_str);
}

static void has_ptr(omp_interop_t object, omp_interop_property_t property, int expected_code)
{
    int code = 77;
    void *pointer = omp_get_interop_ptr(object, property, &code);
    CHECK_EQ(code, expected_code);
    CHECK_EQ(pointer != NULL, expected_code == omp_irc_success);
    CHECK_EQ(strcmp(omp_get_interop_type_desc(object, property), "void *"), 0);
    CHECK_EQ(omp_get_interop_int(object, property, &code), 0);
    CHECK_EQ(code, omp_irc_type_ptr);
    CHECK_PTR_EQ(omp_get_interop_str(object, property, &code), NULL);
    CHECK_EQ(code, omp_irc_type_ptr);
}

static void is_out_of_range(omp_interop_t object, int property)
{
    int code = 77;
    CHECK_EQ(omp_get_interop_int(object, (omp_interop_property_t)property, &code), 0);
    CHECK_EQ(code, omp_irc_out_of_range);
    CHECK_PTR_EQ(omp_get_interop_ptr(object, (omp_interop_property_t)property, &code), NULL);
    CHECK_EQ(code, omp_irc_out_of_range);
    CHECK_PTR_EQ(omp_get_interop_str(object, (omp_interop_property_t)property, &code), NULL);
    CHECK_EQ(code, omp_irc_out_of_range);
    CHECK_PTR_EQ(omp_get_interop_name(object, (omp_interop_property_t)property), NULL);
    CHECK_PTR_EQ(omp_get_interop_type_desc(object, (omp_interop_property_t)property), NULL);
}

static void names(omp_interop_t object)
{
    static const char *const expected[] = {"fr_id",    "fr_name", "vendor",         "vendor_name", "device_num",
                                           "platform", "device",  "device_context", "targetsync"};
    for (int property = omp_ipr_first; property < 0; property++)
        CHECK_EQ(strcmp(omp_get_interop_name(object, (omp_interop_property_t)property), expected[-property - 1]), 0);
    CHECK_EQ(omp_get_num_interop_properties(object), 0);
}

static void describes(omp_interop_t object, int device, int is_device)
{
    CHECK_NE((intptr_t)object, (intptr_t)omp_interop_none);
    has_int(object, omp_ipr_device_num, device);
    has_int(object, omp_ipr_fr_id, 0);
    has_str(object, omp_ipr_fr_name, "none");
    has_int(object, omp_ipr_vendor, is_device ? 9 : 0);
    has_str(object, omp_ipr_vendor_name, is_device ? "llvm" : "unknown");
    has_ptr(object, omp_ipr_platform, omp_irc_no_value);
    has_ptr(object, omp_ipr_device, omp_irc_no_value);
    has_ptr(object, omp_ipr_device_context, omp_irc_no_value);
    has_ptr(object, omp_ipr_targetsync, is_device ? omp_irc_success : omp_irc_no_value);
    is_out_of_range(object, 0);
    is_out_of_range(object, 1000);
    is_out_of_range(object, omp_ipr_first - 1);
    names(object);
}

static void empty_object(void)
{
    int code = 77;
    omp_interop_t none = omp_interop_none;
    CHECK_EQ(omp_get_interop_int(none, omp_ipr_device_num, &code), 0);
    CHECK_EQ(code, omp_irc_empty);
    CHECK_PTR_EQ(omp_get_interop_ptr(none, omp_ipr_targetsync, &code), NULL);
    CHECK_EQ(code, omp_irc_empty);
    CHECK_PTR_EQ(omp_get_interop_str(none, omp_ipr_fr_name, &code), NULL);
    CHECK_EQ(code, omp_irc_empty);
    CHECK_PTR_EQ(omp_get_interop_name(none, omp_ipr_fr_id), NULL);
    for (code = omp_irc_other; code <= omp_irc_no_value; code++)
        CHECK_GE(strlen(omp_get_interop_rc_desc(none, (omp_interop_rc_t)code)), 5);
#pragma omp interop use(none)
#pragma omp interop destroy(none)
#pragma omp interop use(none) nowait
#pragma omp taskwait
}

int main(void)
{
    watchdog(40);
    int n = omp_get_num_devices();
    for (int device = 0; device <= n; device++) {
        omp_interop_t sync, plain;
#pragma omp interop init(targetsync : sync) device(device)
#pragma omp interop init(target : plain) device(device)
        describes(sync, device, device < n);
        describes(plain, device, device < n);
        CHECK_EQ(sync == plain, 0);
#pragma omp interop destroy(sync)
#pragma omp interop destroy(plain)
    }
    omp_interop_t of_default, preferred;
    omp_set_default_device(1);
#pragma omp interop init(targetsync : of_default)
#pragma omp interop init(prefer_type("cuda", 5), targetsync : preferred)
    describes(of_default, 1, 1);
    describes(preferred, 1, 1);
#pragma omp interop destroy(of_default)
#pragma omp interop destroy(preferred)
    empty_object();
    return 0;
}
