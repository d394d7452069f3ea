/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Regions in the steady state, each thread on a device of its own, between two marks for whoever counts: path_begin and
 * path_end of count_calls.c, if that is preloaded, and two getppid calls for strace.
 *
 * usage: NOWAIT_HOST_WORKERS=4 region_path THREADS BATCHES [SHAPE]
 *
 * SHAPE: `kernels` with a few maps, without dependences; `maps`: with sixteen; `chain`: each depends on the one before;
 * `data`: enter data, update and exit data.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lit/endtoend/Inputs/check.h"

void path_thread(int number) __attribute__((weak));
void path_begin(void) __attribute__((weak));
void path_end(void) __attribute__((weak));

enum { BATCH = 50 };

/* While it is closed, nothing of a batch ends: so each thread has all of one in flight at once before anything is
 * counted, and what grows with what is in flight has grown. */
static int gate;

static void kernels(int device, int words[static 5][16])
{
    int *a = words[0], *b = words[1], *c = words[2], *d = words[3], *open = &gate;
    for (int i = 0; i < BATCH; i++) {
#pragma omp target map(tofrom : a[0 : 16], b[0 : 16]) map(to : c[0 : 16]) is_device_ptr(open) device(device) nowait
        {
            gate_wait(open);
            (void)c, a[0]++, b[1]++;
        }
#pragma omp target map(always, tofrom : d[0 : 16]) firstprivate(i) is_device_ptr(open) device(device) nowait
        {
            gate_wait(open);
            d[0] = i;
        }
    }
    gate_open(open);
#pragma omp taskwait
}

static void maps(int device, int words[static 5][16])
{
    int(*a)[16] = words, *open = &gate;
    for (int i = 0; i < 2 * BATCH; i++) {
#pragma omp target map(tofrom : a[0][0 : 4], a[0][4 : 4], a[0][8 : 4], a[0][12 : 4])                                   \
    map(tofrom : a[1][0 : 4], a[1][4 : 4], a[1][8 : 4], a[1][12 : 4])                                                  \
    map(to : a[2][0 : 4], a[2][4 : 4], a[2][8 : 4], a[2][12 : 4])                                                      \
    map(from : a[3][0 : 4], a[3][4 : 4], a[3][8 : 4], a[3][12 : 4]) is_device_ptr(open) device(device) nowait
        {
            gate_wait(open);
            a[0][0]++;
        }
    }
    gate_open(open);
#pragma omp taskwait
}

static void chain(int device, int words[static 5][16])
{
    int *a = words[0], *open = &gate;
    for (int i = 0; i < 2 * BATCH; i++) {
#pragma omp target map(tofrom : a[0 : 16]) is_device_ptr(open) device(device) depend(inout : a[0]) nowait
        {
            gate_wait(open);
            a[0]++;
        }
    }
    gate_open(open);
#pragma omp taskwait
}

/* Of memory that is not mapped otherwise. */
static void data(int device, int words[static 5][16])
{
    int *more = words[4], *open = &gate;
#pragma omp target is_device_ptr(open) device(device) depend(inout : more[0]) nowait
    gate_wait(open);
    for (int i = 0; i < BATCH / 2; i++) {
#pragma omp target enter data map(to : more[0 : 16]) device(device) depend(inout : more[0]) nowait
#pragma omp target update to(more[0 : 8]) device(device) depend(inout : more[0]) nowait
#pragma omp target update from(more[8 : 8]) device(device) depend(inout : more[0]) nowait
#pragma omp target exit data map(from : more[0 : 16]) device(device) depend(inout : more[0]) nowait
    }
    gate_open(open);
#pragma omp taskwait
}

static const struct {
    const char *name;
    void (*batch)(int device, int words[static 5][16]);
} shapes[] = {{"kernels", kernels}, {"maps", maps}, {"chain", chain}, {"data", data}};

/* Starts all workers of the CPU devices (NOWAIT_HOST_WORKERS). */
static void warm_up(int device)
{
    for (int i = 0; i < 12; i++) {
#pragma omp target device(device) nowait
        sleep_us(10000);
    }
#pragma omp taskwait
}

int main(int argc, char **argv)
{
    static int words[8][5][16];
    void (*batch)(int, int[static 5][16]) = NULL;
    watchdog(100);
    CHECK(argc == 3 || argc == 4);
    int threads = atoi(argv[1]), batches = atoi(argv[2]);
    CHECK(threads >= 1 && threads <= 8 && batches >= 1);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (strcmp(argc > 3 ? argv[3] : "kernels", shapes[i].name) == 0)
            batch = shapes[i].batch;
    }
    CHECK(batch != NULL);
#pragma omp parallel num_threads(threads)
    {
        int me = omp_get_thread_num(), (*own)[16] = words[me];
        if (path_thread)
            path_thread(me);
#pragma omp target enter data map(to : own[0 : 4]) device(me)
        warm_up(me);
        for (int i = 0; i < 30; i++) {
#pragma omp barrier
#pragma omp single
            gate = 0;
            batch(me, own);
        }
#pragma omp barrier
#pragma omp master
        {
            if (path_begin)
                path_begin();
            (void)getppid();
        }
#pragma omp barrier
        for (int i = 0; i < batches; i++)
            batch(me, own);
#pragma omp barrier
#pragma omp master
        {
            (void)getppid();
            if (path_end)
                path_end();
        }
#pragma omp barrier
#pragma omp target exit data map(delete : own[0 : 4]) device(me)
    }
    return 0;
}
