/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The graphs of graph.c, put on a GPU by hand with the CUDA driver's own interface: the limit of what a runtime can
 * reach. Every dependence becomes an event between streams, so no host thread takes part once a kernel is launched.
 * (Host tasks can't be written in this way: `mixed` waits on the host before each.)
 *
 * usage: graph_driver LIBCUDA CUBIN OPTION...; the cubin has a kernel "empty" without parameters.
 */
#include <dlfcn.h>

#include "device/cuda/cuda_driver.h"
#include "graph_kernels.h"

#define N_STREAMS 128
#define MOST_READERS 64

static struct {
#define NW_CU_NEEDED(name, symbol, parameters) CUresult(*name) parameters;
#define NW_CU_OPTIONAL NW_CU_NEEDED
#include "device/cuda/cuda_driver.def"
} cu;

#undef NW_CU_NEEDED
#undef NW_CU_OPTIONAL

static void check(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s failed: %d\n", what, (int)result);
    exit(1);
}

#define CU(call, ...) check(cu.call(__VA_ARGS__), #call)

/* What has been done with a cell last: by which kernels, and in which streams those are. */
typedef struct kernel {
    CUevent event;
    int stream, level; /* kernels on the longest path up to it, itself too */
} kernel_t;

typedef struct cell {
    kernel_t writer, readers[MOST_READERS];
    int n_readers;
} cell_t;

static cell_t grid[MOST_CELLS];
static CUstream streams[N_STREAMS];
static kernel_t last[N_STREAMS]; /* of each stream */
static CUevent *events;          /* of all kernels of a graph, used again in the next repetition */
static size_t n_events, events_room;
static CUfunction function;

static CUevent new_event(void)
{
    if (n_events == events_room) {
        size_t room = events_room ? 2 * events_room : 1024;
        events = realloc(events, room * sizeof *events);
        if (!events)
            exit(2);
        for (size_t i = events_room; i < room; i++)
            CU(cuEventCreate, &events[i], CU_EVENT_DISABLE_TIMING);
        events_room = room;
    }
    return events[n_events++];
}

/* Calls `use` for all that a kernel depends on which changes cell c after `n` cells that it reads. */
static void each_before(const int *reads, int n, int c, void (*use)(const kernel_t *before, kernel_t *kernel),
                        kernel_t *kernel)
{
    const cell_t *target = &grid[c];
    use(&target->writer, kernel);
    for (int i = 0; i < n; i++)
        use(&grid[reads[i]].writer, kernel);
    for (int i = 0; i < target->n_readers; i++)
        use(&target->readers[i], kernel);
}

/* A kernel goes behind one that it depends on, if nothing else has gone there before: of those that depend on the same
 * kernel only the first does. */
static void follow(const kernel_t *before, kernel_t *kernel)
{
    if (before->level >= kernel->level)
        kernel->level = before->level + 1;
    if (before->event && last[before->stream].event == before->event)
        kernel->stream = before->stream;
}

/* The others go where the last kernel is done soonest. All kernels take the same time, so one of a lower level than
 * theirs is done before they can begin, and nothing waits that need not. */
static int least_stream(void)
{
    int least = 0;
    for (int i = 1; i < N_STREAMS && last[least].level > 0; i++)
        least = last[i].level < last[least].level ? i : least;
    return least;
}

static void wait_for(const kernel_t *before, kernel_t *kernel)
{
    if (before->event && before->stream != kernel->stream)
        CU(cuStreamWaitEvent, streams[kernel->stream], before->event, 0);
}

/* Launches a kernel that changes cell c after `n` cells that it reads. */
static void put_kernel(const int *reads, int n, int c)
{
    kernel_t kernel = {NULL, -1, 1};
    each_before(reads, n, c, follow, &kernel);
    if (kernel.stream < 0)
        kernel.stream = least_stream();
    each_before(reads, n, c, wait_for, &kernel);
    CU(cuLaunchKernel, function, 1, 1, 1, 1, 1, 1, 0, streams[kernel.stream], NULL, NULL);
    kernel.event = new_event();
    CU(cuEventRecord, kernel.event, streams[kernel.stream]);
    last[kernel.stream] = kernel;
    cell_t *target = &grid[c];
    target->writer = kernel;
    target->n_readers = 0;
    for (int i = 0; i < n; i++) {
        cell_t *read = &grid[reads[i]];
        if (read != target && read->n_readers < MOST_READERS)
            read->readers[read->n_readers++] = kernel;
    }
}

static void host(int c)
{
    if (grid[c].writer.event)
        CU(cuEventSynchronize, grid[c].writer.event);
}

/* Returns milliseconds. */
static double makespan(void *unused)
{
    (void)unused;
    memset(grid, 0, sizeof grid);
    memset(last, 0, sizeof last);
    n_events = 0;
    double begin = bench_now();
    draw((int)options[GRAPH].value, (int)options[WIDTH].value, (int)options[STEPS].value);
    for (int i = 0; i < N_STREAMS; i++) {
        if (last[i].event)
            CU(cuStreamSynchronize, streams[i]);
    }
    return (bench_now() - begin) * 1e3;
}

static void *read_file(const char *path)
{
    static char bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file || fread(bytes, 1, sizeof bytes, file) == 0) {
        fprintf(stderr, "%s: can't be read\n", path);
        exit(2);
    }
    fclose(file);
    return bytes;
}

static void open_gpu(const char *library, const char *cubin)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    void *handle = dlopen(library, RTLD_NOW);
    if (!handle) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
#define NW_CU_NEEDED(name, symbol, parameters) *(void **)&cu.name = dlsym(handle, #symbol);
#define NW_CU_OPTIONAL NW_CU_NEEDED
#include "device/cuda/cuda_driver.def"
    CU(cuInit, 0);
    CU(cuDeviceGet, &device, 0);
    CU(cuDevicePrimaryCtxRetain, &context, device);
    CU(cuCtxSetCurrent, context);
    CU(cuModuleLoadDataEx, &module, read_file(cubin), 0, NULL, NULL);
    CU(cuModuleGetFunction, &function, module, "empty");
    for (int i = 0; i < N_STREAMS; i++)
        CU(cuStreamCreate, &streams[i], CU_STREAM_NON_BLOCKING);
}

int main(int argc, char **argv)
{
    char metric[64];
    if (argc < 3) {
        fprintf(stderr, "usage: %s LIBCUDA CUBIN [OPTION...]\n", argv[0]);
        return 2;
    }
    graph_options(argc - 2, argv + 2, metric, sizeof metric);
    open_gpu(argv[1], argv[2]);
    bench_run(metric, "ms", options[WARMUP].value, options[REPETITIONS].value, makespan, NULL);
    return 0;
}
