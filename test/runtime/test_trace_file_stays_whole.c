/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The trace's file: a JSON array at any moment, whatever ends the process. Each case runs in a child, which leaves the
 * file behind; the parent looks at its lines. (That they are JSON, too, is checked end to end.)
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/clock.h"
#include "support/harness.h"
#include "support/settings.h"
#include "support/trace.h"
#include "support/trace_place.h"
#include "support/trace_text.h"

static char path[64];

/* What a file holds. */
typedef struct contents {
    size_t size, n_events, n_named; /* events: lines in braces; named: of those whose name is `mark` */
    bool whole;                     /* begins and ends as an array, all lines but the last end in a comma */
} contents_t;

#define MARK "\"name\":\"kernel app.c:12\""

static contents_t look(void)
{
    contents_t found = {.whole = true};
    struct stat info;
    int file = open(path, O_RDONLY);
    assert_true(file >= 0 && fstat(file, &info) == 0);
    found.size = (size_t)info.st_size;
    char *bytes = calloc(1, found.size + 1);
    assert_int_equal(read(file, bytes, found.size), (ssize_t)found.size);
    close(file);
    assert_int_equal(strlen(bytes), found.size);
    char *end = bytes + found.size, *previous_end = NULL;
    found.whole &= found.size > 4 && !strncmp(bytes, "[\n", 2) && !strcmp(end - 3, "\n]\n");
    for (char *line = strtok(bytes, "\n"); line; line = strtok(NULL, "\n")) {
        line += strspn(line, " ");
        if (*line != '{')
            continue;
        if (previous_end)
            found.whole &= *previous_end == ',';
        found.n_events++;
        found.n_named += strstr(line, MARK) != NULL;
        previous_end = line + strlen(line) - 1;
        found.whole &= *previous_end == ',' || *previous_end == '}';
    }
    found.whole &= previous_end && *previous_end == '}';
    free(bytes);
    return found;
}

static const nw_ident_t place = {.psource = ";src/app.c;work;12;7;;"};

static void one_event(uint64_t op)
{
    int64_t now = nw_clock_ns();
    nw_trace_slice(&(nw_trace_event_t){.kind = NW_TRACE_KERNEL,
                                       .flow = NW_TRACE_FLOW_PASSES,
                                       .begin = now,
                                       .end = now + 5,
                                       .op = op,
                                       .loc = &place,
                                       .device = op % 2 ? NW_TRACE_THIS_THREAD : 0});
}

static void start(int64_t limit)
{
    nw_settings.trace = path;
    nw_settings.trace_limit = limit;
    nw_settings.log = 1;
    nw_trace_start();
}

/* Runs a case; returns how the child ended, as for run_in_child. */
static int run(void (*body)(void), const char **text_p)
{
    const char *text;
    unlink(path);
    return run_in_child(body, text_p ? text_p : &text);
}

static void *many_events(void *number)
{
    for (uint64_t i = 0; i < 2000; i++)
        one_event(i + (uint64_t)(uintptr_t)number);
    return NULL;
}

static void start_threads(pthread_t threads[static 6])
{
    for (uintptr_t i = 0; i < 6; i++)
        pthread_create(&threads[i], NULL, many_events, (void *)i);
}

static void threads_write_then_end(void)
{
    pthread_t threads[6];
    start(64);
    start_threads(threads);
    for (int i = 0; i < 6; i++)
        pthread_join(threads[i], NULL);
    nw_trace_end();
    one_event(1);
    _exit(0);
}

static void every_event_of_every_thread_is_there(void **state)
{
    (void)state;
    assert_int_equal(run(threads_write_then_end, NULL), 0);
    contents_t found = look();
    assert_true(found.whole);
    assert_int_equal(found.n_named, 12000);
}

static void *for_ever(void *unused)
{
    for (uint64_t i = 0;; i++)
        one_event(i);
    return unused;
}

static void end_while_threads_write(void)
{
    pthread_t threads[3];
    start(64);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, for_ever, NULL);
    usleep(3000);
    nw_trace_end();
    _exit(0);
}

static void ends_whole_while_threads_write(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(run(end_while_threads_write, NULL), 0);
        assert_true(look().whole);
    }
}

static _Atomic bool waits;

static void *one_and_wait(void *unused)
{
    one_event(1);
    atomic_store(&waits, true);
    pause();
    return unused;
}

