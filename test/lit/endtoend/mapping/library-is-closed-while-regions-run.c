// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Closing a library with regions waits for its own regions, which another thread may have launched, and for nobody
// else's: a region of the program that waits for what follows the closing does not keep it from returning. (CUDA waits
// for all of a GPU's work when a module is unloaded.)
//
// REQUIRES: device-host
// RUN: %nowait-clang %flags -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %nowait-clang %flags %s -ldl -lpthread -o %t.plugin
// RUN: env NOWAIT_COMPLETION=event %t.plugin %t.so
// RUN: %stock-clang %flags -DLIBRARY -shared -fPIC %s -o %t.stock.so
// RUN: %stock-clang %flags %s -ldl -lpthread -o %t.stock
// RUN: env NOWAIT_COMPLETION=event %nowait-run %t.stock %t.stock.so
#include "check.h"
#include <dlfcn.h>
#include <pthread.h>

#ifdef LIBRARY
static int calls;
#pragma omp declare target to(calls)

void library_region(int *gate, int *ended);

void library_region(int *gate, int *ended)
{
#pragma omp target is_device_ptr(gate, ended) nowait
    {
        gate_wait(gate);
        calls++;
        sleep_us(20000);
        gate_open(ended);
    }
}
#else
struct shared {
    void (*region)(int *, int *);
    int gate, ended, launched;
};

static void *launch(void *argument)
{
    struct shared *s = (struct shared *)argument;
    s->region(&s->gate, &s->ended);
    gate_open(&s->launched);
#pragma omp taskwait
    return NULL;
}

static void *open_later(void *gate)
{
    sleep_us(50000);
    gate_open((int *)gate);
    return NULL;
}

static void *load(const char *path, struct shared *s)
{
    void *library = dlopen(path, RTLD_NOW);
    CHECK(library != NULL);
    s->region = (void (*)(int *, int *))dlsym(library, "library_region");
    CHECK(s->region != NULL);
    return library;
}

/* A region of the program runs until the library has been closed. */
static void beside_the_programs_own(const char *path)
{
    struct shared s = {0};
    int gate = 0, *g = &gate;
    void *library = load(path, &s);
    gate_open(&s.gate);
    s.region(&s.gate, &s.ended);
#pragma omp taskwait
#pragma omp target is_device_ptr(g) nowait
    gate_wait(g);
    dlclose(library);
    gate_open(g);
#pragma omp taskwait
}

static void while_another_threads_region_runs(const char *path)
{
    struct shared s = {0};
    pthread_t launcher, opener;
    void *library = load(path, &s);
    CHECK_EQ(pthread_create(&launcher, NULL, launch, &s), 0);
    wait_for(&s.launched, 1);
    CHECK_EQ(pthread_create(&opener, NULL, open_later, &s.gate), 0);
    dlclose(library);
    CHECK_EQ(peek(&s.ended), 1);
    pthread_join(launcher, NULL);
    pthread_join(opener, NULL);
}

int main(int argc, char **argv)
{
    watchdog(40);
    CHECK_EQ(argc, 2);
    for (int i = 0; i < 5; i++) {
        beside_the_programs_own(argv[1]);
        while_another_threads_region_runs(argv[1]);
    }
    return 0;
}
#endif
