/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The settings' parser: good and bad values of each type, misspelt names, and silence about everything else. */
#include <stdio.h>
#include <string.h>

#include "nowait/nowait.h"
#include "support/harness.h"
#include "support/log.h"
#include "support/settings.h"

static char **environment; /* what get() answers from */

static const char *get(const char *name)
{
    size_t length = strlen(name);
    for (char **entry = environment; *entry; entry++) {
        if (!strncmp(*entry, name, length) && (*entry)[length] == '=')
            return *entry + length + 1;
    }
    return NULL;
}

/* Parses an environment from the defaults on; returns what was printed. */
static const char *parse_as(char **names, bool secure)
{
    static nw_settings_t defaults;
    static bool known;
    if (!known)
        defaults = nw_settings;
    known = true;
    nw_settings = defaults;
    environment = names;
    capture_begin();
    nw_settings_init(get, names, secure);
    return capture_end();
}

static const char *parse(char **names)
{
    return parse_as(names, false);
}

#define PARSE(...) parse((char *[]){__VA_ARGS__, NULL})

static struct nowait_setting find(const char *name)
{
    struct nowait_setting setting;
    for (size_t i = 0; nw_setting_describe(i, &setting); i++) {
        if (!strcmp(setting.name, name))
            return setting;
    }
    fail_msg("no setting %s", name);
    return setting;
}

static void an_empty_environment_leaves_defaults_and_says_nothing(void **state)
{
    (void)state;
    assert_string_equal(parse((char *[]){NULL}), "");
    assert_int_equal(nw_settings.completion, NW_COMPLETION_EVENT);
    assert_false(nw_settings.stats);
    assert_int_equal(nw_settings.log, NW_LOG_WARNING);
    assert_int_equal(nw_settings.host_devices, 4);
    assert_int_equal(nw_settings.spin, 20000);
    assert_int_equal(nw_settings.info, 0);
    assert_true(nw_settings.query_backoff == 0.5);
}

static void names_of_others_are_nobodys_business(void **state)
{
    (void)state;
    assert_string_equal(PARSE("PATH=/bin", "OMP_NUM_THREADS=x", "nowait_stats=1", "XNOWAIT_FOO=1", "NOWAIT=3", "junk"),
                        "");
}

static void empty_values_count_as_unset(void **state)
{
    (void)state;
    assert_string_equal(PARSE("NOWAIT_STATS=", "NOWAIT_COMPLETION=", "NOWAIT_HOST_WORKERS="), "");
    assert_int_equal(nw_settings.host_workers, 8);
}

static void flags_are_read(void **state)
{
    (void)state;
    static char *const yes[] = {"NOWAIT_STATS=1", "NOWAIT_STATS=true", "NOWAIT_STATS=ON", "NOWAIT_STATS=Yes"};
    static char *const no[] = {"NOWAIT_STATS=0", "NOWAIT_STATS=FALSE", "NOWAIT_STATS=off", "NOWAIT_STATS=no"};
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(PARSE(yes[i]), "");
        assert_true(nw_settings.stats);
        assert_string_equal(PARSE(no[i]), "");
        assert_false(nw_settings.stats);
    }
}

static void sizes_have_units_and_are_in_kib_without(void **state)
{
    (void)state;
    static const struct {
        char *entry;
        int64_t bytes;
    } good[] = {{"OMP_STACKSIZE=64M", (int64_t)64 << 20}, {"OMP_STACKSIZE=2000500B", 2000500},
                {"OMP_STACKSIZE=3000 k ", 3000 * 1024},   {"OMP_STACKSIZE= 10 M ", 10 << 20},
                {"OMP_STACKSIZE=20000", 20000 * 1024},    {"OMP_STACKSIZE=1g", 1 << 30},
                {"OMP_STACKSIZE=1024G", (int64_t)1 << 40}};
    static char *const bad[] = {"OMP_STACKSIZE=64MB", "OMP_STACKSIZE=-1M", "OMP_STACKSIZE=M", "OMP_STACKSIZE=1025G",
                                "OMP_STACKSIZE=9223372036854775807", "OMP_STACKSIZE=1 2", "OMP_STACKSIZE=16383B"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_string_equal(PARSE(good[i].entry), "");
        assert_int_equal(nw_settings.stack, good[i].bytes);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *said = PARSE(bad[i]);
        assert_int_equal(count_lines(said), 1);
        assert_non_null(strstr(said, "16K to 1024G (units B, K, M, G); using the default, 16M"));
        assert_int_equal(nw_settings.stack, 16 << 20);
    }
}

