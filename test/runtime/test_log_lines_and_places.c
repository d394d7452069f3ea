/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages: the form of a line, which levels print, and source places from well-formed and from damaged strings. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/harness.h"
#include "support/ident.h"
#include "support/info.h"
#include "support/log.h"
#include "support/settings.h"

static const nw_ident_t place = {.psource = ";src/app.c;work;120;7;;"};

static void lines_carry_kind_and_place(void **state)
{
    (void)state;
    nw_settings.log = NW_LOG_DEBUG;
    capture_begin();
    nw_log(NW_LOG_ERROR, "one %d", 1);
    nw_log(NW_LOG_WARNING, "two");
    nw_log_at(NW_LOG_INFO, &place, "three");
    nw_log_at(NW_LOG_DEBUG, NULL, "four");
    nw_log_at(NW_LOG_ERROR, &(nw_ident_t){.psource = NULL}, "five");
    nw_log_at(NW_LOG_ERROR, &(nw_ident_t){.psource = ";unknown;unknown;0;0;;"}, "six");
    assert_string_equal(capture_end(), "nowait: error: one 1\n"
                                       "nowait: warning: two\n"
                                       "nowait: info: src/app.c:120:7: three\n"
                                       "nowait: debug: four\n"
                                       "nowait: error: five\n"
                                       "nowait: error: six\n");
}

static void levels_below_the_setting_are_silent(void **state)
{
    (void)state;
    for (int64_t level = NW_LOG_ERROR; level <= NW_LOG_DEBUG; level++) {
        nw_settings.log = level;
        capture_begin();
        nw_log(NW_LOG_ERROR, "x");
        nw_log(NW_LOG_WARNING, "x");
        nw_log_at(NW_LOG_INFO, &place, "x");
        nw_log_at(NW_LOG_DEBUG, &place, "x");
        assert_int_equal(count_lines(capture_end()), level + 1);
    }
}

static void a_message_of_any_length_is_one_line(void **state)
{
    (void)state;
    static char text[5000];
    nw_settings.log = NW_LOG_WARNING;
    for (size_t length = 900; length < 1100; length++) {
        memset(text, 'a', length);
        text[length] = '\0';
        capture_begin();
        nw_log_at(NW_LOG_ERROR, &place, "%s", text);
        const char *line = capture_end();
        assert_int_equal(count_lines(line), 1);
        assert_int_equal(line[strlen(line) - 1], '\n');
        assert_true(strlen(line) <= 1024);
    }
    memset(text, 'a', sizeof text - 1);
    capture_begin();
    nw_log(NW_LOG_ERROR, "%s", text);
    assert_int_equal(count_lines(capture_end()), 1);
}

static void info_lines_have_llvms_form(void **state)
{
    (void)state;
    capture_begin();
    nw_info(2, "Mapping exists with %s", "x");
    assert_string_equal(capture_end(), "omptarget device 2 info: Mapping exists with x\n");
    capture_begin();
    nw_info_of_plugin(1, "Launching kernel %s", "k");
    assert_string_equal(capture_end(), "\"PluginInterface\" device 1 info: Launching kernel k\n");
}

static void places_are_found(void **state)
{
    (void)state;
    char buffer[64];
    assert_true(nw_source_location(";src/app.c;work;120;7;;", buffer, sizeof buffer));
    assert_string_equal(buffer, "src/app.c:120:7");
    assert_true(nw_source_location(";a;;1;2;;", buffer, sizeof buffer));
    assert_string_equal(buffer, "a:1:2");
    assert_true(nw_source_location(";unknown.c;f;1;2;;", buffer, sizeof buffer));
    assert_string_equal(buffer, "unknown.c:1:2");
}

static void places_fit_any_buffer(void **state)
{
    (void)state;
    for (size_t size = 1; size < 20; size++) {
        char *buffer = malloc(size);
        assert_non_null(buffer);
        assert_true(nw_source_location(";src/app.c;work;120;7;;", buffer, size));
        assert_int_equal(strlen(buffer), size - 1 < 15 ? size - 1 : 15);
        free(buffer);
    }
}

static void junk_is_no_place(void **state)
{
    (void)state;
    static const char *const junk[] = {NULL, "", ";", ";;", ";;;;;;", "a.c;f;1;2;;", ";a.c", ";a.c;", ";a.c;f;1",
                                       ";a.c;f;1;2", "a", ";unknown;unknown;0;0;;", ";;f;1;2;;", "\xff\xfe"};
    char buffer[64];
    for (size_t i = 0; i < sizeof junk / sizeof junk[0]; i++) {
        strcpy(buffer, "untouched");
        assert_false(nw_source_location(junk[i], buffer, sizeof buffer));
        assert_string_equal(buffer, "untouched");
    }
}

