// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two libraries made from one source: their regions have the same names, and so have their device variables. Each runs
// its own, whichever is loaded, closed and loaded again, and the program has such a region too.
//
// RUN: %nowait-clang %flags -DFACTOR=2 -shared -fPIC %s -o %t.two.so
// RUN: %nowait-clang %flags -DFACTOR=3 -shared -fPIC %s -o %t.three.so
// RUN: %nowait-clang %flags %s -ldl -o %t.plugin
// RUN: env NOWAIT_COMPLETION=event %t.plugin %t.two.so %t.three.so
// RUN: env NOWAIT_COMPLETION=requeue LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin %t.two.so %t.three.so
// RUN: %stock-clang %flags -DFACTOR=2 -shared -fPIC %s -o %t.two.stock.so
// RUN: %stock-clang %flags -DFACTOR=3 -shared -fPIC %s -o %t.three.stock.so
// RUN: %stock-clang %flags %s -ldl -o %t.stock
// RUN: %nowait-run %t.stock %t.two.stock.so %t.three.stock.so
// RUN: %t.plugin %t.two.stock.so %t.three.so
#include "check.h"
#include <dlfcn.h>

#ifndef FACTOR
#define PROGRAM
#define FACTOR 5
#endif

#pragma omp begin declare target
static int calls = 100 * FACTOR;
#pragma omp end declare target

int multiply(int x);

int multiply(int x)
{
    int result = x, count = 0;
#pragma omp target map(tofrom : result) map(from : count) nowait
    {
        result *= FACTOR;
        count = ++calls;
    }
#pragma omp taskwait
    return 1000 * count + result;
}

#ifdef PROGRAM
static void *load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fprintf(stderr, "%s\n", dlerror());
    CHECK(library != NULL);
    return library;
}

static int call(void *library, int x)
{
    int (*function)(int) = (int (*)(int))dlsym(library, "multiply");
    CHECK(function != NULL && function != multiply);
    return function(x);
}

int main(int argc, char **argv)
{
    watchdog(60);
    CHECK_EQ(argc, 3);
    CHECK_EQ(multiply(7), 501000 + 35);
    void *two = load(argv[1]), *three = load(argv[2]);
    CHECK_EQ(call(two, 7), 201000 + 14);
    CHECK_EQ(call(three, 7), 301000 + 21);
    CHECK_EQ(call(two, 8), 202000 + 16);
    CHECK_EQ(multiply(8), 502000 + 40);
    dlclose(two);
    CHECK_EQ(call(three, 8), 302000 + 24);
    two = load(argv[1]);
    CHECK_EQ(call(two, 1), 201000 + 2);
    CHECK_EQ(multiply(1), 503000 + 5);
    dlclose(three);
    dlclose(two);
    CHECK_EQ(multiply(1), 504000 + 5);
    return 0;
}
#endif
