/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a program may ask libnowait.so about itself: versions, devices, settings and figures. A program that uses OpenMP
 * needs none of this; nowait-info and tests do.
 *
 * All functions may be called from any thread at any time and never block, unless their comment says otherwise.
 * Strings that they return belong to the library and live as long as it does.
 */
#ifndef NOWAIT_NOWAIT_H
#define NOWAIT_NOWAIT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the version of the loaded library, as "0.1.0". */
const char *nowait_version(void);

/* Returns the version of the plugin contract that the loaded library serves (NOWAIT_ABI_VERSION of nowait/abi.h). */
unsigned nowait_abi_version(void);

/* Returns the OpenMP runtime that the program runs on, as "libomp.so.5 (proxy tasks, async handles)", or that there is
 * none. */
const char *nowait_libomp_description(void);

/* One setting, as the table in runtime/support/settings.def defines it and as the environment left it. */
struct nowait_setting {
    const char *name;        /* environment variable */
    const char *type;        /* "flag", "count", "time", "choice", "bits", "factor" */
    const char *range;       /* accepted values, in words */
    const char *default_value;
    const char *value;       /* value in force, printed in the form that the parser accepts */
    const char *origin;      /* "default" or "environment" */
    const char *text;        /* what it does, one sentence */
};

/* Returns the number of settings. */
size_t nowait_setting_count(void);

/* Fills *setting_p with setting number i (0 to count - 1). Returns 0, or -1 if there is no such setting. */
int nowait_setting_get(size_t i, struct nowait_setting *setting_p);

/* One device. */
struct nowait_device {
    int number;             /* OpenMP device number */
    const char *kind;       /* "host", "cuda" */
    const char *name;       /* the device's own name */
    uint64_t bytes_live;    /* device memory that mappings, omp_target_alloc and regions hold now, bytes */
    uint64_t bytes_peak;    /* the most that it ever was, bytes */
};

/* Returns the number of OpenMP devices, as omp_get_num_devices(). May open the devices: can block for milliseconds. */
int nowait_device_count(void);

/* Fills *device_p for OpenMP device `number`. Returns 0, or -1 if there is no such device. Opens the device if it has
 * not been used yet: can block for milliseconds. */
int nowait_device_get(int number, struct nowait_device *device_p);

/* Figures of the process so far; see NOWAIT_STATS for how they print. Times are in nanoseconds. They are counted only
 * where the comment says "always"; the rest only while NOWAIT_STATS is set. A region is outstanding from its construct
 * until it is over, and in flight from its dispatch on: one that waits for a dependence is outstanding, has not been
 * dispatched, and is in none of these figures. (NOWAIT_TRACE tells of both.) */
struct nowait_stats {
    uint64_t regions;              /* deferred constructs dispatched */
    uint64_t in_flight;            /* of those, not yet over; always */
    uint64_t max_in_flight;        /* the most at one time */
    uint64_t dispatched_early;     /* by the encountering thread inside the construct */
    uint64_t dispatched_by_libomp; /* later, when libomp ran the task */
    uint64_t requeues;             /* requeue mode: times a task went back to the queue unfinished */
    uint64_t queries;              /* requeue mode: completion queries */
    uint64_t blocking_waits;       /* times a thread waited inside the runtime for a device operation */
    uint64_t map_conflicts;        /* times a thread found a part of a mapping table in use that it needed */
    uint64_t dispatch_ns_median;   /* time that a thread spent dispatching one deferred construct, to 6 % */
    uint64_t dispatch_ns_max;
    uint64_t dispatch_ns_total;
    uint64_t device_bytes_live;    /* sum over devices; always */
    uint64_t device_bytes_peak;
    uint64_t data_reused;          /* maps that copied nothing, since a region in flight had the data on the device */
};

/* Fills *stats_p with the figures so far; not one atomic picture while regions run. */
void nowait_stats_get(struct nowait_stats *stats_p);

#ifdef __cplusplus
}
#endif

#endif
