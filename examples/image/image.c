/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Pipelined image filter: an unsharp mask (the picture plus its difference from a Gaussian blur) on the frames of a
 * film.
 *
 * The film is a pan over one photograph. Every frame is cut in bands of rows, and every band goes through four target
 * tasks: copy in, horizontal blur, vertical blur with sharpening, copy out. The vertical blur reads halo rows of the
 * bands above and below, so it depends on their horizontal blurs too; apart from that, copies and kernels of different
 * bands and frames overlap. The device holds a few frames at a time; the host makes the next frame when a place is
 * free.
 */
#include <getopt.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/option.h"
#include "ppm.h"

/* Rows by which the photograph moves up from one frame to the next. */
enum { PAN_ROWS = 3 };

/* The reference computes in double precision: values near a half may be rounded to the neighbouring grey level. */
enum { TOLERANCE = 1 };

static const char usage[] = "usage: image [options] PHOTOGRAPH.ppm\n"
                            "  --frames N      frames of the film (48)\n"
                            "  --bands N       bands that a frame is cut in (8)\n"
                            "  --slots N       frames on the device at a time (3)\n"
                            "  --sigma PIXELS  standard deviation of the blur (4)\n"
                            "  --amount A      strength of the sharpening (1)\n"
                            "  --output FILE   write the first frame to FILE (not written)\n"
                            "  --help          print this text\n";

struct settings {
    size_t frames, bands, slots;
    double sigma, amount;
    const char *path, *output;
};

/* What a kernel has to know, small enough to be copied into each region. */
struct shape {
    size_t width, height; /* of a frame, pixels */
    size_t radius;        /* of the blur, pixels */
    float amount;
};

/* ---- kernels, one band of rows each ---- */

#pragma omp begin declare target

static size_t clamp_index(size_t index, size_t offset, size_t before, size_t count)
{
    size_t moved = index + offset < before ? 0 : index + offset - before;
    return moved < count ? moved : count - 1;
}

/* One value of the horizontal blur near the left or right border, whose pixel stands for those beyond it. */
static float blur_at_border(const unsigned char *row, const float *weights, size_t x, size_t channel,
                            struct shape shape)
{
    float sum = 0;
    for (size_t t = 0; t <= 2 * shape.radius; t++)
        sum += weights[t] * (float)row[clamp_index(x, t, shape.radius, shape.width) * 3 + channel];
    return sum;
}

static void blur_rows(float *blurred, const unsigned char *frame, const float *weights, size_t first, size_t last,
                      struct shape shape)
{
    size_t stride = shape.width * 3, border = shape.radius * 3;
    for (size_t y = first; y < last; y++) {
        const unsigned char *row = frame + y * stride;
        float *out = blurred + y * stride;
        for (size_t i = border; i + border < stride; i++)
            out[i] = 0;
        for (size_t t = 0; t <= 2 * shape.radius; t++) {
            const unsigned char *shifted = row + t * 3;
#pragma omp simd
            for (size_t i = border; i < stride - border; i++)
                out[i] += weights[t] * (float)shifted[i - border];
        }
        for (size_t x = 0; x < shape.radius; x++)
            for (size_t channel = 0; channel < 3; channel++) {
                size_t right = shape.width - 1 - x;
                out[x * 3 + channel] = blur_at_border(row, weights, x, channel, shape);
                out[right * 3 + channel] = blur_at_border(row, weights, right, channel, shape);
            }
    }
}

/* Blurs down the columns and sharpens, in pieces of a row that fit in registers and the first cache. */
static void sharpen_rows(unsigned char *sharp, const float *blurred, const unsigned char *frame, const float *weights,
                         size_t first, size_t last, struct shape shape)
{
    enum { PIECE = 256 };
    size_t stride = shape.width * 3;
    for (size_t y = first; y < last; y++)
        for (size_t left = 0; left < stride; left += PIECE) {
            size_t length = stride - left < PIECE ? stride - left : PIECE;
            float sum[PIECE] = {0};
            for (size_t t = 0; t <= 2 * shape.radius; t++) {
                const float *row = blurred + clamp_index(y, t, shape.radius, shape.height) * stride + left;
#pragma omp simd
                for (size_t i = 0; i < length; i++)
                    sum[i] += weights[t] * row[i];
            }
#pragma omp simd
            for (size_t i = 0; i < length; i++) {
                float value = (float)frame[y * stride + left + i];
                value += shape.amount * (value - sum[i]);
                value = value < 0 ? 0 : value > 255 ? 255 : value;
                sharp[y * stride + left + i] = (unsigned char)(int)(value + 0.5f);
            }
        }
}

