/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Settings by environment; what they mean is in docs/testing.md. Read once, by cuInit. */
#ifndef EMU_SETTINGS_H
#define EMU_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_DEVICES = 16 };

typedef struct settings {
    uint64_t devices;
    uint64_t memory;         /* bytes of each device */
    uint64_t concurrency;    /* kernels at once on a device; 0: as many as there are */
    uint64_t launch_ns;      /* modelled time of a kernel that no pattern names */
    uint64_t copy_ns;        /* of each copy, besides its bytes */
    uint64_t copy_bandwidth; /* bytes a second in each direction; 0: no time */
    uint64_t call_ns;        /* least time of each call */
    uint64_t spin_ns;        /* the timer thread does not sleep for less */
    uint64_t staging;        /* bytes: pageable memory is copied to the device without waiting up to here */
    uint64_t driver_version;
    const char *skip;        /* patterns of names of kernels that are code and are not run; NULL: none */
    bool free_waits;             /* cuMemFree waits for the device */
    bool alloc_waits;            /* cuMemAlloc does */
    bool peers;                  /* devices can reach each other */
    bool write_value;            /* cuStreamWriteValue32 and its like are there */
    bool pools;                  /* so is stream-ordered memory */
    bool strict_context;         /* calls that name a stream need a current context like all others */
    bool scrub;                  /* new and freed memory is filled with a pattern */
    int capability[MAX_DEVICES]; /* 10 * major + minor */
} settings_t;

extern settings_t emu_settings;

#endif
