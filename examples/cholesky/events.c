/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "events.h"

#include <math.h>
#include <stdio.h>

static const double earth_radius = 6371.0088;
static const double radian = 3.14159265358979323846 / 180;

size_t events_read(const char *path, struct event *events, size_t most)
{
    char line[256];
    size_t count = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        return 0;
    }
    if (fgets(line, sizeof line, file) == NULL) /* the names of the columns */
        line[0] = '\0';
    while (count < most && fgets(line, sizeof line, file) != NULL) {
        double longitude, latitude, depth;
        if (sscanf(line, "%lf,%lf,%lf", &longitude, &latitude, &depth) != 3) {
            fprintf(stderr, "%s:%zu: not 'longitude,latitude,depth,...'\n", path, count + 2);
            count = 0;
            break;
        }
        longitude *= radian;
        latitude *= radian;
        events[count++] = (struct event){{earth_radius * cos(latitude) * cos(longitude),
                                          earth_radius * cos(latitude) * sin(longitude), earth_radius * sin(latitude)},
                                         depth};
    }
    fclose(file);
    return count;
}

double events_distance(const struct event *a, const struct event *b)
{
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        double difference = a->position[axis] - b->position[axis];
        square += difference * difference;
    }
    return sqrt(square);
}
