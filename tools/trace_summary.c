/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "trace_summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_reader.h"

/* Lines of each table. */
#define MOST_LINES 20u

/* What the regions of one place come to. */
typedef struct place_sum {
    const char *name;
    size_t regions;
    double device, most, copies, queue, outstanding, in_flight, construct;
    uint64_t bytes;
} place_sum_t;

/* Regions of one place that waited for those of another. */
typedef struct wait_sum {
    uint32_t place, for_place;
    const char *why;
    size_t times;
    double waited;
} wait_sum_t;

static const char *time_text(double us, char text[16])
{
    if (us < 1000)
        snprintf(text, 16, "%.1f us", us);
    else if (us < 1e6)
        snprintf(text, 16, "%.2f ms", us / 1e3);
    else
        snprintf(text, 16, "%.2f s", us / 1e6);
    return text;
}

static const char *bytes_text(uint64_t bytes, char text[16])
{
    if (bytes < 10000)
        snprintf(text, 16, "%u B", (unsigned)bytes);
    else if (bytes < 10000000)
        snprintf(text, 16, "%.0f kB", (double)bytes / 1e3);
    else
        snprintf(text, 16, "%.0f MB", (double)bytes / 1e6);
    return text;
}

static int by_begin(const void *a, const void *b)
{
    const interval_t *first = a, *second = b;
    return (first->begin > second->begin) - (first->begin < second->begin);
}

/* Sorts the list and joins what overlaps; returns its length in time. */
static double join(interval_list_t *list)
{
    double sum = 0;
    size_t n = 0;
    if (list->n > 0)
        qsort(list->items, list->n, sizeof *list->items, by_begin);
    for (size_t i = 0; i < list->n; i++) {
        if (n > 0 && list->items[i].begin <= list->items[n - 1].end) {
            if (list->items[i].end > list->items[n - 1].end)
                list->items[n - 1].end = list->items[i].end;
        } else {
            list->items[n++] = list->items[i];
        }
    }
    list->n = n;
    for (size_t i = 0; i < n; i++)
        sum += list->items[i].end - list->items[i].begin;
    return sum;
}

/* The time that two joined lists have in common. */
static double common(const interval_list_t *a, const interval_list_t *b)
{
    double sum = 0;
    for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
        double begin = a->items[i].begin > b->items[j].begin ? a->items[i].begin : b->items[j].begin;
        double end = a->items[i].end < b->items[j].end ? a->items[i].end : b->items[j].end;
        if (end > begin)
            sum += end - begin;
        if (a->items[i].end < b->items[j].end)
            i++;
        else
            j++;
    }
    return sum;
}

/* Zeroed memory for n of them; ends the program if there is none. */
static void *zeroed(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (!memory) {
        perror("nowait-info");
        exit(EXIT_FAILURE);
    }
    return memory;
}

