/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An OpenMP program for the emulated CUDA device: constructs of every kind that reach the driver, and right answers.
 * Written for stock libomptarget, which must run on the emulated driver as it does on a real one. */
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("line %d: %s\n", __LINE__, #condition);                                                             \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { N = 100000, TASKS = 64 };

#pragma omp declare target
int table[4] = {1, 2, 3, 4};
#pragma omp end declare target

static double values[N];

static void kernels_compute(void)
{
#pragma omp target teams distribute parallel for map(from : values)
    for (int i = 0; i < N; i++)
        values[i] = i + table[1];
    for (int i = 0; i < N; i++)
        CHECK(values[i] == i + 2);
    double sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : values)
    for (int i = 0; i < N; i++)
        sum += values[i];
    CHECK(sum == (double)N * (N - 1) / 2 + 2.0 * N);
}

static void variables_are_the_devices_own(void)
{
    int seen = 0;
    table[2] = 50;
#pragma omp target map(from : seen)
    seen = table[2];
    CHECK(seen == 3);
#pragma omp target update to(table)
#pragma omp target map(from : seen)
    seen = table[2];
    CHECK(seen == 50);
}

static void deferred_regions_keep_their_order(void)
{
    static double cells[TASKS];
    double total = 0;
    for (int i = 0; i < TASKS; i++) {
#pragma omp target nowait map(tofrom : cells [i:1]) firstprivate(i)
        cells[i] += i;
    }
#pragma omp taskwait
    for (int i = 0; i < TASKS; i++)
        total += cells[i];
    CHECK(total == TASKS * (TASKS - 1) / 2);
    double chain = 1;
#pragma omp target data map(tofrom : chain)
    {
        for (int i = 0; i < TASKS; i++) {
#pragma omp target nowait depend(inout : chain) map(tofrom : chain)
            chain = chain * 0.5 + 1;
        }
#pragma omp taskwait
    }
    CHECK(chain > 1.99 && chain <= 2);
}

static void memory_moves_between_devices(void)
{
    int host = omp_get_initial_device(), last = omp_get_num_devices() - 1;
    char *first = omp_target_alloc(N, 0), *second = omp_target_alloc(N, last);
    char *text = malloc(N), *back = malloc(N);
    CHECK(first && second && text && back);
    for (int i = 0; i < N; i++)
        text[i] = (char)(i * 7);
    CHECK(omp_target_memcpy(first, text, N, 0, 0, 0, host) == 0);
    CHECK(omp_target_memcpy(second, first, N, 0, 0, last, 0) == 0);
    CHECK(omp_target_memcpy(back, second, N, 0, 0, host, last) == 0);
    CHECK(memcmp(text, back, N) == 0);
    omp_target_free(first, 0);
    omp_target_free(second, last);
    free(text);
    free(back);
}

/* That all this was the driver's doing: kernels were launched, and no rule was broken. */
static void driver_was_used_well(void)
{
    void *driver = dlopen("libcuda.so", RTLD_NOW | RTLD_NOLOAD);
    CHECK(driver);
    uint64_t (*calls)(const char *) = (uint64_t(*)(const char *))dlsym(driver, "cudaemu_calls");
    uint64_t (*misuses)(void) = (uint64_t(*)(void))dlsym(driver, "cudaemu_misuses");
    CHECK(calls && misuses);
    CHECK(calls("cuLaunchKernel") >= 2 * TASKS + 4);
    CHECK(calls("cuMemcpyHtoDAsync") > TASKS);
    CHECK(misuses() == 0);
}

int main(void)
{
    CHECK(omp_get_num_devices() >= 1);
    kernels_compute();
    variables_are_the_devices_own();
    deferred_regions_keep_their_order();
    memory_moves_between_devices();
    driver_was_used_well();
    puts("all right");
    return 0;
}
