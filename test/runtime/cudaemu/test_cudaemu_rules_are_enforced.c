/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The real driver's rules: who may call what and when. A runtime that breaks one on the emulator breaks it on a GPU. */
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cudaemu/emu_test.h"

static CUcontext context;
static CUmodule module;
static CUfunction empty;

static CUresult launch(CUstream stream)
{
    return cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL);
}

/* First of all tests. */
static void nothing_works_before_init(void **state)
{
    int value;
    const char *text;
    (void)state;
    assert_int_equal(cuDeviceGetCount(&value), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(cuStreamCreate(&(CUstream){0}, 0), CUDA_ERROR_NOT_INITIALIZED);
    OK(cuDriverGetVersion(&value));
    OK(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text));
    assert_string_equal(text, "CUDA_ERROR_OUT_OF_MEMORY");
    assert_int_equal(cuGetErrorString((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    OK(cuInit(0));
    OK(cuInit(0));
}

static void a_context_must_be_current(void **state)
{
    CUcontext current;
    (void)state;
    assert_int_equal(cuStreamCreate(&(CUstream){0}, 0), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuCtxSetCurrent((CUcontext)&context), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuDevicePrimaryCtxRetain(&context, 7), CUDA_ERROR_INVALID_DEVICE);
    context = begin_context();
    OK(cuCtxGetCurrent(&current));
    assert_ptr_equal(current, context);
    OK(cuCtxPushCurrent_v2(context));
    OK(cuCtxPopCurrent_v2(&current));
    OK(cuCtxGetCurrent(&current));
    assert_ptr_equal(current, context);
    module = load_image("kernels.cubin");
    empty = function_of(module, "empty");
}

typedef struct without {
    CUstream stream;
    CUevent event;
    CUresult create, query, record, wait, event_query, launch, legacy_query;
} without_t;

static void *call_without_context(void *argument)
{
    without_t *without = argument;
    without->create = cuStreamCreate(&(CUstream){0}, 0);
    without->query = cuStreamQuery(without->stream);
    without->record = cuEventRecord(without->event, without->stream);
    without->wait = cuStreamWaitEvent(without->stream, without->event, 0);
    without->event_query = cuEventQuery(without->event);
    without->launch = launch(without->stream);
    without->legacy_query = cuStreamQuery(NULL);
    return NULL;
}

/* Streams and events have a context of their own, and stock libomptarget's helper threads rely on it. Whether the real
 * driver always goes by it is not written anywhere, so the emulated one does only if it is told to. */
static void each_thread_has_its_own_current_context(void **state)
{
    without_t without = {.stream = new_stream()};
    (void)state;
    OK(cuEventCreate(&without.event, 0));
    for (int strict = 0; strict <= 1; strict++) {
        pthread_t thread;
        CUresult of_stream = strict ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
        emu_settings.strict_context = strict;
        assert_int_equal(pthread_create(&thread, NULL, call_without_context, &without), 0);
        pthread_join(thread, NULL);
        assert_int_equal(without.create, CUDA_ERROR_INVALID_CONTEXT);
        assert_int_equal(without.legacy_query, CUDA_ERROR_INVALID_CONTEXT);
        assert_int_equal(without.query, of_stream);
        assert_int_equal(without.record, of_stream);
        assert_int_equal(without.wait, of_stream);
        assert_int_equal(without.event_query, of_stream);
        assert_int_equal(without.launch, of_stream);
    }
    OK(cuStreamSynchronize(without.stream));
    OK(cuEventDestroy_v2(without.event));
    OK(cuStreamDestroy_v2(without.stream));
}

typedef struct inside {
    CUresult query, alloc, name;
    CUstream stream;
} inside_t;

static void call_inside(void *data)
{
    inside_t *inside = data;
    CUdeviceptr address;
    const char *text;
    inside->query = cuStreamQuery(inside->stream);
    inside->alloc = cuMemAlloc_v2(&address, 16);
    inside->name = cuGetErrorName(CUDA_SUCCESS, &text);
}

static void host_functions_may_not_call_the_driver(void **state)
{
    inside_t inside = {.stream = new_stream()};
    (void)state;
    uint64_t before = cudaemu_misuses();
    capture_begin();
    OK(cuLaunchHostFunc(inside.stream, call_inside, &inside));
    OK(cuStreamSynchronize(inside.stream));
    const char *text = capture_end();
    assert_int_equal(inside.query, CUDA_ERROR_NOT_PERMITTED);
    assert_int_equal(inside.alloc, CUDA_ERROR_NOT_PERMITTED);
    OK(inside.name);
    assert_int_equal(cudaemu_misuses() - before, 2);
    assert_non_null(strstr(text, "cuStreamQuery called inside a host function"));
    OK(cuStreamDestroy_v2(inside.stream));
}

static void stale_and_wrong_handles_are_refused(void **state)
{
    CUstream stream = new_stream();
    CUevent event;
    CUfunction function;
    (void)state;
    OK(cuEventCreate(&event, 0));
    OK(cuEventDestroy_v2(event));
    OK(cuStreamDestroy_v2(stream));
    capture_begin();
    uint64_t before = cudaemu_misuses();
    assert_int_equal(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuStreamDestroy_v2(stream), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(launch(stream), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuEventDestroy_v2(event), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuEventRecord(event, NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuEventRecord((CUevent)&event, NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuModuleGetFunction(&function, (CUmodule)&module, "empty"), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cudaemu_misuses() - before, 8);
    assert_int_equal(count_lines(capture_end()), 8);
}

static void launches_are_checked(void **state)
{
    CUstream stream = new_stream();
    CUfunction three = function_of(module, "three");
    int value;
    (void)state;
    assert_int_equal(cuLaunchKernel(empty, 0, 1, 1, 1, 1, 1, 0, stream, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(empty, 1, 1, 1, 1025, 1, 1, 0, stream, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(empty, 1, 1, 1, 64, 64, 1, 0, stream, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(three, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    /* More than 48 KiB of dynamic shared memory must have been asked for. */
    assert_int_equal(cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 64 << 10, stream, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuFuncSetAttribute(empty, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 256 << 10),
                     CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncSetAttribute(empty, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 64 << 10));
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, empty));
    assert_int_equal(value, 64 << 10);
    OK(cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 64 << 10, stream, NULL, NULL));
    OK(cuStreamSynchronize(stream));
    OK(cuStreamDestroy_v2(stream));
}

/* After fork, the child's driver is unusable, and the parent's goes on. */
static void child_of_fork_has_no_driver(void **state)
{
    int status;
    CUstream stream = new_stream();
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(cuStreamQuery(stream) == CUDA_ERROR_NOT_INITIALIZED && cuInit(0) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    OK(cuStreamDestroy_v2(stream));
}

/* Last of all tests. */
static void last_release_ends_the_context(void **state)
{
    CUstream stream = new_stream();
    unsigned int flags;
    int active;
    cudaemu_memory_t memory;
    (void)state;
    device_memory(100);
    cudaemu_kernel_time("empty", 50000000);
    launch(stream);
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuDevicePrimaryCtxRelease_v2(0));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 1);
    OK(cuDevicePrimaryCtxRelease_v2(0));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 0);
    assert_int_equal(cuStreamQuery(NULL), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    cudaemu_memory(&memory);
    assert_int_equal(memory.streams + memory.modules + memory.device_count, 0);
    capture_begin();
    assert_int_equal(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(count_lines(capture_end()), 1);
    context = begin_context();
    OK(cuStreamQuery(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_works_before_init),
        cmocka_unit_test(a_context_must_be_current),
        cmocka_unit_test(each_thread_has_its_own_current_context),
        cmocka_unit_test(host_functions_may_not_call_the_driver),
        cmocka_unit_test(stale_and_wrong_handles_are_refused),
        cmocka_unit_test(launches_are_checked),
        cmocka_unit_test(child_of_fork_has_no_driver),
        cmocka_unit_test(last_release_ends_the_context),
    };
    watchdog(WATCHDOG_SECONDS);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
