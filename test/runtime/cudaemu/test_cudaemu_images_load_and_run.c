/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Images of the emulated driver: cubins of both ABI versions, x86-64 shared objects, and a cubin with such code in it.
 */
#include <string.h>
#include <unistd.h>

#include "cudaemu/emu_test.h"

static CUcontext context;

static int begin(void **state)
{
    context = begin_context();
    *state = NULL;
    return 0;
}

static CUdeviceptr variable(CUmodule module, const char *name, size_t size)
{
    CUdeviceptr address;
    size_t real;
    OK(cuModuleGetGlobal_v2(&address, &real, module, name));
    assert_int_equal(real, size);
    return address;
}

static void cubin_has_kernels_and_variables(void **state)
{
    static const unsigned char initial[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    char back[100];
    CUdeviceptr pointer;
    CUfunction function;
    size_t offset, size;
    int value;
    (void)state;
    CUmodule module = load_image("kernels.cubin");
    OK(cuMemcpyDtoH_v2(back, variable(module, "v", 8), 8));
    assert_memory_equal(back, initial, 8);
    OK(cuMemcpyDtoH_v2(back, variable(module, "z", 100), 100));
    for (int i = 0; i < 100; i++)
        assert_int_equal(back[i], 0);
    OK(cuMemcpyDtoH_v2(&pointer, variable(module, "p", 8), 8));
    assert_int_equal(pointer, variable(module, "z", 100));
    assert_int_equal(cuModuleGetGlobal_v2(&pointer, NULL, module, "none"), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(cuModuleGetFunction(&function, module, "v"), CUDA_ERROR_NOT_FOUND);
    function = function_of(module, "three");
    assert_ptr_equal(function, function_of(module, "three"));
    OK(cuFuncGetParamInfo(function, 2, &offset, &size));
    assert_int_equal(offset, 16);
    assert_int_equal(size, 8);
    assert_int_equal(cuFuncGetParamInfo(function, 3, &offset, &size), CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
    assert_int_equal(value, 1024);
    OK(cuModuleUnload(module));
    capture_begin();
    assert_int_equal(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuFuncGetAttribute(&value, 0, function), CUDA_ERROR_INVALID_HANDLE);
    capture_end();
}

/* What ptxas has made, if the build found one. */
static void real_cubin_is_read(void **state)
{
    static const unsigned char initial[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    char back[8];
    CUdeviceptr pointer;
    size_t offset, size;
    uint32_t constant;
    int value;
    (void)state;
    if (access(IMAGES "/ptxas.cubin", R_OK) != 0)
        skip();
    CUmodule module = load_image("ptxas.cubin");
    CUfunction mixed = function_of(module, "mixed");
    OK(cuMemcpyDtoH_v2(back, variable(module, "v", 8), 8));
    assert_memory_equal(back, initial, 8);
    OK(cuMemcpyDtoH_v2(&pointer, variable(module, "p", 8), 8));
    assert_int_equal(pointer, variable(module, "z", 100));
    OK(cuMemcpyDtoH_v2(&constant, variable(module, "c", 4), 4));
    assert_int_equal(constant, 77);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, mixed));
    assert_int_equal(value, 256);
    OK(cuFuncGetParamInfo(mixed, 1, &offset, &size));
    assert_int_equal(offset, 8);
    assert_int_equal(size, 4);
    OK(cuFuncGetParamInfo(mixed, 2, &offset, &size));
    assert_int_equal(offset, 16);
    assert_int_equal(size, 8);
    assert_int_equal(cuLaunchKernel(function_of(module, "empty"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 0);
    OK(cuCtxSynchronize());
    OK(cuModuleUnload(module));
}

static CUresult load_result(const char *name)
{
    CUmodule module;
    void *bytes = read_image(name);
    CUresult result = cuModuleLoadData(&module, bytes);
    if (result == CUDA_SUCCESS)
        OK(cuModuleUnload(module));
    free(bytes);
    return result;
}

static void only_what_fits_the_device_loads(void **state)
{
    CUmodule module;
    char junk[256] = "no image";
    (void)state;
    OK(load_result("kernels.cubin"));
    OK(load_result("kernels-abi8.cubin"));
    assert_int_equal(load_result("kernels-sm80.cubin"), CUDA_ERROR_NO_BINARY_FOR_GPU);
    emu_settings.capability[0] = 89;
    assert_int_equal(load_result("kernels-abi8.cubin"), CUDA_ERROR_NO_BINARY_FOR_GPU);
    OK(load_result("kernels-sm80.cubin"));
    emu_settings.capability[0] = 90;
    assert_int_equal(cuModuleLoadData(&module, junk), CUDA_ERROR_INVALID_IMAGE);
    unsigned char *bytes = read_image("kernels.cubin");
    bytes[8] = 6; /* an ABI version of long ago */
    assert_int_equal(cuModuleLoadData(&module, bytes), CUDA_ERROR_INVALID_IMAGE);
    free(bytes);
    cudaemu_memory_t memory;
    cudaemu_memory(&memory);
    assert_int_equal(memory.modules, 0);
}

typedef struct seen {
    int n;
    cudaemu_launch_t launch;
    uint64_t arguments[3];
} seen_t;

static void see(const cudaemu_launch_t *launch, void *data)
{
    seen_t *seen = data;
    seen->n++;
    seen->launch = *launch;
    memcpy(seen->arguments, launch->arguments, launch->size);
}

/* Arguments one by one, and as a buffer. */
static void registered_function_sees_the_launch(void **state)
{
    CUmodule module = load_image("kernels-abi8.cubin");
    CUfunction three = function_of(module, "three");
    CUstream stream = new_stream();
    seen_t seen = {0};
    uint64_t a = 1, b = 2, c = 3, buffer[3] = {4, 5, 6};
    size_t size = sizeof buffer;
    void *parameters[] = {&a, &b, &c};
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    (void)state;
    cudaemu_kernel("thr*", see, &seen);
    OK(cuLaunchKernel(three, 7, 1, 1, 32, 2, 1, 100, stream, parameters, NULL));
    OK(cuStreamSynchronize(stream));
    assert_int_equal(seen.n, 1);
    assert_string_equal(seen.launch.kernel, "three");
    assert_int_equal(seen.launch.grid[0], 7);
    assert_int_equal(seen.launch.block[1], 2);
    assert_int_equal(seen.launch.dynamic_shared, 100);
    assert_int_equal(seen.arguments[2], 3);
    CUlaunchConfig config = {1, 1, 1, 1, 1, 1, 0, stream, NULL, 0};
    OK(cuLaunchKernelEx(&config, three, NULL, extra));
    OK(cuStreamSynchronize(stream));
    assert_int_equal(seen.n, 2);
    assert_int_equal(seen.arguments[0], 4);
    assert_int_equal(cuLaunchKernel(three, 1, 1, 1, 1, 1, 1, 0, stream, parameters, extra), CUDA_ERROR_INVALID_VALUE);
    for (size = 0; size <= 32; size += 16)
        assert_int_equal(cuLaunchKernel(three, 1, 1, 1, 1, 1, 1, 0, stream, NULL, extra), CUDA_ERROR_INVALID_VALUE);
    cudaemu_kernel("thr*", NULL, NULL);
    OK(cuLaunchKernel(three, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
    OK(cuStreamSynchronize(stream));
    assert_int_equal(seen.n, 2);
    OK(cuStreamDestroy_v2(stream));
    OK(cuModuleUnload(module));
}

static void launch_code(CUfunction function, CUstream stream, uint64_t *arguments, size_t n)
{
    size_t size = n * sizeof *arguments;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, extra));
}

static void run_code(const char *image)
{
    enum { N = 100 };
    CUmodule module = load_image(image);
    CUstream stream = new_stream();
    CUdeviceptr device = device_memory(N * sizeof(double));
    double *values = pinned_memory(N * sizeof *values), factor = 3;
    for (int i = 0; i < N; i++)
        values[i] = i;
    OK(cuMemcpyHtoDAsync_v2(device, values, N * sizeof *values, stream));
    OK(cuMemcpyHtoDAsync_v2(variable(module, "scale", 8), &factor, sizeof factor, stream));
    uint64_t arguments[] = {~UINT64_C(0), device, N};
    for (int i = 0; i < 2; i++)
        launch_code(function_of(module, "__omp_offloading_scale"), stream, arguments, 3);
    arguments[0] = 0; /* the launch has its own copy */
    OK(cuMemcpyDtoHAsync_v2(values, device, N * sizeof *values, stream));
    OK(cuStreamSynchronize(stream));
    for (int i = 0; i < N; i++)
        assert_true(values[i] == 9 * i);
    uint64_t many[] = {device, 1, 2, 3, 4, 5, 6, 7, 8}, sum;
    launch_code(function_of(module, "__omp_offloading_many"), stream, many, 9);
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH_v2(&sum, device, sizeof sum));
    assert_int_equal(sum, 1 + 4 + 9 + 16 + 25 + 36 + 49 + 64);
    OK(cuMemFree_v2(device));
    OK(cuMemFreeHost(values));
    OK(cuStreamDestroy_v2(stream));
    OK(cuModuleUnload(module));
}

static void shared_object_runs(void **state)
{
    (void)state;
    run_code("native.so");
    run_code("native.so"); /* a second time, with variables as they were at first */
}

static void cubin_with_code_runs(void **state)
{
    (void)state;
    run_code("native-abi7.cubin");
    run_code("native-abi8.cubin");
}

static void skipped_kernels_only_take_their_time(void **state)
{
    (void)state;
    emu_settings.skip = "*_many,*_scale";
    CUmodule module = load_image("native.so");
    double *values = pinned_memory(sizeof *values);
    *values = 5;
    uint64_t arguments[] = {0, (uint64_t)(uintptr_t)values, 1};
    cudaemu_kernel_time("*_scale", 2000000);
    uint64_t begin = emu_now();
    launch_code(function_of(module, "__omp_offloading_scale"), NULL, arguments, 3);
    OK(cuCtxSynchronize());
    assert_true(emu_now() - begin >= 2000000);
    assert_true(*values == 5);
    cudaemu_kernel_time("*_scale", 0);
    emu_settings.skip = NULL;
    OK(cuMemFreeHost(values));
    OK(cuModuleUnload(module));
}

static void arguments_of_code_are_a_buffer(void **state)
{
    CUmodule module = load_image("native.so");
    uint64_t argument = 0;
    void *parameters[] = {&argument};
    (void)state;
    capture_begin();
    assert_int_equal(
        cuLaunchKernel(function_of(module, "__omp_offloading_scale"), 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL),
        CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(count_lines(capture_end()), 1);
    OK(cuModuleUnload(module));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cubin_has_kernels_and_variables),
        cmocka_unit_test(real_cubin_is_read),
        cmocka_unit_test(only_what_fits_the_device_loads),
        cmocka_unit_test(registered_function_sees_the_launch),
        cmocka_unit_test(shared_object_runs),
        cmocka_unit_test(cubin_with_code_runs),
        cmocka_unit_test(skipped_kernels_only_take_their_time),
        cmocka_unit_test(arguments_of_code_are_a_buffer),
    };
    watchdog(WATCHDOG_SECONDS);
    return cmocka_run_group_tests(tests, begin, NULL);
}