static void choices_are_read_in_any_case(void **state)
{
    (void)state;
    assert_string_equal(PARSE("NOWAIT_COMPLETION=requeue", "NOWAIT_LOG=Debug"), "");
    assert_int_equal(nw_settings.completion, NW_COMPLETION_REQUEUE);
    assert_int_equal(nw_settings.log, NW_LOG_DEBUG);
    assert_string_equal(PARSE("NOWAIT_COMPLETION=BLOCK"), "");
    assert_int_equal(nw_settings.completion, NW_COMPLETION_BLOCK);
}

static void counts_are_read_at_both_ends_of_their_range(void **state)
{
    (void)state;
    assert_string_equal(PARSE("NOWAIT_HOST_DEVICES=0", "NOWAIT_HOST_WORKERS=1024"), "");
    assert_int_equal(nw_settings.host_devices, 0);
    assert_int_equal(nw_settings.host_workers, 1024);
    assert_string_equal(PARSE("NOWAIT_HOST_DEVICES=64", "NOWAIT_HOST_WORKERS=1"), "");
    assert_int_equal(nw_settings.host_devices, 64);
}

static void times_are_read_with_their_units(void **state)
{
    (void)state;
    static const struct {
        char *entry;
        int64_t ns;
    } good[] = {{"NOWAIT_SPIN=0", 0},        {"NOWAIT_SPIN=7ns", 7},          {"NOWAIT_SPIN=20us", 20000},
                {"NOWAIT_SPIN=3MS", 3000000}, {"NOWAIT_SPIN=1s", 1000000000}, {"NOWAIT_SPIN=0ms", 0}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_string_equal(PARSE(good[i].entry), "");
        assert_int_equal(nw_settings.spin, good[i].ns);
    }
}

static void bits_are_read_in_any_base(void **state)
{
    (void)state;
    assert_string_equal(PARSE("LIBOMPTARGET_INFO=0x1F"), "");
    assert_int_equal(nw_settings.info, 31);
    assert_string_equal(PARSE("LIBOMPTARGET_INFO=-1"), "");
    assert_int_equal(nw_settings.info, -1);
    assert_string_equal(PARSE("LIBOMPTARGET_INFO=16"), "");
    assert_int_equal(nw_settings.info, 16);
}

static void factors_are_read(void **state)
{
    (void)state;
    assert_string_equal(PARSE("OMPTARGET_QUERY_COUNT_BACKOFF_FACTOR=0.25"), "");
    assert_true(nw_settings.query_backoff == 0.25);
    assert_string_equal(PARSE("OMPTARGET_QUERY_COUNT_BACKOFF_FACTOR=0.123456789"), "");
    assert_string_equal(find("OMPTARGET_QUERY_COUNT_BACKOFF_FACTOR").value, "0.123456789");
    assert_string_equal(PARSE("OMPTARGET_QUERY_COUNT_BACKOFF_FACTOR=1"), "");
    assert_true(nw_settings.query_backoff == 1.0);
}

static void bad_values_get_one_warning_and_the_default(void **state)
{
    (void)state;
    static char *const bad[] = {
        "NOWAIT_STATS=2",          "NOWAIT_STATS=yess",      "NOWAIT_COMPLETION=events",
        "NOWAIT_COMPLETION=event|block",
        "NOWAIT_COMPLETION=|",     "NOWAIT_LOG=3",           "NOWAIT_HOST_DEVICES=-1",   "NOWAIT_HOST_DEVICES=65",
        "NOWAIT_HOST_DEVICES=4x",  "NOWAIT_HOST_DEVICES=x4", "NOWAIT_HOST_WORKERS=0",    "NOWAIT_HOST_WORKERS=1025",
        "NOWAIT_SPIN=20",          "NOWAIT_SPIN=-1us",       "NOWAIT_SPIN=1 h",          "NOWAIT_SPIN=2s",
        "NOWAIT_SPIN=us",          "LIBOMPTARGET_INFO=0xZ",  "NOWAIT_POOL_LIMIT=99999999999999999999",
        "NOWAIT_HOST_WORKERS=nan", "OMPTARGET_QUERY_COUNT_BACKOFF_FACTOR=1.5",
        "OMPTARGET_QUERY_COUNT_BACKOFF_FACTOR=nan", "OMPTARGET_QUERY_COUNT_BACKOFF_FACTOR=half",
        "OMPTARGET_QUERY_COUNT_BACKOFF_FACTOR=-0.1",
    };
    assert_string_equal(parse((char *[]){NULL}), "");
    nw_settings_t defaults = nw_settings;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *text = PARSE(bad[i]);
        if (count_lines(text) != 1 || strncmp(text, "nowait: warning: ", 17) != 0 || !strstr(text, bad[i]) ||
            !strstr(text, "using the default"))
            fail_msg("%s: printed \"%s\"", bad[i], text);
        assert_memory_equal(&nw_settings, &defaults, sizeof defaults);
    }
}

