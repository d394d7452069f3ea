/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "trace_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Regions and devices beyond these are left out: no trace has them, a damaged line may. */
#define MOST_OPS ((size_t)1 << 26)
#define MOST_DEVICES 64u
/* Process numbers in the trace above this are devices; see runtime/support/trace.c. */
#define DEVICE_PROCESSES 10000000u

static void *grown(void *items, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return items;
    size_t more = *room ? 2 * *room : 64;
    void *moved = realloc(items, more * size);
    if (!moved) {
        perror("nowait-info");
        exit(EXIT_FAILURE);
    }
    *room = more;
    return moved;
}

/* What follows `"key":` in the line; NULL if there is no such key. A name can't look like one: its quotes are
 * escaped. */
static const char *value_of(const char *line, const char *key)
{
    char mark[32];
    snprintf(mark, sizeof mark, "\"%s\":", key);
    const char *found = strstr(line, mark);
    return found ? found + strlen(mark) : NULL;
}

static bool number_of(const char *line, const char *key, double *number_p)
{
    const char *value = value_of(line, key);
    char *end;
    if (!value)
        return false;
    *number_p = strtod(value, &end);
    return end != value;
}

static uint64_t whole_of(const char *line, const char *key)
{
    const char *value = value_of(line, key);
    return value ? strtoull(value, NULL, 10) : 0;
}

/* Copies a string's value, with its escapes undone. */
static bool text_of(const char *line, const char *key, char *text, size_t size)
{
    const char *value = value_of(line, key);
    size_t used = 0;
    if (!value || *value++ != '"')
        return false;
    for (; *value && *value != '"'; value++) {
        if (*value == '\\' && value[1])
            value++;
        if (used + 1 < size)
            text[used++] = *value;
    }
    text[used] = '\0';
    return *value == '"';
}

static trace_op_t *op_at(trace_t *trace, uint64_t number)
{
    if (number == 0 || number >= MOST_OPS)
        return NULL;
    if (number >= trace->n_ops) {
        size_t room = trace->n_ops, before = room;
        while (room <= number)
            trace->ops = grown(trace->ops, room, &room, sizeof *trace->ops);
        memset(trace->ops + before, 0, (room - before) * sizeof *trace->ops);
        trace->n_ops = room;
    }
    return &trace->ops[number];
}

/* The place in "kernel app.c:12", after `words`. Places are few. */
static uint32_t place_in(trace_t *trace, const char *name, const char *words)
{
    size_t length = strlen(words);
    if (strncmp(name, words, length) != 0 || name[length] != ' ')
        return 0;
    const char *place = name + length + 1;
    for (size_t i = 1; i < trace->n_places; i++) {
        if (!strcmp(trace->places[i], place))
            return (uint32_t)i;
    }
    char **places = realloc(trace->places, (trace->n_places + 2) * sizeof *places);
    char *copy = strdup(place);
    if (!places || !copy) {
        perror("nowait-info");
        exit(EXIT_FAILURE);
    }
    if (trace->n_places == 0)
        places[trace->n_places++] = NULL;
    trace->places = places;
    places[trace->n_places] = copy;
    return (uint32_t)trace->n_places++;
}

static void add_interval(interval_list_t *list, double begin, double end)
{
    list->items = grown(list->items, list->n, &list->room, sizeof *list->items);
    list->items[list->n++] = (interval_t){begin, end};
}

static interval_list_t *device_of(trace_t *trace, const char *line)
{
    uint64_t process = whole_of(line, "pid");
    size_t device = (size_t)(process / DEVICE_PROCESSES);
    if (device == 0 || device > MOST_DEVICES)
        return NULL;
    if (!trace->devices)
        trace->devices = calloc(MOST_DEVICES, sizeof *trace->devices);
    if (!trace->devices)
        return NULL;
    if (device > trace->n_devices)
        trace->n_devices = device;
    return &trace->devices[device - 1];
}

