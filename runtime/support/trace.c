/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/trace.h"

#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "support/clock.h"
#include "support/log.h"
#include "support/trace_file.h"
#include "support/trace_place.h"
#include "support/trace_text.h"

static _Atomic uint64_t last_op;

static _Thread_local struct {
    char name[16];        /* as top and debuggers show it, when it recorded its first event */
    uint64_t devices;     /* on whose tracks it has been named */
    int32_t number;       /* as the system counts threads; 0: not asked yet */
    uint8_t track_length; /* of how its own track stands in an event: the same in all of them */
    char track[48];
} self;

/* Constant words, and a number as text: what is copied is of constant size, since that is faster, and what counts is
 * `length`. An event has room for more than it gets. */
typedef struct words {
    char text[48];
    uint8_t length;
} words_t;

typedef struct number_text {
    char text[24];
    uint8_t length;
} number_text_t;

#define WORDS(words) {.text = words, .length = sizeof(words) - 1}
/* How an event begins, and how a slice goes on behind its name. */
#define KIND(name, category) {WORDS("{\"name\":\"" name), WORDS("\",\"cat\":\"" category "\",\"ph\":\"X\",\"ts\":")}

static const struct kind {
    words_t head, behind_name;
} kinds[NW_TRACE_N_KINDS] = {
    [NW_TRACE_CONSTRUCT] = KIND("construct", "construct"),
    [NW_TRACE_DISPATCH] = KIND("dispatch", "dispatch"),
    [NW_TRACE_WAIT] = KIND("wait", "wait"),
    [NW_TRACE_QUEUE] = KIND("queue", "queue"),
    [NW_TRACE_COPY_IN] = KIND("copies in", "copy"),
    [NW_TRACE_KERNEL] = KIND("kernel", "kernel"),
    [NW_TRACE_COPY_OUT] = KIND("copies out", "copy"),
    [NW_TRACE_MOVE] = KIND("copies within", "copy"),
    [NW_TRACE_POST] = KIND("post-process", "post"),
    [NW_TRACE_RELEASE] = KIND("release", "release"),
    [NW_TRACE_TASKWAIT] = KIND("taskwait", "taskwait"),
};

uint64_t nw_trace_new_op(void)
{
    return atomic_fetch_add_explicit(&last_op, 1, memory_order_relaxed) + 1;
}

/* A device's tracks are a process of their own in the trace: process numbers of Linux end before this. */
static uint64_t process_of(int device)
{
    return (uint64_t)nw_trace_file_process() + (uint64_t)(device + 1) * 10000000u;
}

