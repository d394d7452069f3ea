/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Regions and hand-written calls of the CUDA driver in one order: a region makes a pattern in device memory, the driver
 * copies a window out of it into a matrix of the host and calls the host back, and a second region paints over the
 * pattern. The driver's commands go into the stream of an interop object, which `depend` puts between the regions.
 * The window lies in pinned memory, into which the driver copies without waiting.
 *
 * The CPU device has no stream: there OpenMP's own routine copies the window, a target task in the same order.
 */
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <exception>
#include <omp.h>
#include <stdexcept>
#include <string>

/* LLVM's extensions for pinned memory. */
extern "C" void *llvm_omp_target_alloc_host(size_t size, int device);
extern "C" void llvm_omp_target_free_host(void *address, int device);

namespace
{

#pragma omp begin declare target
constexpr size_t side = 512;
#pragma omp end declare target
constexpr size_t window_side = 200, window_row = 37, window_column = 111;

using value = std::int32_t;

/* What the program needs of the driver; with a CUDA toolkit, <cuda.h> declares it. */
namespace cuda
{
using stream = void *;
using context = void *;

struct copy_2d { /* CUDA_MEMCPY2D */
    size_t from_x = 0, from_y = 0;
    int from_type = 0;
    const void *from_host = nullptr;
    std::uint64_t from_device = 0;
    void *from_array = nullptr;
    size_t from_pitch = 0;
    size_t to_x = 0, to_y = 0;
    int to_type = 0;
    void *to_host = nullptr;
    std::uint64_t to_device = 0;
    void *to_array = nullptr;
    size_t to_pitch = 0;
    size_t width_bytes = 0, height = 0;
};
constexpr int on_host = 1, on_device = 2; /* CU_MEMORYTYPE_HOST, _DEVICE */

class driver
{
  public:
    /* The runtime has loaded the driver already, under the same name. */
    driver() : library_(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD))
    {
        if (library_ == nullptr)
            throw std::runtime_error("the CUDA driver is not there");
    }
    driver(const driver &) = delete;
    driver &operator=(const driver &) = delete;
    ~driver()
    {
        dlclose(library_);
    }

    template <class... Arguments> void call(const char *name, Arguments... arguments) const
    {
        auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library_, name));
        if (int result = function ? function(arguments...) : -1; result != 0)
            throw std::runtime_error(std::string(name) + ": error " + std::to_string(result));
    }

  private:
    void *library_;
};
} // namespace cuda

/* Pinned memory, for as long as the object lives. */
class pinned
{
  public:
    pinned(size_t count, int device)
        : values_(static_cast<value *>(llvm_omp_target_alloc_host(count * sizeof(value), device))), device_(device)
    {
        if (values_ == nullptr)
            throw std::runtime_error("no pinned memory");
    }
    pinned(const pinned &) = delete;
    pinned &operator=(const pinned &) = delete;
    ~pinned()
    {
        llvm_omp_target_free_host(values_, device_);
    }
    value *data()
    {
        return values_;
    }

  private:
    value *values_;
    int device_;
};

value pattern_at(size_t row, size_t column)
{
    return value(row * 1000 + column);
}

#pragma omp declare target to(pattern_at)

/* Puts the copy of the window, and a call back to the host behind it, into the stream of the interop object. */
void copy_in_stream(omp_interop_t object, const value *pattern, value *window, bool *called)
{
    cuda::driver driver;
    cuda::stream stream = omp_get_interop_ptr(object, omp_ipr_targetsync, nullptr);
    cuda::context context = omp_get_interop_ptr(object, omp_ipr_device_context, nullptr), before = nullptr;
    cuda::copy_2d copy;
    copy.from_x = window_column * sizeof(value);
    copy.from_y = window_row;
    copy.from_type = cuda::on_device;
    copy.from_device = reinterpret_cast<std::uint64_t>(pattern);
    copy.from_pitch = side * sizeof(value);
    copy.to_type = cuda::on_host;
    copy.to_host = window;
    copy.to_pitch = copy.width_bytes = window_side * sizeof(value);
    copy.height = window_side;
    auto call_back = +[](void *flag) { *static_cast<bool *>(flag) = true; };

    driver.call("cuCtxPushCurrent_v2", context);
    driver.call("cuMemcpy2DAsync_v2", static_cast<const cuda::copy_2d *>(&copy), stream);
    driver.call("cuLaunchHostFunc", stream, call_back, static_cast<void *>(called));
    driver.call("cuCtxPopCurrent_v2", &before);
}

/* The same by OpenMP's routine, in the order that `order` stands for. */
void copy_in_task(const value *pattern, value *window, char *order, int device)
{
    const size_t volume[] = {window_side, window_side}, to[] = {0, 0}, from[] = {window_row, window_column};
    const size_t to_sides[] = {window_side, window_side}, from_sides[] = {side, side};
    omp_depend_t after;
#pragma omp depobj(after) depend(inout : *order)
    int failed = omp_target_memcpy_rect_async(window, pattern, sizeof(value), 2, volume, to, from, to_sides, from_sides,
                                              omp_get_initial_device(), device, 1, &after);
#pragma omp depobj(after) destroy
    if (failed)
        throw std::runtime_error("omp_target_memcpy_rect_async failed");
}

int run()
{
    const int device = omp_get_default_device();
    auto pattern = static_cast<value *>(omp_target_alloc(side * side * sizeof(value), device));
    if (pattern == nullptr)
        throw std::runtime_error("no device memory");
    pinned memory(window_side * window_side, device);
    value *window = memory.data();
    value corner = 0;
    char order = 0; /* its address stands for the pattern */
    bool called = false;
    omp_interop_t object = omp_interop_none;

    double start = omp_get_wtime();
#pragma omp target teams distribute parallel for is_device_ptr(pattern) depend(out : order) nowait
    for (size_t i = 0; i < side * side; i++)
        pattern[i] = pattern_at(i / side, i % side);

#pragma omp interop init(targetsync : object) device(device) depend(inout : order)
    const bool streams = omp_get_interop_int(object, omp_ipr_fr_id, nullptr) == omp_ifr_cuda;
    if (streams)
        copy_in_stream(object, pattern, window, &called);
    else
        copy_in_task(pattern, window, &order, device);
#pragma omp interop destroy(object) nowait depend(inout : order)

#pragma omp target teams distribute parallel for is_device_ptr(pattern) depend(inout : order) nowait
    for (size_t i = 0; i < side * side; i++)
        pattern[i] = -1;
#pragma omp target is_device_ptr(pattern) map(from : corner) depend(in : order) nowait
    corner = pattern[side * side - 1];
    double launched = omp_get_wtime();
#pragma omp taskwait
    double wall = omp_get_wtime() - start;

    size_t wrong = corner != -1 || called != streams;
    for (size_t row = 0; row < window_side; row++)
        for (size_t column = 0; column < window_side; column++)
            wrong += window[row * window_side + column] != pattern_at(window_row + row, window_column + column);
    omp_target_free(pattern, device);
    std::printf("window:             copied by %s\n", streams ? "the CUDA driver, in an interop object's stream"
                                                              : "omp_target_memcpy_rect_async: no foreign runtime");
    std::printf("launched:           in %.3f ms\n", (launched - start) * 1e3);
    std::printf("wall time:          %.4f s\n", wall);
    std::printf("check:              %s, %zu values wrong\n", wrong == 0 ? "ok" : "WRONG", wrong);
    return wrong == 0 ? 0 : 1;
}

} // namespace

int main()
try {
    return run();
} catch (const std::exception &fault) {
    std::fprintf(stderr, "stream: %s\n", fault.what());
    return 2;
}