#pragma omp end declare target

/* ---- the film ---- */

static void make_frame(unsigned char *frame, const struct ppm *photograph, size_t number)
{
    size_t stride = photograph->width * 3, shift = number * PAN_ROWS % photograph->height * stride;
    size_t size = photograph->height * stride;
    memcpy(frame, photograph->pixels + shift, size - shift);
    memcpy(frame + size - shift, photograph->pixels, shift);
}

/*
 * Sends all frames through the device into `film`; returns the number of regions. The frames, their blurred versions
 * and their sharpened versions that are under way lie in `slots` places of three arrays.
 */
static size_t run_pipeline(unsigned char *film, const struct ppm *photograph, const struct settings *s,
                           struct shape shape, float *weights)
{
    size_t stride = shape.width * 3, size = shape.height * stride, length = s->slots * size,
           taps = 2 * shape.radius + 1;
    size_t rows = (shape.height + s->bands - 1) / s->bands, bands = (shape.height + rows - 1) / rows;
    unsigned char *frame = malloc(length), *sharp = malloc(length);
    float *blurred = malloc(length * sizeof *blurred);
    size_t regions = 0;
    if (frame == NULL || sharp == NULL || blurred == NULL) {
        fprintf(stderr, "no memory for %zu frames of %zu bytes\n", s->slots, size);
        exit(1);
    }

#pragma omp target enter data map(alloc: frame[0:length], blurred[0:length], sharp[0:length]) map(to: weights[0:taps])
    /* The last `slots` rounds only collect what is still under way. */
    for (size_t number = 0; number < s->frames + s->slots; number++) {
        size_t slot = number % s->slots * size;
        if (number >= s->slots && number - s->slots < s->frames) {
            for (size_t band = 0; band < bands; band++) {
                size_t at = slot + band * rows * stride;
#pragma omp taskwait depend(in: sharp[at])
            }
            memcpy(film + (number - s->slots) * size, sharp + slot, size);
        }
        if (number >= s->frames)
            continue;
        make_frame(frame + slot, photograph, number);

        for (size_t band = 0; band < bands; band++) {
            size_t first = band * rows, last = first + rows < shape.height ? first + rows : shape.height;
            size_t at = slot + first * stride, bytes = (last - first) * stride;
#pragma omp target update to(frame[at:bytes]) nowait depend(out: frame[at])
#pragma omp target nowait depend(in: frame[at]) depend(out: blurred[at]) \
    map(present, alloc: frame[0:length], blurred[0:length], weights[0:taps]) firstprivate(slot, first, last, shape)
            blur_rows(blurred + slot, frame + slot, weights, first, last, shape);
            regions += 2;
        }
        for (size_t band = 0; band < bands; band++) {
            size_t first = band * rows, last = first + rows < shape.height ? first + rows : shape.height;
            size_t at = slot + first * stride, bytes = (last - first) * stride;
            size_t above = band > 0 ? at - rows * stride : at, below = band + 1 < bands ? at + rows * stride : at;
#pragma omp target nowait depend(in: frame[at], blurred[above], blurred[at], blurred[below]) depend(out: sharp[at]) \
    map(present, alloc: frame[0:length], blurred[0:length], sharp[0:length], weights[0:taps]) \
    firstprivate(slot, first, last, shape)
            sharpen_rows(sharp + slot, blurred + slot, frame + slot, weights, first, last, shape);
#pragma omp target update from(sharp[at:bytes]) nowait depend(inout: sharp[at])
            regions += 2;
        }
    }
#pragma omp taskwait
#pragma omp target exit data map(delete: frame[0:length], blurred[0:length], sharp[0:length]) \
    map(delete: weights[0:taps])
    free(blurred);
    free(sharp);
    free(frame);
    return regions;
}

/* ---- reference ---- */

/* The largest difference, in grey levels, of a sharpened frame from one computed pixel by pixel in double precision. */
static int largest_difference(const unsigned char *sharp, const unsigned char *frame, double *scratch,
                              const double *weights, struct shape shape)
{
    int largest = 0;
    size_t stride = shape.width * 3;
    for (size_t y = 0; y < shape.height; y++)
        for (size_t i = 0; i < stride; i++) {
            double sum = 0;
            for (size_t t = 0; t <= 2 * shape.radius; t++)
                sum += weights[t] * frame[y * stride + clamp_index(i / 3, t, shape.radius, shape.width) * 3 + i % 3];
            scratch[y * stride + i] = sum;
        }
    for (size_t y = 0; y < shape.height; y++)
        for (size_t i = 0; i < stride; i++) {
            double sum = 0, value = frame[y * stride + i];
            for (size_t t = 0; t <= 2 * shape.radius; t++)
                sum += weights[t] * scratch[clamp_index(y, t, shape.radius, shape.height) * stride + i];
            value = fmin(fmax(value + (double)shape.amount * (value - sum), 0), 255);
            int difference = abs((int)(value + 0.5) - sharp[y * stride + i]);
            largest = difference > largest ? difference : largest;
        }
    return largest;
}

