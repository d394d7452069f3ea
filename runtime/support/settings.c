/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/settings.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "nowait/nowait.h"
#include "support/log.h"

typedef enum kind {
    KIND_FLAG,
    KIND_COUNT,
    KIND_TIME,
    KIND_SIZE,
    KIND_CHOICE,
    KIND_BITS,
    KIND_FACTOR,
    KIND_TEXT,
    KIND_ELSEWHERE
} kind_t;

/* Which programs obey a setting; see settings.def. */
typedef enum honoured { ALWAYS, UNLESS_SECURE } honoured_t;

typedef struct row {
    const char *name;
    kind_t kind;
    honoured_t honoured;
    void *field;
    int64_t min, max;
    double default_value;
    const char *choices; /* also: the range's and default's words of a setting that is read elsewhere */
    const char *default_words;
    const char *text;
    bool from_environment, ignored;
    char value_words[96];
    char range_words[96];
    char default_buffer[32];
} row_t;

nw_settings_t nw_settings = {
#define NW_FLAG(f, name, h, d, text) .f = (d),
#define NW_COUNT(f, name, h, d, min, max, text) .f = (d),
#define NW_TIME(f, name, h, d, max, text) .f = (d),
#define NW_SIZE(f, name, h, d, min, max, text) .f = (d),
#define NW_CHOICE(f, name, h, d, choices, text) .f = (d),
#define NW_BITS(f, name, h, d, text) .f = (d),
#define NW_FACTOR(f, name, h, d, text) .f = (d),
#define NW_TEXT(f, name, h, d, range, text) .f = (d),
#define NW_ELSEWHERE(name, h, d, range, text)
#include "support/settings.def"
#undef NW_FLAG
#undef NW_COUNT
#undef NW_TIME
#undef NW_SIZE
#undef NW_CHOICE
#undef NW_BITS
#undef NW_FACTOR
#undef NW_TEXT
#undef NW_ELSEWHERE
};

/* What the description says of each. */
#define TEXT_ALWAYS ""
#define TEXT_UNLESS_SECURE " Ignored in set-user-ID programs and the like."

#define ROW(n, h, t, k, ...) {.name = n, .honoured = h, .text = t TEXT_##h, .kind = k, __VA_ARGS__},

static row_t rows[] = {
#define NW_FLAG(f, n, h, d, t) ROW(n, h, t, KIND_FLAG, .field = &nw_settings.f, .max = 1, .default_value = d)
#define NW_COUNT(f, n, h, d, lo, hi, t) \
    ROW(n, h, t, KIND_COUNT, .field = &nw_settings.f, .min = lo, .max = hi, .default_value = d)
#define NW_TIME(f, n, h, d, hi, t) ROW(n, h, t, KIND_TIME, .field = &nw_settings.f, .max = hi, .default_value = d)
#define NW_SIZE(f, n, h, d, lo, hi, t) \
    ROW(n, h, t, KIND_SIZE, .field = &nw_settings.f, .min = lo, .max = hi, .default_value = d)
#define NW_CHOICE(f, n, h, d, c, t) ROW(n, h, t, KIND_CHOICE, .field = &nw_settings.f, .default_value = d, .choices = c)
#define NW_BITS(f, n, h, d, t) ROW(n, h, t, KIND_BITS, .field = &nw_settings.f, .default_value = d)
#define NW_FACTOR(f, n, h, d, t) ROW(n, h, t, KIND_FACTOR, .field = &nw_settings.f, .default_value = d)
#define NW_TEXT(f, n, h, d, r, t) ROW(n, h, t, KIND_TEXT, .field = &nw_settings.f, .default_words = d, .choices = r)
#define NW_ELSEWHERE(n, h, d, r, t) ROW(n, h, t, KIND_ELSEWHERE, .default_words = d, .choices = r)
#include "support/settings.def"
#undef NW_FLAG
#undef NW_COUNT
#undef NW_TIME
#undef NW_SIZE
#undef NW_CHOICE
#undef NW_BITS
#undef NW_FACTOR
#undef NW_TEXT
#undef NW_ELSEWHERE
};

#define N_ROWS (sizeof rows / sizeof rows[0])

