/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_backend.h"

#include "device/cuda/cuda_copy.h"
#include "device/cuda/cuda_gpu.h"
#include "device/cuda/cuda_image.h"
#include "device/cuda/cuda_memory.h"
#include "device/cuda/cuda_progress.h"
#include "device/cuda/cuda_queue.h"
#include "device/cuda/cuda_transfer.h"
#include "device/cuda/cuda_waiter.h"
#include "device/cuda/cuda_work.h"
#include "support/log.h"
#include "support/settings.h"

#define MOST_GPUS 64

/* GPUs that have been opened come first; written under core's lock, or at the end. */
static nw_cuda_gpu_t gpus[MOST_GPUS];
static _Atomic int n_open;
static int n_found;
static bool threads_started;

/* The life of the backend: its threads run, they have stopped at the end of the program, all is given back. */
enum { RUNNING, CLOSED, RELEASED, FORKED };
static _Atomic int life = RUNNING;

static pthread_mutex_t help_lock = PTHREAD_MUTEX_INITIALIZER;

static int cuda_probe(void)
{
    if (!nw_settings.cuda || !nw_cuda_library_load())
        return 0;
    CUresult result = nw_cuda.cuDeviceGetCount(&n_found);
    if (result != CUDA_SUCCESS) {
        nw_log(NW_LOG_INFO, "no CUDA devices: %s (cuDeviceGetCount)", nw_cuda_words(result));
        return 0;
    }
    if (n_found == 0)
        nw_log(NW_LOG_INFO, "no CUDA devices: the driver has found none");
    if (n_found > MOST_GPUS)
        n_found = MOST_GPUS;
    return n_found;
}

nw_cuda_gpu_t *nw_cuda_gpu_at(int i)
{
    return i < atomic_load_explicit(&n_open, memory_order_acquire) ? &gpus[i] : NULL;
}

int nw_cuda_backend_devices(void)
{
    return n_found;
}

static nw_status_t start_threads(void)
{
    nw_status_t status = nw_cuda_progress_start();
    if (status != NW_OK)
        return status;
    status = nw_cuda_transfer_start();
    if (status != NW_OK)
        nw_cuda_progress_stop();
    threads_started = status == NW_OK;
    return status;
}

static nw_status_t cuda_open(nw_device_t *device, int index)
{
    if (!threads_started) {
        nw_status_t status = start_threads();
        if (status != NW_OK)
            return status;
    }
    int n = atomic_load_explicit(&n_open, memory_order_relaxed);
    nw_status_t status = nw_cuda_gpu_open(&gpus[n], device, index);
    if (status == NW_OK)
        /* Release: who sees the number sees the GPU. */
        atomic_store_explicit(&n_open, n + 1, memory_order_release);
    return status;
}

/* Gives everything back once the end of the regions has come and the images are gone, whichever is later. */
static void release_if_over(void)
{
    nw_cuda_gpu_t *gpu;
    for (int i = 0; (gpu = nw_cuda_gpu_at(i)); i++) {
        if (atomic_load_explicit(&gpu->images, memory_order_acquire) > 0)
            return;
    }
    int closed = CLOSED;
    if (!atomic_compare_exchange_strong(&life, &closed, RELEASED))
        return;
    for (int i = 0; (gpu = nw_cuda_gpu_at(i)); i++)
        nw_cuda_gpu_close(gpu);
}

static void cuda_close(void)
{
    nw_cuda_gpu_t *gpu;
    if (atomic_load_explicit(&life, memory_order_relaxed) != RUNNING || !threads_started)
        return;
    nw_cuda_progress_stop();
    nw_cuda_transfer_stop();
    /* Sequentially consistent: a thread that waits for a work of its own and hands it over now either sees that the
     * threads are gone, and serves it, or is seen here to have one in flight. */
    atomic_store_explicit(&life, CLOSED, memory_order_seq_cst);
    atomic_thread_fence(memory_order_seq_cst);
    nw_cuda_backend_help();
    for (int i = 0; (gpu = nw_cuda_gpu_at(i)); i++)
        nw_cuda_gpu_flush(gpu);
    release_if_over();
}

void nw_cuda_backend_image_gone(void)
{
    if (atomic_load_explicit(&life, memory_order_acquire) == CLOSED)
        release_if_over();
}

static void cuda_after_fork(void)
{
    if (threads_started)
        atomic_store_explicit(&life, FORKED, memory_order_relaxed);
}

nw_status_t nw_cuda_backend_status(void)
{
    int now = atomic_load_explicit(&life, memory_order_relaxed);
    return NW_LIKELY(now <= CLOSED) ? NW_OK : now == FORKED ? NW_ERR_FORKED : NW_ERR_DEVICE;
}

static bool anything_in_flight(void)
{
    nw_cuda_gpu_t *gpu;
    for (int i = 0; (gpu = nw_cuda_gpu_at(i)); i++) {
        if (atomic_load_explicit(&gpu->in_flight, memory_order_acquire) > 0)
            return true;
    }
    return nw_cuda_progress_has_parked() || nw_cuda_transfer_has_work();
}

void nw_cuda_backend_help(void)
{
    static _Thread_local bool helping;
    if (NW_LIKELY(atomic_load_explicit(&life, memory_order_relaxed) == RUNNING) || helping)
        return;
    helping = true;
    pthread_mutex_lock(&help_lock);
    while (anything_in_flight()) {
        nw_cuda_progress_help();
        nw_cuda_transfer_help();
    }
    pthread_mutex_unlock(&help_lock);
    helping = false;
}

static bool cuda_serve(void)
{
    return nw_cuda_progress_serve() || nw_cuda_transfer_serve();
}

const nw_device_ops_t nw_backend_cuda = {
    .kind = "cuda",
    .compiler_flag = "--offload-arch=",
    .moves = true,
    .tells_launches = true,
    .probe = cuda_probe,
    .open = cuda_open,
    .close = cuda_close,
    .after_fork = cuda_after_fork,
    .alloc = nw_cuda_alloc,
    .free = nw_cuda_free,
    .alloc_reachable = nw_cuda_alloc_reachable,
    .free_reachable = nw_cuda_free_reachable,
    .health = nw_cuda_health,
    .memory_left = nw_cuda_memory_left,
    .is_busy = nw_cuda_is_busy,
    .serve = cuda_serve,
    .copy_in = nw_cuda_copy_in,
    .copy_out = nw_cuda_copy_out,
    .copy_within = nw_cuda_copy_within,
    .fill = nw_cuda_fill,
    .stage = nw_cuda_stage,
    .image_refuse = nw_cuda_image_refuse,
    .image_rank = nw_cuda_image_rank,
    .image_load = nw_cuda_image_load,
    .image_unload = nw_cuda_image_unload,
    .symbol = nw_cuda_image_symbol,
    .kernel = nw_cuda_image_kernel,
    .image_start = nw_cuda_image_start,
    .submit = nw_cuda_submit,
    .execute = nw_cuda_execute,
    .foreign = nw_cuda_foreign,
    .queue_open = nw_cuda_queue_open,
    .queue_close = nw_cuda_queue_close,
    .queue_wait = nw_cuda_queue_wait,
    .queue_notify = nw_cuda_queue_notify,
    .queue_follow = nw_cuda_queue_follow,
};
