// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omp_target_memcpy_async, omp_target_memcpy_rect_async and omp_target_memset_async return before anything has been
// copied: with the only device thread held at a gate, and behind a region that they depend on, for every pair of host
// and devices. A call that blocked would hang, since the gate is opened after it. Stock libomptarget copies in a helper
// thread, or in the call if there is none.
//
// REQUIRES: device-host
// RUN: %cc-both
// RUN: env NOWAIT_COMPLETION=event NOWAIT_HOST_WORKERS=1 %t.plugin
// RUN: env NOWAIT_COMPLETION=event NOWAIT_HOST_WORKERS=1 %nowait-run %t.stock
// RUN: env NOWAIT_COMPLETION=event NOWAIT_HOST_WORKERS=1 LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 OMP_NUM_THREADS=1 %t.plugin
// RUN: env NOWAIT_COMPLETION=requeue NOWAIT_HOST_WORKERS=1 %t.plugin
#include "check.h"

enum { N = 64, DEVICES = 2 };

typedef struct place {
    int device;
    unsigned char *bytes;
} place_t;

static place_t make(int device)
{
    place_t place = {device, omp_target_alloc(N, device)};
    CHECK(place.bytes != NULL);
    return place;
}

static void set(place_t place, int value)
{
    unsigned char bytes[N];
    memset(bytes, value, N);
    CHECK_EQ(omp_target_memcpy(place.bytes, bytes, N, 0, 0, place.device, omp_get_initial_device()), 0);
}

static int get(place_t place, int i)
{
    unsigned char bytes[N];
    CHECK_EQ(omp_target_memcpy(bytes, place.bytes, N, 0, 0, omp_get_initial_device(), place.device), 0);
    return bytes[i];
}

/* 0: plain, 1: rectangle, 2: fill */
static void start(int form, place_t to, place_t from, int n_objects, omp_depend_t *objects)
{
    size_t volume[2] = {2, N / 4}, zero[2] = {0, 0}, dimensions[2] = {2, N / 2};
    if (form == 0)
        CHECK_EQ(omp_target_memcpy_async(to.bytes, from.bytes, N, 0, 0, to.device, from.device, n_objects, objects), 0);
    else if (form == 1)
        CHECK_EQ(omp_target_memcpy_rect_async(to.bytes, from.bytes, 1, 2, volume, zero, zero, dimensions, dimensions,
                                              to.device, from.device, n_objects, objects),
                 0);
    else
        CHECK_PTR_EQ(omp_target_memset_async(to.bytes, 7, N, to.device, n_objects, objects), to.bytes);
}

static void one(int form, place_t to, place_t from, int with_object)
{
    int gate_word = 0, *gate = &gate_word, running_word = 0, *running = &running_word, value = 0;
    omp_depend_t object;
    set(to, 1);
    set(from, 7);
#pragma omp depobj(object) depend(inout : value)
#pragma omp target is_device_ptr(gate, running) depend(inout : value) nowait
    {
        gate_open(running);
        gate_wait(gate);
    }
    gate_wait(running);
    start(form, to, from, with_object ? 1 : 0, &object);
    CHECK_EQ(get(to, 0), 1);
    CHECK_EQ(get(to, N / 2), 1);
    gate_open(gate);
#pragma omp taskwait
    CHECK_EQ(get(to, 0), 7);
    CHECK_EQ(get(to, N / 2), 7);
    CHECK_EQ(get(to, N / 4), form == 1 ? 1 : 7);
#pragma omp depobj(object) destroy
}

int main(void)
{
    place_t places[2 * (DEVICES + 1)];
    watchdog(60);
    for (int d = 0; d < DEVICES; d++) {
        places[2 * d] = make(d);
        places[2 * d + 1] = make(d);
    }
    places[2 * DEVICES] = make(omp_get_initial_device());
    places[2 * DEVICES + 1] = make(omp_get_initial_device());
    for (int form = 0; form < 3; form++) {
        for (int to = 0; to <= DEVICES; to++) {
            for (int from = 0; from <= DEVICES; from++) {
                one(form, places[2 * to], places[2 * from + 1], 0);
                one(form, places[2 * to], places[2 * from + 1], 1);
            }
        }
    }
    return 0;
}