static const char *const kind_names[] = {"flag", "count", "time", "size", "choice", "bits", "factor", "text", "text"};

/* Copies the i-th of "a|b|c" into buffer; false if there is none. */
static bool choice_name(const char *choices, int64_t i, char *buffer, size_t size)
{
    while (i > 0) {
        choices = strchr(choices, '|');
        if (!choices)
            return false;
        choices++;
        i--;
    }
    size_t length = strcspn(choices, "|");
    snprintf(buffer, size, "%.*s", (int)length, choices);
    return true;
}

static void print_time(int64_t ns, char *buffer, size_t size)
{
    if (ns && ns % 1000000 == 0)
        snprintf(buffer, size, "%" PRId64 "ms", ns / 1000000);
    else if (ns && ns % 1000 == 0)
        snprintf(buffer, size, "%" PRId64 "us", ns / 1000);
    else
        snprintf(buffer, size, "%" PRId64 "%s", ns, ns ? "ns" : "");
}

/* The units of sizes, each 1024 times the one before. */
static const char size_units[] = "BKMG";

static void print_size(int64_t bytes, char *buffer, size_t size)
{
    unsigned unit = 0;
    for (; bytes && bytes % 1024 == 0 && size_units[unit + 1]; unit++)
        bytes /= 1024;
    snprintf(buffer, size, "%" PRId64 "%c", bytes, size_units[unit]);
}

/* The fewest digits that lead back to the number. */
static void print_factor(double factor, char *buffer, size_t size)
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(buffer, size, "%.*g", digits, factor);
        if (strtod(buffer, NULL) == factor)
            return;
    }
}

static void print_value(const row_t *row, int64_t whole, double real, char *buffer, size_t size)
{
    switch (row->kind) {
    case KIND_CHOICE:
        choice_name(row->choices, whole, buffer, size);
        break;
    case KIND_TIME:
        print_time(whole, buffer, size);
        break;
    case KIND_SIZE:
        print_size(whole, buffer, size);
        break;
    case KIND_BITS:
        snprintf(buffer, size, "0x%" PRIx64, (uint64_t)whole);
        break;
    case KIND_FACTOR:
        print_factor(real, buffer, size);
        break;
    default:
        snprintf(buffer, size, "%" PRId64, whole);
    }
}

static void print_range(row_t *row)
{
    char *buffer = row->range_words;
    size_t size = sizeof row->range_words;
    char least[32], most[32];
    switch (row->kind) {
    case KIND_FLAG:
        snprintf(buffer, size, "0|1");
        break;
    case KIND_COUNT:
        snprintf(buffer, size, "%" PRId64 " to %" PRId64, row->min, row->max);
        break;
    case KIND_TIME:
        print_time(row->max, most, sizeof most);
        snprintf(buffer, size, "0 to %s (units ns, us, ms, s)", most);
        break;
    case KIND_SIZE:
        print_size(row->min, least, sizeof least);
        print_size(row->max, most, sizeof most);
        snprintf(buffer, size, "%s to %s (units B, K, M, G)", least, most);
        break;
    case KIND_BITS:
        snprintf(buffer, size, "a number, or -1 for all bits");
        break;
    case KIND_FACTOR:
        snprintf(buffer, size, "0 to 1");
        break;
    case KIND_CHOICE:
    case KIND_TEXT:
    case KIND_ELSEWHERE:
        snprintf(buffer, size, "%s", row->choices);
        break;
    }
}

static bool parse_flag(const char *text, int64_t *value_p)
{
    static const char *const yes[] = {"1", "true", "on", "yes"}, *const no[] = {"0", "false", "off", "no"};
    for (size_t i = 0; i < 4; i++) {
        if (!strcasecmp(text, yes[i]) || !strcasecmp(text, no[i])) {
            *value_p = !strcasecmp(text, yes[i]);
            return true;
        }
    }
    return false;
}

static bool parse_whole(const char *text, int base, const char **end_p, int64_t *value_p)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, base);
    if (end == text || errno == ERANGE)
        return false;
    *end_p = end;
    *value_p = value;
    return true;
}