static void places_cut_anywhere_are_read_within_their_bounds(void **state)
{
    (void)state;
    static const char whole[] = ";src/app.c;work;120;7;;";
    char buffer[64];
    for (size_t length = 0; length < sizeof whole; length++) {
        char *cut = malloc(length + 1);
        assert_non_null(cut);
        memcpy(cut, whole, length);
        cut[length] = '\0';
        assert_int_equal(nw_source_location(cut, buffer, sizeof buffer), length == sizeof whole - 1);
        free(cut);
    }
    uint64_t random = 7;
    for (int i = 0; i < 20000; i++) {
        char text[24];
        size_t length = random_below(&random, sizeof text);
        for (size_t k = 0; k < length; k++)
            text[k] = ";;;a1\xff u"[random_below(&random, 8)];
        text[length] = '\0';
        nw_source_location(text, buffer, sizeof buffer);
    }
}

static void die(void)
{
    nw_fatal(&place, "cannot go on with %d", 5);
}

static void fatal_errors_name_the_place_and_exit_with_1(void **state)
{
    (void)state;
    assert_fatal(die, "nowait: error: src/app.c:120:7: cannot go on with 5\n");
}

static void at_exit(void)
{
    nw_log(NW_LOG_ERROR, "a handler ran");
}

static void die_with_handler_and_output(void)
{
    atexit(at_exit);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    setvbuf(stdout, NULL, _IOFBF, 4096);
    printf("what the program has printed\n");
    assert_false(nw_is_dying());
    die();
}

/* Handlers would wait for the region that has just failed. */
static void fatal_errors_run_no_exit_handlers_and_lose_no_output(void **state)
{
    (void)state;
    const char *text;
    assert_int_equal(run_in_child(die_with_handler_and_output, &text), 1);
    assert_null(strstr(text, "a handler ran"));
    assert_non_null(strstr(text, "what the program has printed\n"));
}

static void die_with_details(void)
{
    nw_settings.fatal = NW_FATAL_ABORT;
    nw_log_llvm("message: %d is not present", 4);
    die_with_handler_and_output();
}

/* Programs that look for LLVM's lines and its way to end find them when they ask for it. */
static void fatal_errors_can_abort_with_llvms_lines(void **state)
{
    (void)state;
    const char *text;
    assert_int_equal(run_in_child(die_with_details, &text), 128 + SIGABRT);
    assert_string_equal(text, "omptarget message: 4 is not present\n"
                              "nowait: error: src/app.c:120:7: cannot go on with 5\n"
                              "omptarget fatal error 1: failure of target construct while offloading is mandatory\n"
                              "what the program has printed\n");
}

static void details_are_left_out_otherwise(void **state)
{
    (void)state;
    nw_settings.fatal = NW_FATAL_EXIT;
    capture_begin();
    nw_log_llvm("message: %d is not present", 4);
    assert_string_equal(capture_end(), "");
}

static void *die_in_thread(void *unused)
{
    (void)unused;
    die();
    return NULL;
}

static void die_in_several_threads(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, die_in_thread, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

static void only_the_first_fatal_error_is_told(void **state)
{
    (void)state;
    assert_fatal(die_in_several_threads, "cannot go on");
}

static void break_assertion(void)
{
    int two = 2;
    NW_ASSERT_ALWAYS(two == 3);
}

static void broken_assertions_say_what_and_where(void **state)
{
    (void)state;
    assert_fatal(break_assertion, "internal error: two == 3 is false");
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_carry_kind_and_place),
        cmocka_unit_test(levels_below_the_setting_are_silent),
        cmocka_unit_test(a_message_of_any_length_is_one_line),
        cmocka_unit_test(info_lines_have_llvms_form),
        cmocka_unit_test(places_are_found),
        cmocka_unit_test(places_fit_any_buffer),
        cmocka_unit_test(junk_is_no_place),
        cmocka_unit_test(places_cut_anywhere_are_read_within_their_bounds),
        cmocka_unit_test(fatal_errors_name_the_place_and_exit_with_1),
        cmocka_unit_test(fatal_errors_run_no_exit_handlers_and_lose_no_output),
        cmocka_unit_test(fatal_errors_can_abort_with_llvms_lines),
        cmocka_unit_test(details_are_left_out_otherwise),
        cmocka_unit_test(only_the_first_fatal_error_is_told),
        cmocka_unit_test(broken_assertions_say_what_and_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