static int by_time(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

/* The most of n times, given by their beginnings and ends, at one moment. Sorts both. */
static size_t most_at_once(double *begins, double *ends, size_t n)
{
    size_t now = 0, most = 0;
    qsort(begins, n, sizeof *begins, by_time);
    qsort(ends, n, sizeof *ends, by_time);
    for (size_t i = 0, j = 0; i < n; i++) {
        for (; j < n && ends[j] <= begins[i]; j++)
            now--;
        if (++now > most)
            most = now;
    }
    return most;
}

/* Outstanding: from the construct on; in flight: from the dispatch on. */
static void print_regions(const trace_t *trace)
{
    char text[16];
    size_t n = 0, n_flights = 0, open = 0;
    double sum = 0, span = trace->last - trace->first;
    double *begins = zeroed(trace->n_ops + 1, sizeof *begins), *ends = zeroed(trace->n_ops + 1, sizeof *ends);
    double *dispatches = zeroed(trace->n_ops + 1, sizeof *begins), *landings = zeroed(trace->n_ops + 1, sizeof *ends);
    for (size_t i = 0; i < trace->n_ops; i++) {
        const trace_op_t *op = &trace->ops[i];
        if (!op->begun)
            continue;
        open += !op->ended;
        begins[n] = op->begin;
        ends[n] = op->ended ? op->end : trace->last;
        sum += ends[n] - begins[n];
        dispatches[n_flights] = op->dispatched;
        landings[n_flights] = ends[n];
        n_flights += op->dispatched > 0;
        n++;
    }
    printf("regions: %zu, outstanding %s together", n, time_text(sum, text));
    printf(", %.1f at a time, at most %zu; ", span > 0 ? sum / span : 0.0, most_at_once(begins, ends, n));
    printf("in flight at most %zu\n", most_at_once(dispatches, landings, n_flights));
    if (open > 0)
        printf("not over when the trace ended: %zu\n", open);
    free(begins);
    free(ends);
    free(dispatches);
    free(landings);
}

static void print_devices(trace_t *trace)
{
    char text[16];
    double span = trace->last - trace->first, waited = join(&trace->taskwaits);
    for (size_t i = 0; i < trace->n_devices; i++) {
        double busy = join(&trace->devices[i]);
        if (trace->devices[i].n == 0)
            continue;
        double hidden = busy - common(&trace->devices[i], &trace->taskwaits);
        printf("device %zu: busy %s, %.0f %% of the time", i, time_text(busy, text),
               span > 0 ? 100 * busy / span : 0.0);
        printf("; %.0f %% of that while no thread was in taskwait\n", busy > 0 ? 100 * hidden / busy : 0.0);
    }
    if (waited > 0)
        printf("taskwait: some thread in it for %s, %.0f %% of the time\n", time_text(waited, text),
               span > 0 ? 100 * waited / span : 0.0);
}

static int by_device_time(const void *a, const void *b)
{
    const place_sum_t *first = a, *second = b;
    return (first->device < second->device) - (first->device > second->device);
}

static const char *place_name(const trace_t *trace, uint32_t place)
{
    return place ? trace->places[place] : "(no source line: compile with -g1)";
}

static void print_places(const trace_t *trace)
{
    size_t n = trace->n_places ? trace->n_places : 1;
    place_sum_t *sums = zeroed(n, sizeof *sums);
    for (size_t i = 0; i < trace->n_ops; i++) {
        const trace_op_t *op = &trace->ops[i];
        if (!op->begun)
            continue;
        place_sum_t *sum = &sums[op->place];
        double device = op->kernel + op->in + op->out;
        sum->regions++;
        sum->device += device;
        sum->most = device > sum->most ? device : sum->most;
        sum->copies += op->in + op->out;
        sum->bytes += op->bytes_in + op->bytes_out;
        sum->queue += op->queue > 0 ? op->queue : 0;
        sum->outstanding += op->ended ? op->end - op->begin : 0;
        sum->in_flight += op->ended && op->dispatched > 0 ? op->end - op->dispatched : 0;
        sum->construct += op->construct;
    }
    for (size_t i = 0; i < n; i++)
        sums[i].name = place_name(trace, (uint32_t)i);
    qsort(sums, n, sizeof *sums, by_device_time);
    printf("\nbusiest regions; device: kernel and copies, the rest are means\n");
    printf("%9s %10s %10s %10s %10s %9s %10s %11s %10s %10s  %s\n", "regions", "device", "mean", "longest", "copies",
           "bytes", "in queue", "outstanding", "in flight", "construct", "place");
    for (size_t i = 0; i < n && i < MOST_LINES && sums[i].regions; i++) {
        const place_sum_t *sum = &sums[i];
        double count = (double)sum->regions;
        char t[9][16];
        printf("%9zu %10s %10s %10s %10s %9s %10s %11s %10s %10s  %s\n", sum->regions, time_text(sum->device, t[0]),
               time_text(sum->device / count, t[1]), time_text(sum->most, t[2]), time_text(sum->copies / count, t[3]),
               bytes_text((uint64_t)((double)sum->bytes / count), t[4]), time_text(sum->queue / count, t[5]),
               time_text(sum->outstanding / count, t[6]), time_text(sum->in_flight / count, t[7]),
               time_text(sum->construct / count, t[8]), sum->name);
    }
    free(sums);
}

static int by_waited(const void *a, const void *b)
{
    const wait_sum_t *first = a, *second = b;
    return first->waited < second->waited   ? 1
           : first->waited > second->waited ? -1
                                            : (first->times < second->times) - (first->times > second->times);
}

/* Dependences whose end libomp has told nobody of. */
static bool is_libomps(const char *why)
{
    return strcmp(why, "libomp") == 0;
}

/* How long a region waited before it could begin: before it was dispatched, if that was after its construct, and then
 * for other regions. */
static double waited_of(const trace_op_t *op, const trace_edge_t *edge)
{
    bool ordered = is_libomps(edge->why) || strcmp(edge->why, "depend") == 0;
    bool late = op->handed_over > 0 && op->dispatched > op->handed_over;
    return (ordered && late ? op->dispatched - op->handed_over : 0) + (op->wait > 0 ? op->wait : 0);
}

static void print_waits(const trace_t *trace)
{
    wait_sum_t *sums = zeroed(trace->n_edges + 1, sizeof *sums);
    size_t n = 0;
    for (size_t i = 0; i < trace->n_edges; i++) {
        const trace_edge_t *edge = &trace->edges[i];
        const trace_op_t *op = &trace->ops[edge->next];
        uint32_t place = op->place, for_place = trace->ops[edge->op].place;
        size_t s = 0;
        while (s < n && (sums[s].place != place || sums[s].for_place != for_place || strcmp(sums[s].why, edge->why)))
            s++;
        if (s == n)
            sums[n++] = (wait_sum_t){.place = place, .for_place = for_place, .why = edge->why};
        sums[s].times++;
        /* The wait is the last one's, that ended it. */
        if (op->last_edge == i + 1)
            sums[s].waited += waited_of(op, edge);
    }
    qsort(sums, n, sizeof *sums, by_waited);
    printf("\nwhat waited for what\n");
    if (n == 0)
        puts("  nothing");
    for (size_t i = 0; i < n && i < MOST_LINES; i++) {
        char text[16];
        printf("%9zu times %10s  %s ", sums[i].times, time_text(sums[i].waited, text),
               place_name(trace, sums[i].place));
        if (is_libomps(sums[i].why))
            puts("was started later by libomp, which does not say what it waited for");
        else
            printf("waited for %s (%s)\n", place_name(trace, sums[i].for_place), sums[i].why);
    }
    free(sums);
}

int trace_summary(const char *path)
{
    trace_t trace;
    char text[16];
    int error = trace_read(path, &trace);
    if (error || !trace.is_trace) {
        fprintf(stderr, "nowait-info: %s: %s\n", path,
                error ? strerror(error) : "not a trace that NOWAIT_TRACE has written");
        trace_free(&trace);
        return EXIT_FAILURE;
    }
    printf("%s: %s, %zu events%s\n", path, time_text(trace.last - trace.first, text), trace.n_events,
           trace.complete ? "" : "; cut off: this is what is there");
    if (trace.n_damaged > 0)
        printf("lines that can't be read: %zu\n", trace.n_damaged);
    print_regions(&trace);
    print_devices(&trace);
    print_places(&trace);
    print_waits(&trace);
    trace_free(&trace);
    return EXIT_SUCCESS;
}