static bool parse_time(const char *text, int64_t max, int64_t *value_p)
{
    static const struct unit {
        const char *name;
        int64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    const char *end;
    int64_t number;
    if (!parse_whole(text, 10, &end, &number) || number < 0)
        return false;
    if (*end == '\0' && number == 0) {
        *value_p = 0;
        return true;
    }
    for (size_t i = 0; i < 4; i++) {
        if (!strcasecmp(end, units[i].name) && number <= max / units[i].ns) {
            *value_p = number * units[i].ns;
            return true;
        }
    }
    return false;
}

/* OpenMP 5.2, 21.2.2: blanks may be around the number and its unit. */
static bool parse_size(const char *text, int64_t min, int64_t max, int64_t *value_p)
{
    const char *end;
    int64_t bytes, factor = 1024;
    if (!parse_whole(text, 10, &end, &bytes) || bytes < 0)
        return false;
    end += strspn(end, " \t");
    const char *unit = *end ? strchr(size_units, toupper((unsigned char)*end)) : NULL;
    if (unit) {
        factor = (int64_t)1 << 10 * (unit - size_units);
        end++;
    }
    end += strspn(end, " \t");
    if (*end || bytes > max / factor || bytes * factor < min)
        return false;
    *value_p = bytes * factor;
    return true;
}

static bool parse_choice(const char *choices, const char *text, int64_t *value_p)
{
    char name[64];
    for (int64_t i = 0; choice_name(choices, i, name, sizeof name); i++) {
        if (!strcasecmp(name, text)) {
            *value_p = i;
            return true;
        }
    }
    return false;
}

static bool parse_row(const row_t *row, const char *text)
{
    int64_t whole = 0;
    const char *end = "";
    char *real_end;
    bool good = false;
    switch (row->kind) {
    case KIND_FLAG:
        good = parse_flag(text, &whole);
        if (good)
            *(bool *)row->field = whole != 0;
        return good;
    case KIND_COUNT:
        good = parse_whole(text, 10, &end, &whole) && !*end && whole >= row->min && whole <= row->max;
        break;
    case KIND_TIME:
        good = parse_time(text, row->max, &whole);
        break;
    case KIND_SIZE:
        good = parse_size(text, row->min, row->max, &whole);
        break;
    case KIND_CHOICE:
        good = parse_choice(row->choices, text, &whole);
        break;
    case KIND_BITS:
        good = parse_whole(text, 0, &end, &whole) && !*end;
        break;
    case KIND_FACTOR: {
        double real = strtod(text, &real_end);
        good = real_end != text && !*real_end && real >= 0.0 && real <= 1.0;
        if (good)
            *(double *)row->field = real;
        return good;
    }
    case KIND_TEXT:
        *(const char **)row->field = text;
        return true;
    case KIND_ELSEWHERE:
        return true;
    }
    if (good)
        *(int64_t *)row->field = whole;
    return good;
}

/* Levenshtein distance, cut off at names of 63 characters: used only to guess what a misspelt name meant. */
static size_t distance(const char *a, const char *b)
{
    size_t row[64], length = strlen(b);
    if (length > 63 || strlen(a) > 63)
        return 64;
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            size_t best = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            row[j] = best < change ? best : change;
        }
    }
    return row[length];
}

static void warn_of_unknown(const char *entry)
{
    char name[64];
    size_t length = strcspn(entry, "=");
    if (strncmp(entry, "NOWAIT_", 7) != 0 || length >= sizeof name)
        return;
    memcpy(name, entry, length);
    name[length] = '\0';
    const char *nearest = rows[0].name;
    for (size_t i = 0; i < N_ROWS; i++) {
        if (!strcmp(rows[i].name, name))
            return;
        if (distance(name, rows[i].name) < distance(name, nearest))
            nearest = rows[i].name;
    }
    nw_log(NW_LOG_WARNING, "unknown setting %s; the nearest is %s (nowait-info --settings lists all)", name, nearest);
}

