/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The status table: values are part of what messages and tools rely on, and every status can be put into words. */
#include <string.h>

#include "support/harness.h"
#include "support/status.h"

static void values_are_pinned(void **state)
{
    (void)state;
    assert_int_equal(NW_OK, 0);
    assert_int_equal(NW_IN_PROGRESS, 1);
    assert_int_equal(NW_ERR_INVALID, -1);
    assert_int_equal(NW_ERR_NO_DEVICE, -2);
    assert_int_equal(NW_ERR_NOT_MAPPED, -3);
    assert_int_equal(NW_ERR_OVERLAP, -4);
    assert_int_equal(NW_ERR_NO_KERNEL, -5);
    assert_int_equal(NW_ERR_BAD_IMAGE, -6);
    assert_int_equal(NW_ERR_UNSUPPORTED, -7);
    assert_int_equal(NW_ERR_NO_MEMORY, -20);
    assert_int_equal(NW_ERR_SYSTEM, -21);
    assert_int_equal(NW_ERR_DEVICE_MEMORY, -40);
    assert_int_equal(NW_ERR_DEVICE, -41);
    assert_int_equal(NW_ERR_DEVICE_LOST, -42);
    assert_int_equal(NW_ERR_DEVICE_ADDRESS, -43);
    assert_int_equal(NW_ERR_FORKED, -44);
}

static const nw_status_t all[] = {
#define NW_STATUS(name, value, text) NW_##name,
#include "support/status.def"
#undef NW_STATUS
};

#define N_ALL (sizeof all / sizeof all[0])

static void every_status_has_a_text_of_its_own(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ALL; i++) {
        const char *text = nw_status_text(all[i]);
        assert_non_null(text);
        assert_true(strlen(text) > 3);
        assert_string_not_equal(text, "unknown status");
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(text, nw_status_text(all[k]));
    }
}

static void errors_are_negative(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ALL; i++)
        assert_true(all[i] < 0 || all[i] == NW_OK || all[i] == NW_IN_PROGRESS);
}

static void a_number_that_is_no_status_has_a_text_too(void **state)
{
    (void)state;
    /* Through a variable: the enumeration's type need not hold the value in UBSan's eyes. */
    int number = -30;
    nw_status_t status;
    memcpy(&status, &number, sizeof status);
    assert_string_equal(nw_status_text(status), "unknown status");
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_pinned),
        cmocka_unit_test(every_status_has_a_text_of_its_own),
        cmocka_unit_test(errors_are_negative),
        cmocka_unit_test(a_number_that_is_no_status_has_a_text_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
