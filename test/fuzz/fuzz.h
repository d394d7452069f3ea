/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the fuzz targets share. Each is one function that takes any bytes, does something with them, and ends the
 * process if the outcome is wrong; libFuzzer's engine or replay.c calls it.
 */
#ifndef NW_FUZZ_H
#define NW_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* libFuzzer's interface. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process, so that the input is kept. */
#define FUZZ_CHECK(condition, what) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, (what)); \
            abort(); \
        } \
    } while (0)

#endif