static int end_by;

static void die(void)
{
    pthread_t thread;
    /* Sanitizers have a handler for some. */
    signal(end_by, SIG_DFL);
    start(64);
    for (uint64_t i = 0; i < 3000; i++)
        one_event(i);
    /* A thread that lives on, and has events in its buffer. */
    pthread_create(&thread, NULL, one_and_wait, NULL);
    while (!atomic_load(&waits))
        usleep(1000);
    if (end_by == SIGABRT)
        abort();
    raise(end_by);
}

static void is_whole_when_killed(void **state)
{
    (void)state;
    end_by = SIGKILL;
    assert_int_equal(run(die, NULL), 128 + SIGKILL);
    contents_t found = look();
    assert_true(found.whole);
    assert_true(found.n_named > 2000);
}

static void has_everything_when_a_signal_ends_the_program(void **state)
{
    static const int signals[] = {SIGABRT, SIGSEGV, SIGTERM, SIGINT};
    (void)state;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        end_by = signals[i];
        assert_int_equal(run(die, NULL), 128 + signals[i]);
        contents_t found = look();
        assert_true(found.whole);
        assert_int_equal(found.n_named, 3001);
    }
}

static void own_handler(int number)
{
    (void)number;
    _exit(42);
}

static void handle_a_signal(void)
{
    signal(SIGTERM, own_handler);
    start(64);
    raise(SIGTERM);
}

static void leaves_the_programs_handlers_alone(void **state)
{
    (void)state;
    assert_int_equal(run(handle_a_signal, NULL), 42);
    assert_true(look().whole);
}

static void write_too_much(void)
{
    start(1);
    for (uint64_t i = 0; i < 20000; i++)
        one_event(i);
    assert_false(nw_trace_on());
    nw_trace_end();
    _exit(0);
}

static void ends_at_its_limit(void **state)
{
    (void)state;
    const char *text;
    assert_int_equal(run(write_too_much, &text), 0);
    assert_non_null(strstr(text, "NOWAIT_TRACE_LIMIT"));
    assert_int_equal(count_lines(text), 1);
    contents_t found = look();
    assert_true(found.whole);
    assert_true(found.size <= 1 << 20 && found.n_named > 2000);
}

static void fork_and_write(void)
{
    int status;
    start(64);
    one_event(1);
    if (fork() == 0) {
        nw_trace_after_fork();
        for (uint64_t i = 0; i < 100; i++)
            one_event(i);
        nw_trace_end();
        _exit(0);
    }
    wait(&status);
    one_event(2);
    nw_trace_end();
    _exit(status);
}

static void a_child_process_writes_nothing(void **state)
{
    (void)state;
    assert_int_equal(run(fork_and_write, NULL), 0);
    contents_t found = look();
    assert_true(found.whole);
    assert_int_equal(found.n_named, 2);
}

static void open_nowhere(void)
{
    nw_settings.trace = "/nowhere/at/all.json";
    nw_trace_start();
    one_event(1);
    nw_trace_end();
    _exit(nw_trace_on());
}

static void a_path_that_fails_is_told_once(void **state)
{
    (void)state;
    const char *text;
    assert_int_equal(run(open_nowhere, &text), 0);
    assert_non_null(strstr(text, "NOWAIT_TRACE=/nowhere/at/all.json: No such file or directory"));
    assert_int_equal(count_lines(text), 1);
}

static const char *text_of(void (*put)(nw_trace_text_t *))
{
    static nw_trace_text_t text;
    text.used = 0;
    put(&text);
    text.bytes[text.used] = '\0';
    return text.bytes;
}

static const char *name_text(const char *name, size_t most)
{
    static nw_trace_text_t text;
    text.used = 0;
    nw_trace_text_name(&text, name, strlen(name), most);
    text.bytes[text.used] = '\0';
    return text.bytes;
}

static void names_are_json_whatever_they_hold(void **state)
{
    (void)state;
    assert_string_equal(name_text("plain", 50), "plain");
    assert_string_equal(name_text("a\"b\\c\nd", 50), "a\\\"b\\\\c?d");
    assert_string_equal(name_text("\xc3\xa4 \xe2\x82\xac", 50), "\xc3\xa4 \xe2\x82\xac");
    assert_string_equal(name_text("\xe4 \xc3 \xed\xa0\x80", 50), "? ? ???");
    /* Never half a character, never half an escape. */
    for (size_t most = 4; most < 12; most++) {
        const char *text = name_text("\\\\\\\\\\\\\\\\", most);
        assert_int_equal(strlen(text) % 2, 0);
        assert_true(strlen(text) <= most);
    }
}

