/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Streams of the emulated driver: order within one, events between them, host functions, words in memory. */
#include <dirent.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cudaemu/emu_test.h"

static CUmodule module;
static CUfunction empty;

/* Milliseconds that a kernel takes which must still be going on when the test looks. */
enum { LONG_MS = 400 };

static int begin(void **state)
{
    begin_context();
    module = load_image("kernels.cubin");
    empty = function_of(module, "empty");
    *state = NULL;
    return 0;
}

static void launch(CUstream stream)
{
    OK(cuLaunchKernel(empty, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL));
}

static void launch_long(CUstream stream)
{
    cudaemu_kernel_time("empty", (uint64_t)LONG_MS * 1000000);
    launch(stream);
    cudaemu_kernel_time("empty", 0);
}

static int n_threads(void)
{
    int n = 0;
    DIR *folder = opendir("/proc/self/task");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        n += entry->d_name[0] != '.';
    closedir(folder);
    return n;
}

/* A long kernel is not over at once, and is over after a wait. */
static void kernel_takes_its_time(void **state)
{
    (void)state;
    CUstream stream = new_stream();
    OK(cuStreamQuery(stream));
    launch_long(stream);
    assert_int_equal(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    uint64_t before = emu_now();
    OK(cuStreamSynchronize(stream));
    OK(cuStreamQuery(stream));
    assert_true(emu_now() - before < (uint64_t)60 * 1000000000);
    OK(cuStreamDestroy_v2(stream));
}

/* A copy behind a long kernel has not happened before it is over. */
static void commands_wait_for_what_is_before_them(void **state)
{
    (void)state;
    CUstream stream = new_stream();
    CUdeviceptr device = device_memory(8);
    uint64_t *host = pinned_memory(8);
    OK(cuMemsetD32_v2(device, 0x01010101, 2));
    OK(cuStreamSynchronize(NULL));
    *host = 7;
    launch_long(stream);
    OK(cuMemcpyDtoHAsync_v2(host, device, 8, stream));
    assert_int_equal(__atomic_load_n(host, __ATOMIC_RELAXED), 7);
    OK(cuStreamSynchronize(stream));
    assert_int_equal(*host, 0x0101010101010101);
    OK(cuMemFree_v2(device));
    OK(cuMemFreeHost(host));
    OK(cuStreamDestroy_v2(stream));
}

/* Thousands of kernels in flight: neither threads nor time but their own. 2000 kernels of 400 ms one after another
 * would take longer than the watchdog allows. */
static void kernels_in_flight_cost_no_threads(void **state)
{
    enum { N = 2000 };
    static CUstream streams[N];
    (void)state;
    for (int i = 0; i < N; i++)
        streams[i] = new_stream();
    cudaemu_kernel_time("empty", (uint64_t)LONG_MS * 1000000);
    for (int i = 0; i < N; i++)
        launch(streams[i]);
    assert_int_equal(cuStreamQuery(streams[N - 1]), CUDA_ERROR_NOT_READY);
    assert_true(n_threads() <= 8);
    OK(cuCtxSynchronize());
    cudaemu_kernel_time("empty", 0);
    for (int i = 0; i < N; i++) {
        OK(cuStreamQuery(streams[i]));
        OK(cuStreamDestroy_v2(streams[i]));
    }
}

static void event_orders_two_streams(void **state)
{
    CUstream first = new_stream(), second = new_stream();
    CUevent event;
    uint32_t *word = pinned_memory(4);
    (void)state;
    *word = 0;
    OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    OK(cuEventQuery(event)); /* never recorded */
    OK(cuStreamWaitEvent(second, event, 0));
    OK(cuStreamQuery(second));
    launch_long(first);
    OK(cuEventRecord(event, first));
    assert_int_equal(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    OK(cuStreamWaitEvent(second, event, 0));
    OK(cuStreamWriteValue32_v2(second, (CUdeviceptr)word, 1, 0));
    assert_int_equal(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
    assert_int_equal(__atomic_load_n(word, __ATOMIC_ACQUIRE), 0);
    OK(cuEventDestroy_v2(event)); /* who waits for it goes on waiting */
    assert_int_equal(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
    OK(cuStreamSynchronize(second));
    assert_int_equal(*word, 1);
    OK(cuStreamQuery(first));
    OK(cuMemFreeHost(word));
    OK(cuStreamDestroy_v2(first));
    OK(cuStreamDestroy_v2(second));
}

/* The time between two events is what the stream did between them, and is told only when both are over. */
static void events_tell_the_time_between_them(void **state)
{
    CUstream stream = new_stream();
    CUevent begin, end, untimed;
    float ms = 0;
    (void)state;
    OK(cuEventCreate(&begin, 0));
    OK(cuEventCreate(&end, 0));
    OK(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    assert_int_equal(cuEventElapsedTime(&ms, begin, end), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventRecord(begin, stream));
    launch_long(stream);
    OK(cuEventRecord(end, stream));
    OK(cuEventRecord(untimed, stream));
    assert_int_equal(cuEventElapsedTime(&ms, begin, end), CUDA_ERROR_NOT_READY);
    OK(cuStreamSynchronize(stream));
    OK(cuEventElapsedTime(&ms, begin, end));
    assert_true(ms >= (float)LONG_MS - 0.01F && ms < 60000);
    OK(cuEventElapsedTime(&ms, end, begin));
    assert_true(ms < 0);
    assert_int_equal(cuEventElapsedTime(&ms, begin, untimed), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventDestroy_v2(begin));
    OK(cuEventDestroy_v2(end));
    OK(cuEventDestroy_v2(untimed));
    OK(cuStreamDestroy_v2(stream));
}

/* A destroyed stream's commands still happen. */
static void destroyed_stream_goes_on(void **state)
{
    CUstream stream = new_stream();
    uint32_t *word = pinned_memory(4);
    (void)state;
    *word = 0;
    launch_long(stream);
    OK(cuStreamWriteValue32_v2(stream, (CUdeviceptr)word, 5, 0));
    OK(cuStreamDestroy_v2(stream));
    assert_int_equal(__atomic_load_n(word, __ATOMIC_ACQUIRE), 0);
    OK(cuCtxSynchronize());
    assert_int_equal(*word, 5);
    OK(cuMemFreeHost(word));
}

/* Nobody asks: the word is written all the same. */
static void word_is_written_without_a_question(void **state)
{
    CUstream stream = new_stream();
    uint32_t *word = pinned_memory(8);
    (void)state;
    word[0] = word[1] = 0;
    cudaemu_kernel_time("empty", 2000000);
    launch(stream);
    cudaemu_kernel_time("empty", 0);
    OK(cuStreamWriteValue64_v2(stream, (CUdeviceptr)word, UINT64_C(0x100000002), 0));
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 0)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    assert_int_equal(word[0], 2);
    assert_int_equal(word[1], 1);
    OK(cuStreamSynchronize(stream));
    OK(cuMemFreeHost(word));
    OK(cuStreamDestroy_v2(stream));
}

static void stream_waits_for_a_word(void **state)
{
    CUstream first = new_stream(), second = new_stream();
    uint32_t *words = pinned_memory(8);
    (void)state;
    words[0] = words[1] = 0;
    OK(cuStreamWaitValue32_v2(first, (CUdeviceptr)&words[0], 3, CU_STREAM_WAIT_VALUE_GEQ));
    OK(cuStreamWriteValue32_v2(first, (CUdeviceptr)&words[1], 9, 0));
    assert_int_equal(cuStreamQuery(first), CUDA_ERROR_NOT_READY);
    OK(cuStreamWriteValue32_v2(second, (CUdeviceptr)&words[0], 2, 0)); /* too little */
    OK(cuStreamSynchronize(second));
    assert_int_equal(cuStreamQuery(first), CUDA_ERROR_NOT_READY);
    __atomic_store_n(&words[0], 3, __ATOMIC_RELEASE); /* by the program */
    OK(cuStreamSynchronize(first));
    assert_int_equal(words[1], 9);
    OK(cuMemFreeHost(words));
    OK(cuStreamDestroy_v2(first));
    OK(cuStreamDestroy_v2(second));
}

static void host_function(void *data)
{
    sem_wait(data);
}

static void note_status(CUstream stream, CUresult status, void *data)
{
    (void)stream;
    *(CUresult *)data = status;
}

static void host_function_holds_its_stream(void **state)
{
    CUstream stream = new_stream(), other = new_stream();
    CUresult status = CUDA_ERROR_UNKNOWN;
    sem_t gate;
    (void)state;
    sem_init(&gate, 0, 0);
    OK(cuLaunchHostFunc(stream, host_function, &gate));
    OK(cuStreamAddCallback(stream, note_status, &status, 0));
    launch(other);
    OK(cuStreamSynchronize(other)); /* other streams go on */
    assert_int_equal(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    sem_post(&gate);
    OK(cuStreamSynchronize(stream));
    assert_int_equal(status, CUDA_SUCCESS);
    sem_destroy(&gate);
    OK(cuStreamDestroy_v2(stream));
    OK(cuStreamDestroy_v2(other));
}

/* The legacy stream waits for blocking streams and they for it; streams made with NON_BLOCKING stay out of it. */
static void legacy_stream_orders_blocking_streams(void **state)
{
    CUstream blocking, apart = new_stream();
    uint32_t *words = pinned_memory(12);
    (void)state;
    memset(words, 0, 12);
    OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    launch_long(blocking);
    OK(cuStreamWriteValue32_v2(NULL, (CUdeviceptr)&words[0], 1, 0));
    OK(cuStreamWriteValue32_v2(apart, (CUdeviceptr)&words[1], 1, 0));
    OK(cuStreamSynchronize(apart));
    assert_int_equal(words[1], 1);
    assert_int_equal(__atomic_load_n(&words[0], __ATOMIC_ACQUIRE), 0);
    OK(cuStreamSynchronize(NULL));
    assert_int_equal(words[0], 1);
    OK(cuStreamQuery(blocking));
    launch_long(NULL);
    OK(cuStreamWriteValue32_v2(blocking, (CUdeviceptr)&words[2], 1, 0));
    assert_int_equal(cuStreamQuery(blocking), CUDA_ERROR_NOT_READY);
    OK(cuStreamSynchronize(blocking));
    assert_int_equal(words[2], 1);
    OK(cuMemFreeHost(words));
    OK(cuStreamDestroy_v2(blocking));
    OK(cuStreamDestroy_v2(apart));
}

/* With room for one kernel at a time, the second has not ended when the first has. */
static void limited_device_lines_kernels_up(void **state)
{
    CUstream first = new_stream(), second = new_stream();
    (void)state;
    emu_settings.concurrency = 1;
    launch_long(first);
    launch_long(second);
    OK(cuStreamSynchronize(first));
    assert_int_equal(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
    OK(cuStreamSynchronize(second));
    emu_settings.concurrency = 0;
    OK(cuStreamDestroy_v2(first));
    OK(cuStreamDestroy_v2(second));
}

/* Streams that are given commands, events and waits at random, from several threads, end with the sums that order
 * promises. */
typedef struct adder {
    pthread_t thread;
    CUcontext context;
    uint64_t seed;
    uint32_t *counter; /* pinned */
    uint32_t written;
} adder_t;

static void *add(void *argument)
{
    adder_t *adder = argument;
    CUstream streams[3];
    CUevent event;
    OK(cuCtxSetCurrent(adder->context));
    OK(cuEventCreate(&event, 0));
    for (int i = 0; i < 3; i++)
        streams[i] = new_stream();
    for (uint32_t i = 1; i <= 3000; i++) {
        CUstream from = streams[random_below(&adder->seed, 3)], to = streams[random_below(&adder->seed, 3)];
        if (random_below(&adder->seed, 4) == 0)
            launch(from);
        OK(cuStreamWriteValue32_v2(from, (CUdeviceptr)adder->counter, i, 0));
        OK(cuEventRecord(event, from));
        for (int k = 0; k < 3; k++)
            OK(cuStreamWaitEvent(streams[k], event, 0));
        adder->written = i;
        if (random_below(&adder->seed, 50) == 0)
            OK(cuStreamSynchronize(to));
    }
    for (int i = 0; i < 3; i++) {
        OK(cuStreamSynchronize(streams[i]));
        OK(cuStreamDestroy_v2(streams[i]));
    }
    OK(cuEventDestroy_v2(event));
    return NULL;
}

static void threads_use_streams_side_by_side(void **state)
{
    adder_t adders[4] = {{0}};
    CUcontext context;
    (void)state;
    OK(cuCtxGetCurrent(&context));
    cudaemu_kernel_time("empty", 3000);
    for (int i = 0; i < 4; i++) {
        adders[i] = (adder_t){.context = context, .seed = (uint64_t)i + 1, .counter = pinned_memory(64)};
        assert_int_equal(pthread_create(&adders[i].thread, NULL, add, &adders[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(adders[i].thread, NULL);
        assert_int_equal(*adders[i].counter, adders[i].written);
        OK(cuMemFreeHost(adders[i].counter));
    }
    cudaemu_kernel_time("empty", 0);
}

static int end(void **state)
{
    cudaemu_memory_t memory;
    (void)state;
    OK(cuModuleUnload(module));
    cudaemu_memory(&memory);
    assert_int_equal(memory.streams, 0);
    assert_int_equal(memory.events, 0);
    assert_int_equal(memory.modules, 0);
    assert_int_equal(memory.pinned_count, 0);
    assert_int_equal(memory.device_count, 0);
    assert_int_equal(cudaemu_misuses(), 0);
    return 0;
}

enum { BURN_NS = 20000000 };

static int64_t own_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

/* Uses BURN_NS of the processor. */
static void burn(void *unused)
{
    (void)unused;
    for (int64_t begin = own_ns(); own_ns() - begin < BURN_NS;)
        ;
}

static void burn_in_kernel(const cudaemu_launch_t *launch, void *data)
{
    (void)launch;
    burn(data);
}

/* A kernel that is code is the device's doing, a host function and the caller's time are the host's. */
static void processor_time_of_the_device_is_told_apart(void **state)
{
    CUstream stream = new_stream();
    (void)state;
    uint64_t before = cudaemu_device_ns();
    OK(cuLaunchHostFunc(stream, burn, NULL));
    OK(cuStreamSynchronize(stream));
    burn(NULL);
    uint64_t host = cudaemu_device_ns() - before;
    assert_true(host < BURN_NS);
    cudaemu_kernel("empty", burn_in_kernel, NULL);
    before = cudaemu_device_ns();
    launch(stream);
    OK(cuStreamSynchronize(stream));
    cudaemu_kernel("empty", NULL, NULL);
    assert_true(cudaemu_device_ns() - before >= BURN_NS);
    OK(cuStreamDestroy_v2(stream));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_takes_its_time),
        cmocka_unit_test(commands_wait_for_what_is_before_them),
        cmocka_unit_test(kernels_in_flight_cost_no_threads),
        cmocka_unit_test(event_orders_two_streams),
        cmocka_unit_test(events_tell_the_time_between_them),
        cmocka_unit_test(destroyed_stream_goes_on),
        cmocka_unit_test(word_is_written_without_a_question),
        cmocka_unit_test(stream_waits_for_a_word),
        cmocka_unit_test(host_function_holds_its_stream),
        cmocka_unit_test(legacy_stream_orders_blocking_streams),
        cmocka_unit_test(limited_device_lines_kernels_up),
        cmocka_unit_test(threads_use_streams_side_by_side),
        cmocka_unit_test(processor_time_of_the_device_is_told_apart),
    };
    watchdog(WATCHDOG_SECONDS);
    return cmocka_run_group_tests(tests, begin, end);
}
