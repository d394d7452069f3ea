// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions in the constructor of a library that one thread opens, and in the destructor of one that it closes, while
// another thread asks for the devices, or opens one, for the first time: who is in a constructor has the loader's lock,
// which the other one needs, and neither may wait for the other. Nor may a region of the program that begins on a
// device's thread, when another one is over, while a library is closed whose region comes behind it.
//
// RUN: %nowait-clang %flags -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: cp %t.so %t.other.so
// RUN: %nowait-clang %flags %s -ldl -lpthread -rdynamic -o %t
// RUN: %t opening %t.so
// RUN: %t asking %t.so
// RUN: %t closing %t.so
// RUN: %t beside %t.so
// RUN: env NOWAIT_HOST_WORKERS=1 NOWAIT_COMPLETION=event %t released %t.so %t.other.so
// RUN: %on-cuda %t opening %t.so
// RUN: %on-cuda %t asking %t.so
// RUN: %on-cuda %t closing %t.so
#include "check.h"
#include <dlfcn.h>
#include <pthread.h>

/* The program's. What a library's constructor and destructor do, and where they are. */
extern int constructor_asks, constructor_has_region, destructor_has_region, is_inside;

static int double_on_device(int value)
{
#pragma omp target map(tofrom : value) nowait
    value *= 2;
#pragma omp taskwait
    return value;
}

#ifdef LIBRARY
/* Time for the other thread to get into the middle of what it does. */
static void stay_inside(void)
{
    gate_open(&is_inside);
    sleep_us(100000);
}

__attribute__((constructor)) static void begin(void)
{
    if (constructor_asks || constructor_has_region)
        stay_inside();
    if (constructor_asks)
        CHECK_GE(omp_get_num_devices(), 1);
    if (constructor_has_region)
        CHECK_EQ(double_on_device(21), 42);
}

__attribute__((destructor)) static void end(void)
{
    if (!destructor_has_region)
        return;
    stay_inside();
    CHECK_EQ(double_on_device(21), 42);
}

void library_region(int *gate);

void library_region(int *gate)
{
#pragma omp target is_device_ptr(gate) nowait
    gate_wait(gate);
}
#else
int constructor_asks, constructor_has_region, destructor_has_region, is_inside;

static void *open_library(void *path)
{
    void *library = dlopen((const char *)path, RTLD_NOW);
    CHECK(library != NULL);
    return library;
}

static void *close_library(void *library)
{
    CHECK_EQ(dlclose(library), 0);
    return NULL;
}

static void *ask_for_devices(void *unused)
{
    wait_for(&is_inside, 1);
    CHECK_GE(omp_get_num_devices(), 1);
    return unused;
}

/* While another thread is in the library's code. */
static void first_region_beside(void *(*what)(void *), void *argument, int asks_only)
{
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, what, argument), 0);
    wait_for(&is_inside, 1);
    if (asks_only)
        CHECK_GE(omp_get_num_devices(), 1);
    CHECK_EQ(double_on_device(4), 8);
    pthread_join(thread, NULL);
}

/* This thread opens the library, the other one asks. */
static void open_beside_another(const char *path)
{
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, ask_for_devices, NULL), 0);
    open_library((void *)path);
    pthread_join(thread, NULL);
    CHECK_EQ(double_on_device(4), 8);
}

static void *open_gate_later(void *gate)
{
    sleep_us(50000);
    gate_open((int *)gate);
    return NULL;
}

/* With one worker: the library's region comes behind the program's first, at whose end the program's second begins on
 * that worker; its device has not seen the other library yet. */
static void close_while_released(const char *path, const char *other)
{
    int gate = 0, open = 1, *g = &gate, x = 0;
    pthread_t opener;
    void *library = open_library((void *)path);
    void (*region)(int *) = (void (*)(int *))dlsym(library, "library_region");
    CHECK(region != NULL);
    region(&open);
#pragma omp taskwait
#pragma omp target is_device_ptr(g) map(tofrom : x) depend(inout : x) nowait
    {
        gate_wait(g);
        x = 1;
    }
#pragma omp target map(tofrom : x) depend(inout : x) nowait
    x++;
    region(&open);
    open_library((void *)other);
    CHECK_EQ(pthread_create(&opener, NULL, open_gate_later, g), 0);
    close_library(library);
#pragma omp taskwait
    CHECK_EQ(x, 2);
    pthread_join(opener, NULL);
}

int main(int argc, char **argv)
{
    watchdog(60);
    CHECK_GE(argc, 3);
    const char *way = argv[1], *path = argv[2];
    /* libomp itself asks the loader while it holds a lock that a constructor with regions wants. */
    omp_get_max_threads();
    if (strcmp(way, "opening") == 0) {
        constructor_has_region = 1;
        first_region_beside(open_library, (void *)path, 0);
    } else if (strcmp(way, "asking") == 0) {
        constructor_asks = constructor_has_region = 1;
        first_region_beside(open_library, (void *)path, 1);
    } else if (strcmp(way, "closing") == 0) {
        destructor_has_region = 1;
        first_region_beside(close_library, open_library((void *)path), 0);
    } else if (strcmp(way, "beside") == 0) {
        constructor_asks = constructor_has_region = 1;
        open_beside_another(path);
    } else {
        CHECK_EQ(argc, 4);
        close_while_released(path, argv[3]);
    }
    return 0;
}
#endif