static void parse(int argc, char **argv, struct settings *s)
{
    static const struct option options[] = {
        {"frames", required_argument, NULL, 'f'}, {"bands", required_argument, NULL, 'b'},
        {"slots", required_argument, NULL, 'n'},  {"sigma", required_argument, NULL, 's'},
        {"amount", required_argument, NULL, 'a'}, {"output", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (option) {
        case 'f':
            s->frames = option_count("frames", optarg, 1, 10000);
            break;
        case 'b':
            s->bands = option_count("bands", optarg, 1, 1000);
            break;
        case 'n':
            s->slots = option_count("slots", optarg, 1, 100);
            break;
        case 's':
            s->sigma = option_number("sigma", optarg, 0.1, 100);
            break;
        case 'a':
            s->amount = option_number("amount", optarg, 0, 10);
            break;
        case 'o':
            s->output = optarg;
            break;
        case 'h':
            fputs(usage, stdout);
            exit(0);
        default:
            fputs(usage, stderr);
            exit(2);
        }
    }
    if (optind + 1 != argc) {
        fputs(usage, stderr);
        exit(2);
    }
    s->path = argv[optind];
}

int main(int argc, char **argv)
{
    struct settings s = {.frames = 48, .bands = 8, .slots = 3, .sigma = 4, .amount = 1};
    parse(argc, argv, &s);

    struct ppm photograph;
    if (ppm_read(s.path, &photograph) != 0)
        return 1;
    struct shape shape = {photograph.width, photograph.height, (size_t)ceil(3 * s.sigma), (float)s.amount};
    if (2 * shape.radius >= shape.width || shape.height / s.bands < shape.radius) {
        fprintf(stderr, "the blur reaches %zu pixels: take a smaller --sigma or fewer --bands\n", shape.radius);
        return 2;
    }

    size_t size = shape.width * shape.height * 3, taps = 2 * shape.radius + 1;
    unsigned char *film = malloc(s.frames * size), *frame = malloc(size);
    double *scratch = malloc(size * sizeof *scratch), *exact = malloc(taps * sizeof *exact);
    float *weights = malloc(taps * sizeof *weights);
    if (film == NULL || frame == NULL || scratch == NULL || exact == NULL || weights == NULL) {
        fprintf(stderr, "no memory for %zu frames of %zu bytes\n", s.frames, size);
        return 1;
    }
    double total = 0;
    for (size_t t = 0; t < taps; t++) {
        double distance = ((double)t - (double)shape.radius) / s.sigma;
        total += exact[t] = exp(-distance * distance / 2);
    }
    for (size_t t = 0; t < taps; t++)
        weights[t] = (float)(exact[t] /= total);

        /* The first use of a device initialises it, which is no part of what is measured. */
#pragma omp target
    {
    }

    double start = omp_get_wtime();
    size_t regions = run_pipeline(film, &photograph, &s, shape, weights);
    double wall = omp_get_wtime() - start;

    int largest = 0;
    for (size_t number = 0; number < s.frames; number++) {
        make_frame(frame, &photograph, number);
        int difference = largest_difference(film + number * size, frame, scratch, exact, shape);
        largest = difference > largest ? difference : largest;
    }
    int right = largest <= TOLERANCE;
    printf("film:               %zu frames of %zu by %zu pixels, %zu bands each, %zu frames on the device\n", s.frames,
           shape.width, shape.height, s.bands, s.slots);
    printf("regions:            %zu\n", regions);
    printf("wall time:          %.4f s, %.1f frames/s\n", wall, (double)s.frames / wall);
    printf("check:              %s, largest difference %d grey levels, limit %d\n", right ? "ok" : "WRONG", largest,
           TOLERANCE);

    int written = 0;
    if (s.output != NULL) {
        struct ppm first = {shape.width, shape.height, film};
        written = ppm_write(s.output, &first);
    }
    free(weights);
    free(exact);
    free(scratch);
    free(frame);
    free(film);
    free(photograph.pixels);
    return right && written == 0 ? 0 : 1;
}
