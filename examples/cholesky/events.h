/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Seismic events read from a CSV file with columns longitude, latitude (degrees), depth (km), and any others. */
#ifndef EXAMPLES_EVENTS_H
#define EXAMPLES_EVENTS_H

#include <stddef.h>

struct event {
    double position[3]; /* of the epicentre on a sphere of the Earth's mean radius, km */
    double depth;       /* km, negative above sea level */
};

/* Reads at most `most` events. Returns their number, 0 after a line on stderr if the file cannot be used. */
size_t events_read(const char *path, struct event *events, size_t most);

/* Length of the chord between two epicentres, km. */
double events_distance(const struct event *a, const struct event *b);

#endif