static void the_log_level_rules_the_parsers_own_warnings(void **state)
{
    (void)state;
    assert_string_equal(PARSE("NOWAIT_STATS=2", "NOWAIT_LOG=error"), "");
    assert_int_equal(count_lines(PARSE("NOWAIT_STATS=2", "NOWAIT_LOG=info")), 1);
}

static void a_misspelt_name_gets_one_warning_with_the_nearest(void **state)
{
    (void)state;
    static const struct {
        char *entry;
        const char *name, *nearest;
    } cases[] = {
        {"NOWAIT_STAT=1", "NOWAIT_STAT;", "NOWAIT_STATS "},
        {"NOWAIT_COMPLETON=block", "NOWAIT_COMPLETON;", "NOWAIT_COMPLETION "},
        {"NOWAIT_HOST_WORKER=2", "NOWAIT_HOST_WORKER;", "NOWAIT_HOST_WORKERS "},
        {"NOWAIT_SPINS", "NOWAIT_SPINS;", "NOWAIT_SPIN "},
        {"NOWAIT_", "NOWAIT_;", "nearest is NOWAIT_"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *text = PARSE(cases[i].entry);
        if (count_lines(text) != 1 || !strstr(text, cases[i].name) || !strstr(text, cases[i].nearest))
            fail_msg("%s: printed \"%s\"", cases[i].entry, text);
    }
}

static void names_beyond_all_length_do_no_harm(void **state)
{
    (void)state;
    static char names[3][400];
    for (size_t i = 0; i < 3; i++) {
        size_t length = i == 2 ? 380 : 62 + i;
        memset(names[i], 'X', length);
        memcpy(names[i], "NOWAIT_", 7);
        strcpy(names[i] + length, "=1");
    }
    const char *text = PARSE(names[0], names[1], names[2]);
    /* A name of more than 63 characters is too long to be a misspelling. */
    assert_in_range(count_lines(text), 1, 3);
}

static void tools_settings_are_not_parsed(void **state)
{
    (void)state;
    assert_string_equal(PARSE("OMP_TARGET_OFFLOAD=whatever", "NOWAIT_LLVM=7", "NOWAIT_CLANG=x"), "");
}

static void descriptions_say_value_and_origin(void **state)
{
    (void)state;
    assert_string_equal(PARSE("NOWAIT_SPIN=1500us", "NOWAIT_COMPLETION=block", "LIBOMPTARGET_INFO=17"), "");
    assert_string_equal(find("NOWAIT_SPIN").value, "1500us");
    assert_string_equal(find("NOWAIT_SPIN").default_value, "20us");
    assert_string_equal(find("NOWAIT_SPIN").origin, "environment");
    assert_string_equal(find("NOWAIT_COMPLETION").value, "block");
    assert_string_equal(find("NOWAIT_COMPLETION").range, "event|requeue|block");
    assert_string_equal(find("LIBOMPTARGET_INFO").value, "0x11");
    assert_string_equal(find("NOWAIT_HOST_DEVICES").origin, "default");
    assert_string_equal(find("NOWAIT_HOST_DEVICES").value, "4");
    assert_string_equal(find("OMPTARGET_QUERY_COUNT_BACKOFF_FACTOR").value, "0.5");
}

#define SECURE_WORDS "Ignored in set-user-ID programs"

/* A new row that names a file can't be forgotten: whatever holds a path is of this type. */
static void secure_programs_take_no_file_names(void **state)
{
    (void)state;
    static char entry[200];
    struct nowait_setting setting;
    size_t n = 0;
    for (size_t i = 0; nw_setting_describe(i, &setting); i++) {
        if (!strstr(setting.range, "path"))
            continue;
        n++;
        assert_non_null(strstr(setting.text, SECURE_WORDS));
        snprintf(entry, sizeof entry, "%s=/etc/shadow", setting.name);
        const char *said = parse_as((char *[]){entry, NULL}, true);
        assert_int_equal(count_lines(said), 1);
        assert_non_null(strstr(said, "is ignored: this program has rights that its caller may lack"));
        assert_null(strstr(said, "/etc/shadow"));
        assert_true(nw_setting_describe(i, &setting));
        assert_string_equal(setting.value, setting.default_value);
    }
    assert_true(n >= 3);
}

static void secure_programs_print_nothing_for_their_caller(void **state)
{
    (void)state;
    static char *const printing[] = {"NOWAIT_STATS=1", "NOWAIT_LOG=debug", "NOWAIT_FATAL=abort",
                                     "LIBOMPTARGET_INFO=-1"};
    parse_as((char *[]){NULL}, true);
    nw_settings_t defaults = nw_settings;
    for (size_t i = 0; i < sizeof printing / sizeof printing[0]; i++) {
        assert_int_equal(count_lines(parse_as((char *[]){printing[i], NULL}, true)), 1);
        assert_memory_equal(&nw_settings, &defaults, sizeof defaults);
    }
}

static void secure_programs_obey_what_only_tunes(void **state)
{
    (void)state;
    char *names[] = {"NOWAIT_HOST_DEVICES=2", "NOWAIT_COMPLETION=block", "NOWAIT_SPIN=0", NULL};
    assert_string_equal(parse_as(names, true), "");
    assert_int_equal(nw_settings.host_devices, 2);
    assert_int_equal(nw_settings.completion, NW_COMPLETION_BLOCK);
    assert_int_equal(nw_settings.spin, 0);
    const char *said = parse_as((char *[]){"NOWAIT_SPIN=caller's words", "NOWAIT_CALLERS=words", NULL}, true);
    assert_int_equal(count_lines(said), 1);
    assert_null(strstr(said, "words"));
}

/* nowait-info prints values in the parser's own form, so that they can be pasted. */
static void every_default_is_accepted_by_the_parser(void **state)
{
    (void)state;
    struct nowait_setting setting;
    static char entry[200];
    assert_false(nw_setting_describe(nw_setting_count(), &setting));
    for (size_t i = 0; i < nw_setting_count(); i++) {
        parse((char *[]){NULL});
        assert_true(nw_setting_describe(i, &setting));
        assert_true(strlen(setting.text) > 10);
        snprintf(entry, sizeof entry, "%s=%s", setting.name, setting.default_value);
        assert_string_equal(PARSE(entry), "");
        struct nowait_setting again;
        assert_true(nw_setting_describe(i, &again));
        if (strcmp(setting.type, "text") != 0)
            assert_string_equal(again.value, setting.default_value);
    }
}

/* Sets setting i to the word at [begin, end) of its range: nothing is said, and the value is the word. */
static void accepts(size_t i, const char *begin, const char *end)
{
    struct nowait_setting setting;
    char entry[200];
    assert_true(nw_setting_describe(i, &setting));
    snprintf(entry, sizeof entry, "%s=%.*s", setting.name, (int)(end - begin), begin);
    assert_string_equal(PARSE(entry), "");
    assert_true(nw_setting_describe(i, &setting));
    if (strcmp(setting.type, "text") == 0)
        return;
    assert_string_equal(setting.value, strchr(entry, '=') + 1);
    assert_string_equal(setting.origin, "environment");
}

static void both_ends_of_every_range_are_accepted(void **state)
{
    (void)state;
    struct nowait_setting setting;
    static char range[200];
    for (size_t i = 0; nw_setting_describe(i, &setting); i++) {
        /* "LEAST to MOST (units)", or "a|b|c"; what else there is has no ends. */
        snprintf(range, sizeof range, "%s", setting.range);
        char *to = strstr(range, " to ");
        if (to && strcmp(setting.type, "text") != 0) {
            accepts(i, range, to);
            accepts(i, to + 4, to + 4 + strcspn(to + 4, " "));
        }
        for (char *word = range; !to && strchr(range, '|') && *word; word += strspn(word, "|")) {
            char *end = word + strcspn(word, "|");
            accepts(i, word, end);
            word = end;
        }
    }
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_environment_leaves_defaults_and_says_nothing),
        cmocka_unit_test(names_of_others_are_nobodys_business),
        cmocka_unit_test(empty_values_count_as_unset),
        cmocka_unit_test(flags_are_read),
        cmocka_unit_test(sizes_have_units_and_are_in_kib_without),
        cmocka_unit_test(choices_are_read_in_any_case),
        cmocka_unit_test(counts_are_read_at_both_ends_of_their_range),
        cmocka_unit_test(times_are_read_with_their_units),
        cmocka_unit_test(bits_are_read_in_any_base),
        cmocka_unit_test(factors_are_read),
        cmocka_unit_test(bad_values_get_one_warning_and_the_default),
        cmocka_unit_test(the_log_level_rules_the_parsers_own_warnings),
        cmocka_unit_test(a_misspelt_name_gets_one_warning_with_the_nearest),
        cmocka_unit_test(names_beyond_all_length_do_no_harm),
        cmocka_unit_test(tools_settings_are_not_parsed),
        cmocka_unit_test(descriptions_say_value_and_origin),
        cmocka_unit_test(secure_programs_take_no_file_names),
        cmocka_unit_test(secure_programs_print_nothing_for_their_caller),
        cmocka_unit_test(secure_programs_obey_what_only_tunes),
        cmocka_unit_test(every_default_is_accepted_by_the_parser),
        cmocka_unit_test(both_ends_of_every_range_are_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
