/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/harness.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char captured[65536];
static FILE *capture_file;
static int saved_stderr = -1;

static void bark(int sig)
{
    static const char text[] = "watchdog: the test hangs\n";
    (void)sig;
    if (write(saved_stderr >= 0 ? saved_stderr : STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(4);
    _exit(3);
}

void watchdog(unsigned seconds)
{
    signal(SIGALRM, bark);
    alarm(seconds);
}

void capture_begin(void)
{
    fflush(stderr);
    capture_file = tmpfile();
    assert_non_null(capture_file);
    saved_stderr = dup(STDERR_FILENO);
    assert_true(saved_stderr >= 0);
    assert_true(dup2(fileno(capture_file), STDERR_FILENO) >= 0);
}

static void read_captured(FILE *file)
{
    rewind(file);
    size_t length = fread(captured, 1, sizeof captured - 1, file);
    captured[length] = '\0';
    fclose(file);
}

const char *capture_end(void)
{
    fflush(stderr);
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    saved_stderr = -1;
    read_captured(capture_file);
    return captured;
}

size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

int run_in_child(void (*body)(void), const char **text_p)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(fileno(file), STDERR_FILENO);
        /* The alarm is not inherited. */
        watchdog(WATCHDOG_SECONDS / 2);
        body();
        fflush(NULL);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    read_captured(file);
    *text_p = captured;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void assert_fatal(void (*body)(void), const char *words)
{
    const char *text;
    int status = run_in_child(body, &text);
    if (status != 1 || count_lines(text) != 1 || !strstr(text, words) || strncmp(text, "nowait: error: ", 15) != 0)
        fail_msg("expected exit status 1 and one line with \"%s\"; got %d and:\n%s", words, status, text);
}

uint32_t random_next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}