static void read_slice(trace_t *trace, const char *line, const char *name, const char *category, double when)
{
    static const char *const kinds[] = {"construct", "dispatch",    "kernel",       "copies in",
                                        "copies out", "copies within", "post-process", "release"};
    double time;
    trace_op_t *op = op_at(trace, whole_of(line, "op"));
    if (!number_of(line, "dur", &time))
        return;
    if (!strcmp(category, "taskwait"))
        add_interval(&trace->taskwaits, when, when + time);
    if (!strcmp(category, "kernel") || !strcmp(category, "copy")) {
        interval_list_t *device = device_of(trace, line);
        if (device)
            add_interval(device, when, when + time);
    }
    if (when + time > trace->last)
        trace->last = when + time;
    if (!op)
        return;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && !op->place; i++)
        op->place = place_in(trace, name, kinds[i]);
    if (!strcmp(category, "construct")) {
        op->construct = time;
        op->handed_over = when + time;
    } else if (!strcmp(category, "dispatch")) {
        op->dispatched = when;
    } else if (!strcmp(category, "kernel")) {
        op->kernel += time;
    } else if (!strncmp(name, "copies in", 9)) {
        op->in += time;
        op->bytes_in += whole_of(line, "bytes");
    } else if (!strncmp(name, "copies out", 10)) {
        op->out += time;
        op->bytes_out += whole_of(line, "bytes");
    }
}

/* An end of something on a region's own track. */
static void read_end(trace_t *trace, const char *line, const char *name, bool begins, double when)
{
    trace_op_t *op = op_at(trace, whole_of(line, "op"));
    if (!op)
        return;
    double sign = begins ? -1.0 : 1.0;
    if (!strcmp(name, "wait")) {
        op->wait += sign * when;
    } else if (!strcmp(name, "queue")) {
        op->queue += sign * when;
    } else if (begins) {
        op->begun = true;
        op->begin = when;
    } else {
        op->ended = true;
        op->end = when;
    }
    if (!op->place)
        op->place = place_in(trace, name, "region");
}

static void read_edge(trace_t *trace, const char *line, double when)
{
    trace_edge_t edge = {.op = (uint32_t)whole_of(line, "op"), .next = (uint32_t)whole_of(line, "next"), .when = when};
    trace_op_t *next = op_at(trace, edge.next);
    if ((edge.op != 0 && !op_at(trace, edge.op)) || !next || !text_of(line, "why", edge.why, sizeof edge.why))
        return;
    /* The first may have moved the table. */
    next = op_at(trace, edge.next);
    trace->edges = grown(trace->edges, trace->n_edges, &trace->edges_room, sizeof *trace->edges);
    trace->edges[trace->n_edges++] = edge;
    if (!next->last_edge || trace->edges[next->last_edge - 1].when <= when)
        next->last_edge = trace->n_edges;
}

static void read_line(trace_t *trace, const char *line)
{
    char name[256], category[32], kind[4];
    double when;
    if (*line == ']')
        trace->complete = true;
    if (*line != '{')
        return;
    /* A line that has been cut has no closing brace. */
    const char *end = strrchr(line, '}');
    if (!end || !text_of(line, "name", name, sizeof name) || !text_of(line, "ph", kind, sizeof kind)) {
        trace->n_damaged++;
        return;
    }
    trace->n_events++;
    if (*kind == 'M') {
        trace->is_trace |= !strcmp(name, "nowait_trace");
        return;
    }
    if (!number_of(line, "ts", &when) || !text_of(line, "cat", category, sizeof category)) {
        trace->n_damaged++;
        return;
    }
    if (when < trace->first)
        trace->first = when;
    if (when > trace->last)
        trace->last = when;
    if (*kind == 'X')
        read_slice(trace, line, name, category, when);
    else if (*kind == 'b' || *kind == 'e')
        read_end(trace, line, name, *kind == 'b', when);
    else if (*kind == 'i' && !strcmp(category, "edge"))
        read_edge(trace, line, when);
}

int trace_read(const char *path, trace_t *trace_p)
{
    *trace_p = (trace_t){.first = 1e300};
    FILE *file = fopen(path, "r");
    if (!file)
        return errno;
    char *line = NULL;
    size_t room = 0;
    errno = 0;
    /* Blanks between the pieces come before a line's first character. */
    while (getline(&line, &room, file) >= 0)
        read_line(trace_p, line + strspn(line, " "));
    int error = ferror(file) ? errno : 0;
    free(line);
    fclose(file);
    if (trace_p->first > trace_p->last)
        trace_p->first = trace_p->last;
    return error;
}

void trace_free(trace_t *trace)
{
    for (size_t i = 1; i < trace->n_places; i++)
        free(trace->places[i]);
    for (size_t i = 0; i < trace->n_devices; i++)
        free(trace->devices[i].items);
    free(trace->devices);
    free(trace->places);
    free(trace->ops);
    free(trace->edges);
    free(trace->taskwaits.items);
}
