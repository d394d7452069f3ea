/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ppm.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_SIDE = 16384 };

int ppm_read(const char *path, struct ppm *image)
{
    size_t size;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return -1;
    }
    image->pixels = NULL;
    if (fscanf(file, "P6 %zu %zu 255", &image->width, &image->height) != 2 || fgetc(file) == EOF || image->width < 1 ||
        image->height < 1 || image->width > MOST_SIDE || image->height > MOST_SIDE) {
        fprintf(stderr, "%s: not a binary PPM with one byte a channel and no comments\n", path);
        fclose(file);
        return -1;
    }
    size = image->width * image->height * 3;
    image->pixels = malloc(size);
    if (image->pixels == NULL || fread(image->pixels, 1, size, file) != size) {
        fprintf(stderr, "%s: %s\n", path, image->pixels == NULL ? "no memory for it" : "cut short");
        free(image->pixels);
        fclose(file);
        return -1;
    }
    fclose(file);
    return 0;
}

int ppm_write(const char *path, const struct ppm *image)
{
    size_t size = image->width * image->height * 3;
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        perror(path);
        return -1;
    }
    int failed = fprintf(file, "P6\n%zu %zu\n255\n", image->width, image->height) < 0 ||
                 fwrite(image->pixels, 1, size, file) != size;
    if (fclose(file) != 0 || failed) {
        perror(path);
        return -1;
    }
    return 0;
}
