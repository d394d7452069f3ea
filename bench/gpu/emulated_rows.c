/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a runtime costs on the emulated CUDA driver, one CSV line a figure (bench.h): run.sh, and gpu/emulated.sh with
 * more of everything, compile this for stock libomptarget 19 and for this runtime, and run both in turn on the same
 * driver. Kernels take modelled time.
 * Every part also checks its results, and what the driver has given out and not got back.
 */
#include <omp.h>

#include "../bench.h"

static bench_option_t options[] = {{"repetitions", 5}, {"regions", 2000},    {"seconds", 2},       {"pairs", 500},
                                   {"flight", 100000}, {"sequence", 100000}, {NULL, 0}};
enum { REPETITIONS, REGIONS, SECONDS, PAIRS, FLIGHT, SEQUENCE };

typedef struct memory {
    uint64_t device_bytes, device_count, pinned_bytes, pinned_count, managed_bytes, managed_count, device_bytes_high;
    uint64_t streams, events, modules;
} memory_t;

static int present[1024];

static void *emulated(const char *name)
{
    void *address = bench_emulated(name);
    if (!address) {
        fprintf(stderr, "this needs the emulated driver, which is not loaded: no %s\n", name);
        exit(2);
    }
    return address;
}

static void kernels_take(uint64_t ns)
{
    ((void (*)(const char *, uint64_t))emulated("cudaemu_kernel_time"))(NULL, ns);
}

static memory_t memory_in_use(void)
{
    memory_t memory;
    ((void (*)(memory_t *))emulated("cudaemu_memory"))(&memory);
    return memory;
}

/* Time of one empty region with one present map on a clock of the host's, in microseconds. */
static double launch(void *clock)
{
    double spent = 0;
    for (int batch = 0; batch < 20; batch++) {
        double begin = bench_clock(*(clockid_t *)clock);
        for (int i = 0; i < 100; i++) {
#pragma omp target map(tofrom : present) nowait
            present[0] = i;
        }
        spent += bench_clock(*(clockid_t *)clock) - begin;
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
        (void)present[0];
    }
#pragma omp taskwait
    return (bench_now() - begin) * 1e3;
}

/* Processor time while a kernel runs that the main thread waits for, in milliseconds. */
static double idle_cpu(void *unused)
{
    (void)unused;
    double begin = bench_cpu();
#pragma omp target map(to : present) nowait
    (void)present[0];
#pragma omp taskwait
    return (bench_cpu() - begin) * 1e3;
}

/* From the end of a kernel to a host task that depends on it, in microseconds, and no less than that: the construct is
 * in it, since a runtime may start the kernel anywhere in there, or later. */
static void release(long pairs, uint64_t kernel_ns)
{
    double *took = malloc((size_t)pairs * sizeof *took);
    kernels_take(kernel_ns);
    for (long i = 0; i < pairs; i++) {
        double released = 0;
        int order = 0;
        double begin = bench_now();
#pragma omp target map(tofrom : present) depend(out : order) nowait
        {
        }
#pragma omp task depend(in : order) shared(released)
        released = bench_now();
#pragma omp taskwait
        took[i] = (released - begin) * 1e6 - (double)kernel_ns * 1e-3;
    }
    qsort(took, (size_t)pairs, sizeof *took, bench_compare);
    double p99 = took[pairs * 99 / 100];
    bench_report("release", "us", took, (int)pairs);
    bench_report("release_p99", "us", &p99, 1);
    free(took);
}

/* Many regions in flight that map their own data; then it prints the memory that they took. */
static void flight(long regions)
{
    int *counters = calloc((size_t)regions, sizeof *counters);
    double before = bench_resident();
    double begin = bench_now();
    for (long i = 0; i < regions; i++) {
#pragma omp target map(tofrom : counters[i : 1]) firstprivate(i) nowait
        counters[i] += (int)i;
    }
    double launched = (bench_now() - begin) * 1e6 / (double)regions;
    double grown = bench_resident() - before;
#pragma omp taskwait
    memory_t memory = memory_in_use();
    double pinned = (double)memory.pinned_bytes * 1e-6, device = (double)memory.device_bytes_high * 1e-6;
    for (long i = 0; i < regions; i++)
        bench_check("counter", counters[i], i);
    bench_report("flight_launch", "us", &launched, 1);
    bench_report("flight_host_memory", "MB", &grown, 1);
    bench_report("flight_pinned_memory", "MB", &pinned, 1);
    bench_report("flight_device_memory", "MB", &device, 1);
    free(counters);
}

/* Regions one after the other, with fresh data each; what has been taken must not grow with their number. */
static void sequence(long regions)
{
    int value = 0;
    memory_t before = {0}, after;
    double resident_before = 0;
    for (long i = 0; i < regions; i++) {
        if (i == regions / 10) {
            before = memory_in_use();
            resident_before = bench_resident();
        }
#pragma omp target map(tofrom : value) nowait
        value++;
#pragma omp taskwait
    }
    bench_check("value", value, (int)regions);
    double grown = bench_resident() - resident_before;
    after = memory_in_use();
    double device = (double)after.device_bytes - (double)before.device_bytes;
    double pinned = (double)after.pinned_bytes - (double)before.pinned_bytes;
    bench_report("sequence_host_memory", "MB", &grown, 1);
    bench_report("sequence_device_memory", "bytes", &device, 1);
    bench_report("sequence_pinned_memory", "bytes", &pinned, 1);
}

int main(int argc, char **argv)
{
    bench_options(argc, argv, options);
    long repetitions = options[REPETITIONS].value;
    /* Opens the device, loads the image. */
    omp_target_free(omp_target_alloc(64, 0), 0);
    int first = 0;
    double begin = bench_now(), begin_cpu = bench_clock(CLOCK_THREAD_CPUTIME_ID);
#pragma omp target map(tofrom : first) nowait
    first++;
    double took = (bench_now() - begin) * 1e3;
    double took_cpu = (bench_clock(CLOCK_THREAD_CPUTIME_ID) - begin_cpu) * 1e3;
#pragma omp taskwait
    bench_check("first", first, 1);
    bench_report("first_region", "ms", &took, 1);
    bench_report("first_region_cpu", "ms", &took_cpu, 1);
#pragma omp target enter data map(to : present)
    /* The latter is what the constructs cost their thread, on a machine that is busy otherwise, too. */
    clockid_t wall = CLOCK_MONOTONIC, own = CLOCK_THREAD_CPUTIME_ID;
    bench_run("construct_returns", "us", 1, repetitions, launch, &wall);
    bench_run("construct_returns_cpu", "us", 1, repetitions, launch, &own);
    kernels_take(1000000);
    char metric[40];
    snprintf(metric, sizeof metric, "independent_%ld", options[REGIONS].value);
    bench_run(metric, "ms", 1, repetitions, independent, NULL);
    kernels_take((uint64_t)options[SECONDS].value * 1000000000);
    bench_run("idle_cpu", "ms", 0, 1, idle_cpu, NULL);
    release(options[PAIRS].value, 100000);
    kernels_take(2000000);
    flight(options[FLIGHT].value);
    kernels_take(0);
    sequence(options[SEQUENCE].value);
#pragma omp target exit data map(release : present)
    return 0;
}
