/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What scripts/gpu-check.sh measures on a real GPU, one CSV line a figure (bench.h). The same source is compiled for
 * stock libomptarget and for this runtime. Every part also checks its results. (On the emulated driver it runs, too, to
 * try the script; its figures mean nothing there.)
 */
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>

#include "../bench.h"

static bench_option_t options[] = {{"repetitions", 5}, {"regions", 2000}, {"seconds", 2},   {"megabytes", 256},
                                   {"pairs", 500},     {"flight", 20000}, {NULL, 0}};
enum { REPETITIONS, REGIONS, SECONDS, MEGABYTES, PAIRS, FLIGHT };

static int present[1024];

#pragma omp begin declare target
/* Nanoseconds of the GPU's clock. */
static uint64_t gpu_clock(void)
{
    uint64_t now = 0;
#ifdef __NVPTX__
    __asm__ volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
#else
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    now = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
#endif
    return now;
}

static void busy(uint64_t ns)
{
    uint64_t end = gpu_clock() + ns;
    while (gpu_clock() < end)
        ;
}
#pragma omp end declare target

/* The program's own access to the driver, which the runtime has loaded. */
static void *driver;

static void *driver_function(const char *name)
{
    if (!driver)
        driver = dlopen("libcuda.so.1", RTLD_NOW);
    void *address = driver ? dlsym(driver, name) : NULL;
    if (!address) {
        fprintf(stderr, "the driver has no %s\n", name);
        exit(2);
    }
    return address;
}

/* Megabytes of the GPU's memory that are taken, by all its users. */
static double on_gpu(void)
{
    size_t left = 0, total = 0;
    bench_check("cuMemGetInfo", ((int (*)(size_t *, size_t *))driver_function("cuMemGetInfo_v2"))(&left, &total), 0);
    return (double)(total - left) * 1e-6;
}

/* How long the first construct with nowait takes to return, on an open device, in milliseconds. */
static void first_region(void)
{
    int first = 0;
    double begin = bench_now();
#pragma omp target map(tofrom : first) nowait
    first++;
    double took = (bench_now() - begin) * 1e3;
#pragma omp taskwait
    bench_check("first", first, 1);
    bench_report("first-region", "ms", &took, 1);
}

/* Host time of one empty region with one present map, in microseconds. */
static double launch(void *unused)
{
    (void)unused;
    double spent = 0;
    for (int batch = 0; batch < 20; batch++) {
        double begin = bench_now();
        for (int i = 0; i < 100; i++) {
#pragma omp target map(tofrom : present) nowait
            present[0] = i;
        }
        spent += bench_now() - begin;
#pragma omp taskwait
    }
    return spent * 1e6 / 2000;
}

static double independent(void *unused)
{
    (void)unused;
    double begin = bench_now();
    for (long i = 0; i < options[REGIONS].value; i++) {
#pragma omp target map(to : present) nowait
        busy(1000000);
    }
#pragma omp taskwait
    return (bench_now() - begin) * 1e3;
}

/* Processor time of all threads while one kernel runs and the main thread waits, in seconds. */
static double idle_cpu(void *unused)
{
    (void)unused;
    long seconds = options[SECONDS].value;
    double begin = bench_cpu();
#pragma omp target map(to : present) firstprivate(seconds) nowait
    busy((uint64_t)seconds * 1000000000);
#pragma omp taskwait
    return bench_cpu() - begin;
}

/* Time of a kernel that depends on the one before, in microseconds. */
static double chain(void *unused)
{
    (void)unused;
    int order = 0, value = 0;
    double begin = bench_now();
#pragma omp target data map(tofrom : value)
    {
        for (int i = 0; i < 1000; i++) {
#pragma omp target map(tofrom : value) depend(inout : order) nowait
            value++;
        }
#pragma omp taskwait
    }
    double took = (bench_now() - begin) * 1e6 / 1000;
    bench_check("chain", value, 1000);
    return took;
}

/* From the end of a kernel to a host task that depends on it, in microseconds, and no less than that: the construct and
 * what the driver and the GPU take to start a kernel are in it, since no clock tells host and GPU alike. */
static void release(long pairs)
{
    enum { BUSY_NS = 100000 };
    double *took = malloc((size_t)pairs * sizeof *took);
    for (long i = 0; i < pairs; i++) {
        double released = 0;
        int order = 0;
        double begin = bench_now();
#pragma omp target map(to : present) depend(out : order) nowait
        busy(BUSY_NS);
#pragma omp task depend(in : order) shared(released)
        released = bench_now();
#pragma omp taskwait
        took[i] = (released - begin) * 1e6 - BUSY_NS * 1e-3;
    }
    bench_report("release", "us", took, pairs);
    double p99 = took[pairs * 99 / 100];
    bench_report("release-p99", "us", &p99, 1);
    free(took);
}

