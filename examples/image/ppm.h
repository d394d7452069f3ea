/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A colour photograph in the binary PPM format (P6, one byte a channel). */
#ifndef EXAMPLES_PPM_H
#define EXAMPLES_PPM_H

#include <stddef.h>

struct ppm {
    size_t width, height;
    unsigned char *pixels; /* red, green, blue of each pixel, row by row */
};

/* Both return 0, or -1 after a line on stderr. The pixels that ppm_read allocates are the caller's to free. */
int ppm_read(const char *path, struct ppm *image);
int ppm_write(const char *path, const struct ppm *image);

#endif
