/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * nowait-info: what the installed runtime is, which devices it sees, and which settings are in force. It links
 * libnowait and libomp in the order that nowait-clang does, so it sees what a program would see.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nowait/abi.h"
#include "nowait/nowait.h"
#include "trace_summary.h"

static const char usage[] = "usage: nowait-info [--version | --devices | --settings | --markdown | --man | --help]\n"
                            "       nowait-info --trace FILE\n"
                            "\n"
                            "Prints versions, devices and settings of the nowait runtime.\n"
                            "\n"
                            "  --version    versions, plugins and devices\n"
                            "  --devices    devices only\n"
                            "  --settings   settings only, each with its range and meaning\n"
                            "  --markdown   the settings as a Markdown table, for the manual\n"
                            "  --man        the settings as a manual page\n"
                            "  --trace FILE sums up what NOWAIT_TRACE=FILE has written: the busiest regions, the time\n"
                            "               outstanding and in flight, what waited for what\n"
                            "  --help       this text\n";

static void print_versions(void)
{
    printf("nowait %s\n", nowait_version());
    printf("plugin contract %u\n", nowait_abi_version());
    printf("OpenMP runtime %s\n", nowait_libomp_description());
    if (nowait_abi_version() != NOWAIT_ABI_VERSION)
        fprintf(stderr,
                "nowait-info: the library serves plugin contract %u, this program was built for %u: "
                "two versions of nowait are mixed; install one\n",
                nowait_abi_version(), NOWAIT_ABI_VERSION);
}

/* Prints which of the plugins lie beside the library that this program has loaded. */
static void print_plugins(void)
{
    static const int majors[] = {NOWAIT_LLVM_MAJORS};
    Dl_info library;
    if (dladdr((void *)nowait_version, &library) == 0)
        return;
    size_t folder = strlen(library.dli_fname) - strlen(strrchr(library.dli_fname, '/'));
    for (size_t i = 0; i < sizeof(majors) / sizeof(majors[0]); i++) {
        char *path = NULL;
        if (asprintf(&path, "%.*s/nowait-clang-%d.so", (int)folder, library.dli_fname, majors[i]) < 0)
            return;
        if (access(path, R_OK) == 0)
            printf("plugin for LLVM %d: %s\n", majors[i], path);
        else
            printf("plugin for LLVM %d: not installed\n", majors[i]);
        free(path);
    }
}

static void print_devices(void)
{
    int count = nowait_device_count();
    if (count == 0)
        puts("no devices: target regions run on the host");
    for (int i = 0; i < count; i++) {
        struct nowait_device device;
        if (nowait_device_get(i, &device) == 0)
            printf("device %d: %s, %s\n", device.number, device.kind, device.name);
    }
}

static size_t longest(size_t so_far, const char *text)
{
    size_t length = strlen(text);
    return length > so_far ? length : so_far;
}

/* Prints the text between columns `indent` and 100, broken at spaces. */
static void print_wrapped(size_t indent, const char *text)
{
    size_t column = 0;
    while (*text != '\0') {
        size_t word = strcspn(text, " ");
        if (column != 0 && column + 1 + word > 100) {
            putchar('\n');
            column = 0;
        }
        if (column == 0)
            column = (size_t)printf("%*s", (int)indent, "");
        else
            column += (size_t)printf(" ");
        column += (size_t)printf("%.*s", (int)word, text);
        text += word + strspn(text + word, " ");
    }
    putchar('\n');
}

static void print_settings(bool explain)
{
    struct nowait_setting setting;
    size_t name_width = 0;
    size_t value_width = 0;
    for (size_t i = 0; nowait_setting_get(i, &setting) == 0; i++) {
        name_width = longest(name_width, setting.name);
        value_width = longest(value_width, setting.value);
    }
    for (size_t i = 0; nowait_setting_get(i, &setting) == 0; i++) {
        printf("%-*s  %-*s  (%s)\n", (int)name_width, setting.name, (int)value_width, setting.value, setting.origin);
        if (explain) {
            print_wrapped(4, setting.text);
            printf("    %s: %s; default %s\n", setting.type, setting.range,
                   *setting.default_value != '\0' ? setting.default_value : "none");
        }
    }
}

/* Prints a cell of a Markdown table, in which a bar would end the cell. */
static void print_cell(const char *quote, const char *text)
{
    if (*text == '\0')
        quote = "";
    printf("| %s", quote);
    for (; *text != '\0'; text++)
        printf(*text == '|' ? "\\%c" : "%c", *text);
    printf("%s ", quote);
}

static void print_markdown(void)
{
    puts("| setting | values | default | meaning |");
    puts("| --- | --- | --- | --- |");
    struct nowait_setting setting;
    for (size_t i = 0; nowait_setting_get(i, &setting) == 0; i++) {
        print_cell("`", setting.name);
        print_cell("", setting.range);
        print_cell("`", setting.default_value);
        print_cell("", setting.text);
        puts("|");
    }
}

/* Prints text with what troff would take for its own made plain. */
static void print_roff(const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        if (*c == '-' || *c == '\\')
            printf("\\%c", *c == '-' ? '-' : 'e');
        else if ((*c == '.' || *c == '\'') && c == text)
            printf("\\&%c", *c);
        else
            putchar(*c);
}

static void print_man(void)
{
    printf(".\\\" Written by nowait-info --man.\n"
           ".TH NOWAIT-SETTINGS 7 \"\" \"nowait %s\" \"\"\n"
           ".SH NAME\nnowait\\-settings \\- environment variables of the nowait runtime\n"
           ".SH DESCRIPTION\n"
           "libnowait reads these when a program starts. A bad value, or a name that begins with NOWAIT_ and is none\n"
           "of these, gets one warning. nowait\\-info shows the values in force.\n"
           ".SH SETTINGS\n",
           nowait_version());
    struct nowait_setting setting;
    for (size_t i = 0; nowait_setting_get(i, &setting) == 0; i++) {
        printf(".TP\n.B %s\n", setting.name);
        print_roff(setting.text);
        printf("\n.br\nValues: ");
        print_roff(setting.range);
        printf("; default: ");
        print_roff(*setting.default_value != '\0' ? setting.default_value : "none");
        puts(".");
    }
    puts(".SH SEE ALSO\n.BR nowait\\-clang (1),\n.BR nowait\\-run (1),\n.BR nowait\\-info (1)");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    bool trace = strcmp(what, "--trace") == 0;
    int expected = trace ? 3 : 2;
    if (argc > expected || (trace && argc < 3) || strcmp(what, "--help") == 0) {
        bool wrong = strcmp(what, "--help") != 0 || argc > 2;
        fputs(usage, wrong ? stderr : stdout);
        return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
    }
    int status = EXIT_SUCCESS;
    if (trace) {
        status = trace_summary(argv[2]);
    } else if (strcmp(what, "--version") == 0) {
        print_versions();
        print_plugins();
        print_devices();
    } else if (strcmp(what, "--devices") == 0) {
        print_devices();
    } else if (strcmp(what, "--settings") == 0) {
        print_settings(true);
    } else if (strcmp(what, "--markdown") == 0) {
        print_markdown();
    } else if (strcmp(what, "--man") == 0) {
        print_man();
    } else if (*what == '\0') {
        print_versions();
        putchar('\n');
        print_devices();
        putchar('\n');
        print_settings(false);
    } else {
        fprintf(stderr, "nowait-info: unknown option %s: see nowait-info --help\n", what);
        return EXIT_FAILURE;
    }
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        perror("nowait-info: cannot write");
        return EXIT_FAILURE;
    }
    return status;
}
