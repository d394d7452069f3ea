/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Faults and delays that a test asks of the emulated driver, and what a broken context answers. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cudaemu/emu_test.h"

static CUcontext context;
static CUmodule module;
static CUfunction empty;

static int begin(void **state)
{
    /* Read by cuInit: the third event fails, and each stream from the second on. */
    setenv("CUDAEMU_FAIL", "cuEventCreate@3=CUDA_ERROR_OUT_OF_MEMORY,cuStreamCreate@2+=46,kernel:thr*@2=700", 1);
    setenv("CUDAEMU_DELAY", "cuDriverGetVersion=2000000", 1);
    context = begin_context();
    module = load_image("kernels.cubin");
    empty = function_of(module, "empty");
    *state = NULL;
    return 0;
}

static CUresult launch(CUstream stream)
{
    return cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL);
}

/* First of all tests. */
static void environment_asks_for_faults(void **state)
{
    CUevent event;
    CUstream stream;
    uint64_t zero = 0;
    void *parameters[] = {&zero, &zero, &zero};
    CUfunction three = function_of(module, "three");
    int version;
    (void)state;
    for (int i = 1; i <= 4; i++)
        assert_int_equal(cuEventCreate(&event, 0), i == 3 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS);
    for (int i = 1; i <= 4; i++)
        assert_int_equal(cuStreamCreate(&stream, 0), i >= 2 ? CUDA_ERROR_DEVICE_UNAVAILABLE : CUDA_SUCCESS);
    OK(launch(NULL));
    OK(cuLaunchKernel(three, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    OK(cuCtxSynchronize());
    OK(cuLaunchKernel(three, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    uint64_t before = emu_now();
    OK(cuDriverGetVersion(&version));
    assert_true(emu_now() - before >= 2000000);
    cudaemu_heal();
    OK(cuStreamCreate(&stream, 0));
    OK(cuStreamDestroy_v2(stream));
}

static void a_fault_comes_at_its_call_and_does_nothing(void **state)
{
    CUdeviceptr address = 0;
    cudaemu_memory_t memory;
    (void)state;
    cudaemu_fail("cuMemAlloc", 2, 0, CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuMemAlloc_v2(&address, 16));
    OK(cuMemFree_v2(address));
    address = 0;
    assert_int_equal(cuMemAlloc_v2(&address, 16), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(address, 0);
    cudaemu_memory(&memory);
    assert_int_equal(memory.device_count, 0);
    OK(cuMemAlloc_v2(&address, 16));
    OK(cuMemFree_v2(address));
}

static void count_callback(CUstream stream, CUresult status, void *data)
{
    (void)stream;
    ((CUresult *)data)[0] = status;
}

static void never(void *data)
{
    *(int *)data = 1;
}

/* Everything behind the faulty kernel is dropped, in all streams; words in memory stay as they are; every call says
 * what has happened, until the context is ended. */
static void a_kernels_fault_breaks_the_context(void **state)
{
    CUstream stream = new_stream(), other = new_stream();
    CUevent event;
    CUdeviceptr address;
    uint32_t *word = pinned_memory(4);
    CUresult told = CUDA_SUCCESS;
    int called = 0;
    (void)state;
    *word = 0;
    OK(cuEventCreate(&event, 0));
    cudaemu_kernel_time("empty", 100000000);
    cudaemu_fail_kernel("emp*", 2, CUDA_ERROR_LAUNCH_FAILED);
    OK(launch(stream));
    OK(launch(stream));
    OK(cuStreamWriteValue32_v2(stream, (CUdeviceptr)word, 1, 0));
    OK(cuLaunchHostFunc(stream, never, &called));
    OK(cuStreamAddCallback(stream, count_callback, &told, 0));
    OK(cuEventRecord(event, stream));
    OK(cuStreamWaitEvent(other, event, 0));
    OK(cuStreamWriteValue32_v2(other, (CUdeviceptr)word, 2, 0));
    assert_int_equal(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    assert_int_equal(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    assert_int_equal(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_FAILED);
    cudaemu_kernel_time("empty", 0);
    assert_int_equal(told, CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(called, 0);
    assert_int_equal(*word, 0);
    assert_int_equal(cuStreamQuery(other), CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(cuEventQuery(event), CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(cuMemAlloc_v2(&address, 1), CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(cuMemFreeHost(word), CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(launch(other), CUDA_ERROR_LAUNCH_FAILED);
    OK(cuCtxSetCurrent(context));
    OK(cuDevicePrimaryCtxRelease_v2(0));
    context = begin_context();
    stream = new_stream();
    OK(cuStreamSynchronize(stream));
    OK(cuStreamDestroy_v2(stream));
}

static void words_that_never_come_hold_a_stream_until_it_breaks(void **state)
{
    CUstream stream = new_stream(), other = new_stream();
    uint32_t *word = pinned_memory(4);
    (void)state;
    module = load_image("kernels.cubin");
    empty = function_of(module, "empty");
    *word = 0;
    OK(cuStreamWaitValue32_v2(stream, (CUdeviceptr)word, 1, CU_STREAM_WAIT_VALUE_EQ));
    OK(launch(stream));
    assert_int_equal(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    cudaemu_fail_kernel(NULL, 1, CUDA_ERROR_UNKNOWN);
    OK(launch(other));
    assert_int_equal(cuStreamSynchronize(stream), CUDA_ERROR_UNKNOWN);
    cudaemu_heal();
    OK(cuStreamQuery(stream));
    OK(cuMemFreeHost(word));
}

static void unknown_name_ends_the_program(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        cudaemu_fail("cuNothing", 1, 0, CUDA_ERROR_UNKNOWN); /* does not return */
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(environment_asks_for_faults),
        cmocka_unit_test(a_fault_comes_at_its_call_and_does_nothing),
        cmocka_unit_test(a_kernels_fault_breaks_the_context),
        cmocka_unit_test(words_that_never_come_hold_a_stream_until_it_breaks),
        cmocka_unit_test(unknown_name_ends_the_program),
    };
    watchdog(WATCHDOG_SECONDS);
    return cmocka_run_group_tests(tests, begin, NULL);
}
