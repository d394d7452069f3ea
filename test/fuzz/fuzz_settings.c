/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The settings' parser. The input is an environment: lines NAME=value. */
#include <string.h>

#include "fuzz.h"
#include "nowait/nowait.h"
#include "support/settings.h"

enum { MAX_NAMES = 64 };

static char *names[MAX_NAMES + 1];

static const char *get(const char *name)
{
    size_t length = strlen(name);
    for (char **entry = names; *entry; entry++) {
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
            return *entry + length + 1;
    }
    return NULL;
}

static void check_values(void)
{
    struct nowait_setting setting;
    FUZZ_CHECK(nw_settings.completion >= 0 && nw_settings.completion <= NW_COMPLETION_BLOCK, "no completion mode");
    FUZZ_CHECK(nw_settings.log >= 0 && nw_settings.log <= 3, "no level");
    FUZZ_CHECK(nw_settings.host_devices >= 0 && nw_settings.host_devices <= 64, "too many devices");
    FUZZ_CHECK(nw_settings.host_workers >= 1 && nw_settings.host_workers <= 1024, "too many workers, or none");
    FUZZ_CHECK(nw_settings.spin >= 0 && nw_settings.spin <= 1000000000, "a time out of its range");
    FUZZ_CHECK(nw_settings.query_backoff >= 0.0 && nw_settings.query_backoff <= 1.0, "a factor out of its range");
    for (size_t i = 0; i < nw_setting_count(); i++) {
        FUZZ_CHECK(nw_setting_describe(i, &setting), "a setting without a description");
        FUZZ_CHECK(strlen(setting.name) > 0 && setting.value && strlen(setting.range) > 0, "an empty description");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static nw_settings_t defaults;
    static int started;
    if (!started++)
        defaults = nw_settings;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    size_t n = 0;
    for (char *line = text; line && n < MAX_NAMES;) {
        char *end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        names[n++] = line;
        line = end;
    }
    names[n] = NULL;
    /* Secure programs, too: twice, from the defaults on. */
    for (int secure = 1; secure >= 0; secure--) {
        nw_settings = defaults;
        nw_settings_init(get, names, secure);
        check_values();
    }
    free(text);
    return 0;
}
