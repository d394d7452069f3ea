/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cudaemu/settings.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudaemu/emu.h"
#include "cudaemu/fault.h"
#include "cudaemu/report.h"

settings_t emu_settings = {
    .devices = 1,
    .memory = UINT64_C(16) << 30,
    .spin_ns = 5000,
    .staging = 64 << 10,
    .driver_version = 13000,
    .free_waits = true,
    .peers = true,
    .write_value = true,
    .pools = true,
    .strict_context = true,
    .scrub = true,
};

static uint64_t number(const char *name, const char *text)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 0);
    if (!isdigit((unsigned char)*text) || *end)
        emu_die("%s: '%s' is not a number", name, text);
    return value;
}

static void read_number(const char *name, uint64_t *value_p, uint64_t least, uint64_t most)
{
    const char *text = getenv(name);
    if (!text)
        return;
    *value_p = number(name, text);
    if (*value_p < least || *value_p > most)
        emu_die("%s: %s is out of range", name, text);
}

static void read_flag(const char *name, bool *value_p)
{
    uint64_t value = *value_p;
    read_number(name, &value, 0, 1);
    *value_p = value;
}

/* "9.0", or one for each device: "9.0,8.6"; the last is also that of further devices. */
static void read_capabilities(void)
{
    const char *text = getenv("CUDAEMU_CAPABILITY");
    if (!text)
        text = "9.0";
    int major = 0, minor = 0, length = 0;
    for (size_t i = 0; i < MAX_DEVICES; i++) {
        if (*text) {
            if (sscanf(text, "%d.%d%n", &major, &minor, &length) != 2 || major < 1 || minor < 0 || minor > 9)
                emu_die("CUDAEMU_CAPABILITY: '%s' is not like 9.0,8.6", text);
            text += length;
            text += *text == ',';
        }
        emu_settings.capability[i] = 10 * major + minor;
    }
}

/* Calls `set` for each "name=value" of a list. */
static void read_list(const char *variable, void (*set)(const char *name, const char *value))
{
    const char *text = getenv(variable);
    char *list = text ? strdup(text) : NULL;
    if (!list)
        return;
    char *rest = list;
    for (char *item; (item = strsep(&rest, ",")) != NULL;) {
        char *equals = strrchr(item, '=');
        if (!equals || equals == item)
            emu_die("%s: '%s' is not name=value", variable, item);
        *equals = '\0';
        set(item, equals + 1);
    }
    free(list);
}

static void set_kernel_time(const char *pattern, const char *value)
{
    emu_kernel_time_add(pattern, number("CUDAEMU_KERNEL_NS", value));
}

static void set_delay(const char *name, const char *value)
{
    emu_delay_set(name, number("CUDAEMU_DELAY", value));
}

/* CUDAEMU_KERNEL_NS is one number, or a list of pattern=number. */
static void read_kernel_times(void)
{
    const char *text = getenv("CUDAEMU_KERNEL_NS");
    if (text && !strchr(text, '='))
        emu_settings.launch_ns = number("CUDAEMU_KERNEL_NS", text);
    else
        read_list("CUDAEMU_KERNEL_NS", set_kernel_time);
}

void emu_settings_read(void)
{
    read_number("CUDAEMU_DEVICES", &emu_settings.devices, 0, MAX_DEVICES);
    read_number("CUDAEMU_MEMORY", &emu_settings.memory, 0, UINT64_MAX);
    read_number("CUDAEMU_CONCURRENCY", &emu_settings.concurrency, 0, UINT64_MAX);
    read_number("CUDAEMU_COPY_NS", &emu_settings.copy_ns, 0, UINT64_MAX);
    read_number("CUDAEMU_COPY_BANDWIDTH", &emu_settings.copy_bandwidth, 0, UINT64_MAX);
    read_number("CUDAEMU_CALL_NS", &emu_settings.call_ns, 0, UINT64_MAX);
    read_number("CUDAEMU_SPIN_NS", &emu_settings.spin_ns, 0, UINT64_MAX);
    read_number("CUDAEMU_STAGING", &emu_settings.staging, 0, UINT64_MAX);
    read_number("CUDAEMU_DRIVER_VERSION", &emu_settings.driver_version, 1000, 99999);
    read_flag("CUDAEMU_FREE_WAITS", &emu_settings.free_waits);
    read_flag("CUDAEMU_ALLOC_WAITS", &emu_settings.alloc_waits);
    read_flag("CUDAEMU_PEERS", &emu_settings.peers);
    read_flag("CUDAEMU_WRITE_VALUE", &emu_settings.write_value);
    read_flag("CUDAEMU_POOLS", &emu_settings.pools);
    read_flag("CUDAEMU_STRICT_CONTEXT", &emu_settings.strict_context);
    read_flag("CUDAEMU_SCRUB", &emu_settings.scrub);
    emu_settings.skip = getenv("CUDAEMU_SKIP");
    read_capabilities();
    read_kernel_times();
    read_list("CUDAEMU_DELAY", set_delay);
    read_list("CUDAEMU_FAIL", emu_fault_parse);
    emu_report_to(getenv("CUDAEMU_REPORT"));
}