/* `what` may be any text. */
static void name_track(uint64_t process, uint64_t track, const char *what, const char *behind, uint64_t number)
{
    nw_trace_text_t text = {0};
    nw_trace_text_words(&text, "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":");
    nw_trace_text_number(&text, process);
    nw_trace_text_words(&text, ",\"tid\":");
    nw_trace_text_number(&text, track);
    nw_trace_text_words(&text, ",\"args\":{\"name\":\"");
    nw_trace_text_name(&text, what, strlen(what), NW_TRACE_LONGEST_NAME);
    nw_trace_text_words(&text, behind);
    if (number) {
        nw_trace_text_words(&text, " ");
        nw_trace_text_number(&text, number);
    }
    nw_trace_text_words(&text, "\"}},\n");
    nw_trace_file_add(text.bytes, text.used);
}

static void name_process(uint64_t process, int device)
{
    nw_trace_text_t text = {0};
    nw_trace_text_words(&text, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":");
    nw_trace_text_number(&text, process);
    nw_trace_text_words(&text, ",\"tid\":0,\"args\":{\"name\":\"device ");
    nw_trace_text_number(&text, (uint64_t)device);
    nw_trace_text_words(&text, "\"}},\n");
    nw_trace_file_add(text.bytes, text.used);
}

static void put_track(nw_trace_text_t *text, uint64_t process, uint64_t track)
{
    nw_trace_text_words(text, ",\"pid\":");
    nw_trace_text_number(text, process);
    nw_trace_text_words(text, ",\"tid\":");
    nw_trace_text_number(text, track);
}

/* The first event of the calling thread: names its track. */
static __attribute__((noinline, cold)) void name_own_track(void)
{
    self.number = (int32_t)gettid();
    bool first = self.number == nw_trace_file_process();
    nw_trace_text_t text = {0};
    put_track(&text, (uint64_t)nw_trace_file_process(), (uint64_t)self.number);
    memcpy(self.track, text.bytes, text.used);
    self.track_length = (uint8_t)text.used;
    prctl(PR_GET_NAME, self.name, 0, 0, 0);
    name_track((uint64_t)nw_trace_file_process(), (uint64_t)self.number, self.name, first ? " (initial thread)" : "",
               first ? 0 : (uint64_t)self.number);
}

/* The calling thread's number. */
static uint64_t own_track(void)
{
    if (NW_UNLIKELY(self.number == 0))
        name_own_track();
    return (uint64_t)self.number;
}

/* Copies all of it, since a constant size is faster; an event has room for more than it gets. */
static void put_own_track(nw_trace_text_t *text)
{
    (void)own_track();
    memcpy(text->bytes + text->used, self.track, sizeof self.track);
    text->used += self.track_length;
}

/* A device's track; names it the first time. */
static uint64_t device_track(int device, uint32_t lane)
{
    static _Atomic uint64_t devices, lanes[64];
    uint64_t bit = (uint64_t)1 << (device % 64), track = lane;
    if (NW_UNLIKELY(!(atomic_load_explicit(&devices, memory_order_relaxed) & bit)) &&
        !(atomic_fetch_or_explicit(&devices, bit, memory_order_relaxed) & bit))
        name_process(process_of(device), device);
    if (lane == 0) {
        track = own_track();
        if (NW_UNLIKELY(!(self.devices & bit))) {
            self.devices |= bit;
            name_track(process_of(device), track, self.name, "", track);
        }
        return track;
    }
    /* Lanes beyond the first 64 go without a name of their own. */
    _Atomic uint64_t *named = &lanes[device % 64];
    uint64_t lane_bit = lane <= 64 ? (uint64_t)1 << (lane - 1) : 0;
    if (NW_UNLIKELY(lane_bit && !(atomic_load_explicit(named, memory_order_relaxed) & lane_bit)) &&
        !(atomic_fetch_or_explicit(named, lane_bit, memory_order_relaxed) & lane_bit))
        name_track(process_of(device), track, "stream", "", lane);
    return track;
}

static void put_words(nw_trace_text_t *text, const words_t *words)
{
    memcpy(text->bytes + text->used, words->text, sizeof words->text);
    text->used += words->length;
}

static number_text_t number_text(uint64_t number)
{
    nw_trace_text_t text;
    number_text_t result;
    text.used = 0;
    nw_trace_text_number(&text, number);
    memcpy(result.text, text.bytes, sizeof result.text);
    result.length = (uint8_t)text.used;
    return result;
}

static void put_number(nw_trace_text_t *text, const number_text_t *number)
{
    memcpy(text->bytes + text->used, number->text, sizeof number->text);
    text->used += number->length;
}

static int64_t duration(const nw_trace_event_t *event)
{
    return event->end > event->begin ? event->end - event->begin : 0;
}

void nw_trace_slice(const nw_trace_event_t *event)
{
    if (!nw_trace_on())
        return;
    bool here = event->device == NW_TRACE_THIS_THREAD;
    uint64_t track = here ? 0 : device_track(event->device, event->lane);
    nw_trace_text_t text;
    text.used = 0;
    number_text_t op = number_text(event->op);
    put_words(&text, &kinds[event->kind].head);
    nw_trace_place_put(&text, event->loc, event->kernel);
    put_words(&text, &kinds[event->kind].behind_name);
    nw_trace_text_time(&text, event->begin - nw_trace_file_origin());
    nw_trace_text_words(&text, ",\"dur\":");
    nw_trace_text_time(&text, duration(event));
    if (here)
        put_own_track(&text);
    else
        put_track(&text, process_of(event->device), track);
    if (event->flow != NW_TRACE_NO_FLOW) {
        nw_trace_text_words(&text, ",\"bind_id\":\"");
        put_number(&text, &op);
        nw_trace_text_words(&text, event->flow == NW_TRACE_FLOW_BEGINS   ? "\",\"flow_out\":true"
                                   : event->flow == NW_TRACE_FLOW_PASSES ? "\",\"flow_in\":true,\"flow_out\":true"
                                                                         : "\",\"flow_in\":true");
    }
    nw_trace_text_words(&text, ",\"args\":{\"op\":");
    put_number(&text, &op);
    if (event->bytes) {
        nw_trace_text_words(&text, ",\"bytes\":");
        nw_trace_text_number(&text, event->bytes);
    }
    nw_trace_text_words(&text, "}},\n");
    nw_trace_file_add(text.bytes, text.used);
}

/* One end of something on the operation's own track. */
static void put_end(nw_trace_text_t *text, const number_text_t *op, char end, int64_t when)
{
    nw_trace_text_words(text, "\",\"cat\":\"region\",\"ph\":\"");
    nw_trace_text_character(text, end);
    nw_trace_text_words(text, "\",\"id\":\"");
    put_number(text, op);
    nw_trace_text_words(text, "\",\"ts\":");
    nw_trace_text_time(text, when - nw_trace_file_origin());
    put_own_track(text);
    nw_trace_text_words(text, ",\"args\":{\"op\":");
    put_number(text, op);
    nw_trace_text_words(text, "}},\n");
}

/* Events that belong to one track have one category, "region". */
void nw_trace_state(const nw_trace_event_t *event)
{
    if (!nw_trace_on())
        return;
    nw_trace_text_t text;
    text.used = 0;
    number_text_t op = number_text(event->op);
    for (int i = 0; i < 2; i++) {
        put_words(&text, &kinds[event->kind].head);
        put_end(&text, &op, i == 0 ? 'b' : 'e', i == 0 ? event->begin : event->begin + duration(event));
    }
    nw_trace_file_add(text.bytes, text.used);
}

/* Both ends have one name: the viewers match them by it. */
static void region_end(uint64_t op, char end, int64_t when, const nw_ident_t *loc)
{
    if (!nw_trace_on())
        return;
    nw_trace_text_t text;
    text.used = 0;
    number_text_t number = number_text(op);
    nw_trace_text_words(&text, "{\"name\":\"region");
    nw_trace_place_put(&text, loc, NULL);
    put_end(&text, &number, end, when);
    nw_trace_file_add(text.bytes, text.used);
}

void nw_trace_region_begins(uint64_t op, int64_t when, const nw_ident_t *loc)
{
    region_end(op, 'b', when, loc);
}

void nw_trace_region_ends(uint64_t op, int64_t when, const nw_ident_t *loc)
{
    region_end(op, 'e', when, loc);
}

void nw_trace_edge(uint64_t op, uint64_t next, const char *why)
{
    if (!nw_trace_on())
        return;
    nw_trace_text_t text;
    text.used = 0;
    nw_trace_text_words(&text, "{\"name\":\"sets off\",\"cat\":\"edge\",\"ph\":\"i\",\"s\":\"t\",\"ts\":");
    nw_trace_text_time(&text, nw_clock_ns() - nw_trace_file_origin());
    put_own_track(&text);
    nw_trace_text_words(&text, ",\"args\":{\"op\":");
    nw_trace_text_number(&text, op);
    nw_trace_text_words(&text, ",\"next\":");
    nw_trace_text_number(&text, next);
    nw_trace_text_words(&text, ",\"why\":\"");
    nw_trace_text_words(&text, why);
    nw_trace_text_words(&text, "\"}},\n");
    nw_trace_file_add(text.bytes, text.used);
}

void nw_trace_start(void)
{
    if (nw_trace_file_open())
        atomic_store_explicit(&nw_trace_is_on, true, memory_order_release);
}

void nw_trace_end(void)
{
    atomic_store(&nw_trace_is_on, false);
    nw_trace_file_close();
}

void nw_trace_after_fork(void)
{
    atomic_store(&nw_trace_is_on, false);
    nw_trace_file_forget();
}
