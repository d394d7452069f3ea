// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shared library with regions and device variables of its own is loaded after the program has used the device, used,
// closed and loaded again; its images come and go while the program's regions go on.
//
// RUN: %nowait-clang %flags -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %nowait-clang %flags %s -ldl -o %t.plugin
// RUN: env NOWAIT_COMPLETION=event %t.plugin %t.so
// RUN: env NOWAIT_COMPLETION=requeue LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin %t.so
// RUN: %stock-clang %flags -DLIBRARY -shared -fPIC %s -o %t.stock.so
// RUN: %stock-clang %flags %s -ldl -o %t.stock
// RUN: %nowait-run %t.stock %t.stock.so
// RUN: %t.plugin %t.stock.so
#include "check.h"
#include <dlfcn.h>

#ifdef LIBRARY
static int calls;
#pragma omp declare target to(calls)

int library_region(int v);

int library_region(int v)
{
    int x = v, n = 0;
#pragma omp target map(tofrom : x) map(from : n) nowait
    {
        x *= 2;
        n = ++calls;
    }
#pragma omp taskwait
    return 1000 * n + x;
}
#else
static void own_region(void)
{
    int x = 1;
#pragma omp target map(tofrom : x) nowait
    x++;
#pragma omp taskwait
    CHECK_EQ(x, 2);
}

int main(int argc, char **argv)
{
    watchdog(40);
    CHECK_EQ(argc, 2);
    own_region();
    for (int rep = 0; rep < 5; rep++) {
        void *library = dlopen(argv[1], RTLD_NOW);
        if (library == NULL)
            fprintf(stderr, "%s\n", dlerror());
        CHECK(library != NULL);
        int (*region)(int) = (int (*)(int))dlsym(library, "library_region");
        CHECK(region != NULL);
        int before = region(rep);
        CHECK_EQ(before % 1000, 2 * rep);
        CHECK_EQ(region(rep), before + 1000);
        own_region();
        dlclose(library);
        own_region();
    }
    return 0;
}
#endif