/* Warnings come after all values have been read, so that NOWAIT_LOG already rules them. */
static void warn_of_values(const char *(*get)(const char *name), bool secure)
{
    for (size_t i = 0; i < N_ROWS; i++) {
        const row_t *row = &rows[i];
        const char *text = get(row->name);
        if (!text || !*text || row->from_environment)
            continue;
        if (row->ignored)
            nw_log(NW_LOG_WARNING, "%s is ignored: this program has rights that its caller may lack (set-user-ID, "
                   "set-group-ID or capabilities)", row->name);
        else
            nw_log(NW_LOG_WARNING, "%s%s%s is not one of: %s; using the default, %s", row->name, secure ? "" : "=",
                   secure ? "" : text, row->range_words, row->default_buffer);
    }
}

void nw_settings_init(const char *(*get)(const char *name), char **names, bool secure)
{
    for (size_t i = 0; i < N_ROWS; i++) {
        row_t *row = &rows[i];
        const char *text = get(row->name);
        print_range(row);
        if (row->kind < KIND_TEXT)
            print_value(row, (int64_t)row->default_value, row->default_value, row->default_buffer,
                        sizeof row->default_buffer);
        row->ignored = secure && row->honoured == UNLESS_SECURE;
        row->from_environment = text && *text && !row->ignored && parse_row(row, text);
    }
    warn_of_values(get, secure);
    for (char **entry = names; entry && *entry && !secure; entry++)
        warn_of_unknown(*entry);
}

static const char *get_from_environment(const char *name)
{
    return getenv(name);
}

void nw_settings_init_from_environment(void)
{
    nw_settings_init(get_from_environment, environ, getauxval(AT_SECURE) != 0);
}

void nw_settings_mend_libomps(void)
{
    /* What libomp takes for false, but for its abbreviations. */
    static const char *const words[] = {"0", "false", "f", "off", "no", "n", ".false.", ".f.", "disabled"};
    const char *helpers = getenv("LIBOMP_USE_HIDDEN_HELPER_TASK");
    bool off = false;
    for (size_t i = 0; helpers && i < sizeof words / sizeof words[0]; i++)
        off |= strcasecmp(helpers, words[i]) == 0;
    if (off)
        (void)setenv("LIBOMP_NUM_HIDDEN_HELPER_THREADS", "0", 0);
}

bool nw_settings_libomp_has_helpers(void)
{
    const char *number = getenv("LIBOMP_NUM_HIDDEN_HELPER_THREADS");
    return !number || atoi(number) != 0;
}

const char *nw_settings_default_device(void)
{
    const char *words = getenv("OMP_DEFAULT_DEVICE");
    return words && *words ? words : NULL;
}

bool nw_settings_libomp_binds(void)
{
    static const char *const names[] = {"OMP_PROC_BIND", "OMP_PLACES", "KMP_AFFINITY", "GOMP_CPU_AFFINITY"};
    const char *bind = getenv(names[0]);
    if (bind && strcasecmp(bind, "false") == 0)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = getenv(names[i]);
        if (text && *text)
            return true;
    }
    return false;
}

size_t nw_setting_count(void)
{
    return N_ROWS;
}

bool nw_setting_describe(size_t i, struct nowait_setting *setting_p)
{
    if (i >= N_ROWS)
        return false;
    row_t *row = &rows[i];
    setting_p->name = row->name;
    setting_p->type = kind_names[row->kind];
    setting_p->range = row->range_words;
    setting_p->text = row->text;
    setting_p->origin = row->from_environment ? "environment" : "default";
    if (row->kind == KIND_ELSEWHERE) {
        const char *text = row->ignored ? NULL : getenv(row->name);
        setting_p->default_value = row->default_words;
        setting_p->value = text && *text ? text : row->default_words;
        return true;
    }
    if (row->kind == KIND_TEXT) {
        setting_p->default_value = row->default_words;
        setting_p->value = *(const char **)row->field;
        return true;
    }
    int64_t whole = row->kind == KIND_FLAG     ? (int64_t) * (bool *)row->field
                    : row->kind == KIND_FACTOR ? 0
                                               : *(int64_t *)row->field;
    print_value(row, whole, row->kind == KIND_FACTOR ? *(double *)row->field : 0.0, row->value_words,
                sizeof row->value_words);
    setting_p->default_value = row->default_buffer;
    setting_p->value = row->value_words;
    return true;
}