static void put_numbers(nw_trace_text_t *text)
{
    static const uint64_t numbers[] = {0, 9, 10, 99, 100, 1234567, 99999999, 100000000, 1020030004, UINT64_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        nw_trace_text_number(text, numbers[i]);
        nw_trace_text_character(text, ' ');
    }
    nw_trace_text_time(text, 1234567);
    nw_trace_text_character(text, ' ');
    nw_trace_text_time(text, 7);
    nw_trace_text_character(text, ' ');
    nw_trace_text_time(text, -7);
}

static void put_places(nw_trace_text_t *text)
{
    static const char *const sources[] = {";dir/app.c;f;12;3;;", ";unknown;unknown;0;0;;", ";broken", NULL};
    for (size_t i = 0; i < 4; i++) {
        nw_ident_t loc = {.psource = sources[i]};
        nw_trace_text_place(text, &loc, "__omp_offloading_10301_3a2b_work_it_l77");
    }
    nw_trace_text_place(text, NULL, "other_name");
    nw_trace_text_place(text, NULL, NULL);
}

static void numbers_and_places_read_well(void **state)
{
    (void)state;
    assert_string_equal(text_of(put_numbers), "0 9 10 99 100 1234567 99999999 100000000 1020030004 "
                                              "18446744073709551615 1234.567 0.007 0.000");
    assert_string_equal(text_of(put_places), " app.c:12 work_it:77 work_it:77 work_it:77 other_name");
}

/* Every number of up to five digits, and some of each length. */
static void numbers_are_those_of_printf(void **state)
{
    (void)state;
    nw_trace_text_t text;
    char expected[32];
    uint64_t random = 7;
    for (uint64_t i = 0; i < 200000; i++) {
        uint64_t number = i < 100000 ? i : ((uint64_t)random_next(&random) << 32 | random_next(&random)) >> i % 64;
        text.used = 0;
        nw_trace_text_number(&text, number);
        text.bytes[text.used] = '\0';
        snprintf(expected, sizeof expected, "%llu", (unsigned long long)number);
        assert_string_equal(text.bytes, expected);
    }
}

/* As when a library is closed, and another one's names come to lie where its were. */
static void remembered_places_are_those_of_now(void **state)
{
    (void)state;
    static char source[] = ";dir/app.c;f;12;3;;", kernel[] = "__omp_offloading_10301_3a2b_work_it_l77";
    static const nw_ident_t none = {.psource = ";unknown;unknown;0;0;;"};
    const nw_ident_t loc = {.psource = source};
    nw_trace_text_t text = {0};
    for (int i = 0; i < 4; i++) {
        nw_trace_place_put(&text, &loc, kernel);
        nw_trace_place_put(&text, &none, kernel);
        nw_trace_place_put(&text, NULL, NULL);
        if (i == 1)
            memcpy(strstr(source, "12"), "34", 2), memcpy(strstr(kernel, "77"), "88", 2);
    }
    text.bytes[text.used] = '\0';
    assert_string_equal(text.bytes,
                        " app.c:12 work_it:77 app.c:12 work_it:77 app.c:34 work_it:88 app.c:34 work_it:88");
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    snprintf(path, sizeof path, "/tmp/nowait-trace-test-%d.json", (int)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event_of_every_thread_is_there),
        cmocka_unit_test(ends_whole_while_threads_write),
        cmocka_unit_test(is_whole_when_killed),
        cmocka_unit_test(has_everything_when_a_signal_ends_the_program),
        cmocka_unit_test(leaves_the_programs_handlers_alone),
        cmocka_unit_test(ends_at_its_limit),
        cmocka_unit_test(a_child_process_writes_nothing),
        cmocka_unit_test(a_path_that_fails_is_told_once),
        cmocka_unit_test(names_are_json_whatever_they_hold),
        cmocka_unit_test(numbers_and_places_read_well),
        cmocka_unit_test(numbers_are_those_of_printf),
        cmocka_unit_test(remembered_places_are_those_of_now),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