/* Many regions in flight, of 1 ms each, that map their own data; and the memory that they take. */
static void flight(long regions)
{
    int *counters = calloc((size_t)regions, sizeof *counters);
    double host = bench_resident(), gpu = on_gpu();
    double begin = bench_now();
    for (long i = 0; i < regions; i++) {
#pragma omp target map(tofrom : counters[i : 1]) firstprivate(i) nowait
        {
            busy(1000000);
            counters[i] += (int)i;
        }
    }
    double launched = (bench_now() - begin) * 1e6 / (double)regions;
    host = bench_resident() - host;
    gpu = on_gpu() - gpu;
#pragma omp taskwait
    for (long i = 0; i < regions; i++)
        bench_check("counter", counters[i], i);
    bench_report("flight-launch", "us", &launched, 1);
    bench_report("flight-host-memory", "MB", &host, 1);
    bench_report("flight-device-memory", "MB", &gpu, 1);
    free(counters);
}

/* Gigabytes per second of a large map(to) and map(from), with the host free meanwhile. */
static double copy_rate(void *memory)
{
    unsigned char *bytes = memory;
    size_t size = (size_t)options[MEGABYTES].value << 20;
    bytes[size - 1] = 7;
    double begin = bench_now();
#pragma omp target map(tofrom : bytes[0 : size]) nowait
    bytes[size - 1]++;
#pragma omp taskwait
    double took = bench_now() - begin;
    bench_check("copied", bytes[size - 1], 8);
    return 2.0 * (double)size / took * 1e-9;
}

/* A kernel beside a large copy: 1 if they overlap entirely, 0 if one waits for the other. */
static double overlap(void *memory)
{
    unsigned char *bytes = memory;
    size_t size = (size_t)options[MEGABYTES].value << 20;
    double begin = bench_now();
#pragma omp target enter data map(to : bytes[0 : size]) nowait
#pragma omp taskwait
    double copy = bench_now() - begin;
#pragma omp target exit data map(release : bytes[0 : size])
    uint64_t ns = (uint64_t)(copy * 1e9);
    begin = bench_now();
#pragma omp target map(to : present) firstprivate(ns) nowait
    busy(ns);
#pragma omp target enter data map(to : bytes[0 : size]) nowait
#pragma omp taskwait
    double both = bench_now() - begin;
#pragma omp target exit data map(release : bytes[0 : size])
    return 2 - both / copy;
}

/* The driver's own rate of launches, in microseconds each: what no runtime can be faster than. */
static const char empty_ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry empty() { ret; }\n";

static double raw_launch(void *function)
{
    int (*launch_kernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                         void **) = driver_function("cuLaunchKernel");
    int (*synchronize)(void) = driver_function("cuCtxSynchronize");
    double begin = bench_now();
    for (int i = 0; i < 1000; i++)
        bench_check("cuLaunchKernel", launch_kernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL), 0);
    double took = bench_now() - begin;
    synchronize();
    return took * 1e6 / 1000;
}

static void *empty_kernel(void)
{
    void *module, *function;
    bench_check("cuModuleLoadData",
                ((int (*)(void **, const void *))driver_function("cuModuleLoadData"))(&module, empty_ptx), 0);
    int (*get_function)(void **, void *, const char *) = driver_function("cuModuleGetFunction");
    bench_check("cuModuleGetFunction", get_function(&function, module, "empty"), 0);
    return function;
}

int main(int argc, char **argv)
{
    bench_options(argc, argv, options);
    long repetitions = options[REPETITIONS].value;
    if (omp_get_num_devices() == 0) {
        fprintf(stderr, "%s: no GPU: nothing is measured\n", argv[0]);
        return 2;
    }
    double begin = bench_now();
#pragma omp target enter data map(to : present)
    double opened = (bench_now() - begin) * 1e3;
    bench_report("open", "ms", &opened, 1);
    first_region();
    bench_run("launch", "us", 1, repetitions, launch, NULL);
    bench_run("independent", "ms", 1, repetitions, independent, NULL);
    bench_run("chain", "us", 1, repetitions, chain, NULL);
    bench_run("idle-cpu", "s", 0, 1, idle_cpu, NULL);
    release(options[PAIRS].value);
    flight(options[FLIGHT].value);
    size_t size = (size_t)options[MEGABYTES].value << 20;
    void *pageable = malloc(size), *pinned;
    memset(pageable, 1, size);
    bench_run("copy-pageable", "GB/s", 1, repetitions, copy_rate, pageable);
    bench_run("overlap-pageable", "share", 1, repetitions, overlap, pageable);
    void *function = empty_kernel();
    bench_run("raw-launch", "us", 1, repetitions, raw_launch, function);
    bench_check("cuMemHostAlloc",
                ((int (*)(void **, size_t, unsigned))driver_function("cuMemHostAlloc"))(&pinned, size, 1), 0);
    memset(pinned, 1, size);
    bench_run("copy-pinned", "GB/s", 1, repetitions, copy_rate, pinned);
    bench_run("overlap-pinned", "share", 1, repetitions, overlap, pinned);
    ((int (*)(void *))driver_function("cuMemFreeHost"))(pinned);
    free(pageable);
#pragma omp target exit data map(release : present)
    return 0;
}
