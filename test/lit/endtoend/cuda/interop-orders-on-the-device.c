// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program adds to an interop object's stream behind `interop use nowait depend` comes after the regions that the
// construct depends on, and the construct doesn't wait for them: regions on the GPU are held by a gate that opens only
// after it has returned. Where the stream can't do that (a region brings data back to the host's memory, another that
// has not started yet, or the stream is asked for after `init nowait`), the order is right all the same.
//
// RUN: %cc-plugin
// RUN: %on-cuda NOWAIT_COMPLETION=event CUDAEMU_DEVICES=2 %t.plugin
// RUN: %on-cuda NOWAIT_COMPLETION=event CUDAEMU_DEVICES=2 CUDAEMU_WRITE_VALUE=0 %t.plugin
// RUN: %on-cuda NOWAIT_COMPLETION=requeue LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 GATED=0 CUDAEMU_DEVICES=2 %t.plugin
#include "emulated.h"

enum { N = 100, ROUNDS = 20, TOGETHER = 40 };

typedef int (*memset_t)(uint64_t to, unsigned char byte, size_t size, void *stream);
typedef int (*copy_t)(uint64_t to, const void *from, size_t size, void *stream);

static memset_t set;
static copy_t copy;
static unsigned char *bytes[2]; /* of the devices */
static unsigned char seen[N];
static int gates[TOGETHER], order;
static int gated = 1; /* regions wait for the host, which must not wait for them */

static void put(int device, unsigned char byte, void *stream)
{
    CHECK_EQ(set((uint64_t)(uintptr_t)bytes[device], byte, N / 2, stream), 0);
}

/* A region on the device that writes `byte` everywhere, late; alone, or beside others. */
static void late(int device, int n, unsigned char byte)
{
    unsigned char *to = bytes[device];
    int *gate = &gates[n];
#pragma omp target is_device_ptr(to, gate) device(device) depend(inout : order) nowait
    {
        gate_wait(gate);
        sleep_us(300);
        for (int i = 0; i < N; i++)
            to[i] = byte;
    }
}

static void late_beside_others(int n, unsigned char byte)
{
    unsigned char *to = bytes[0];
    int *gate = &gates[n];
#pragma omp target is_device_ptr(to, gate) device(0) depend(in : order) nowait
    {
        gate_wait(gate);
        sleep_us(300);
        for (int i = 0; i < N; i++)
            to[i] = byte;
    }
}

static void close_gates(void)
{
    for (int i = 0; i < TOGETHER; i++)
        gates[i] = !gated;
}

static void open_gates(void)
{
    for (int i = 0; i < TOGETHER; i++)
        gate_open(&gates[i]);
}

static void look(int device, unsigned char first, unsigned char last)
{
    unsigned char *from = bytes[device];
#pragma omp target is_device_ptr(from) map(from : seen) device(device) depend(inout : order) nowait
    for (int i = 0; i < N; i++)
        seen[i] = from[i];
#pragma omp taskwait
    CHECK_EQ(seen[0], first);
    CHECK_EQ(seen[N - 1], last);
}

/* The regions that the construct depends on are on their device. */
static void behind_a_region(omp_interop_t object, void *stream)
{
    close_gates();
    late(0, 0, 1);
#pragma omp interop use(object) nowait depend(inout : order)
    count_calls();
    put(0, 7, stream);
#pragma omp interop use(object) nowait depend(inout : order)
    put(0, 8, stream);
    CHECK_EQ(gated ? own_blocking_calls(NULL) : 0, 0);
    open_gates();
#pragma omp interop use(object) nowait depend(inout : order)
    look(0, 8, 1);
}

/* Many regions, in many streams, most of which the construct depends on. */
static void behind_many_regions(omp_interop_t object, void *stream)
{
    close_gates();
    for (int i = 0; i < TOGETHER; i++)
        late_beside_others(i, 1);
#pragma omp interop use(object) nowait depend(inout : order)
    put(0, 7, stream);
#pragma omp interop use(object) nowait depend(inout : order)
    open_gates();
    look(0, 7, 1);
}

/* A copy from the host's memory must come after the region has brought its result there. */
static void behind_a_result(omp_interop_t object, void *stream)
{
    static int result[N];
    int *to = (int *)(void *)bytes[0];
    memset(result, 0, sizeof result);
#pragma omp target map(from : result) depend(out : order) nowait
    {
        sleep_us(1000);
        for (int i = 0; i < N; i++)
            result[i] = 0x01010101;
    }
#pragma omp interop use(object) nowait depend(inout : order)
    CHECK_EQ(copy((uint64_t)(uintptr_t)to, result, N, stream), 0);
#pragma omp interop use(object) nowait depend(inout : order)
    look(0, 1, 1);
}

/* A region that waits for another, of the other GPU even, is in no stream yet. */
static void behind_a_chain(omp_interop_t object, void *stream)
{
    memset(gates, 0, sizeof gates);
    open_gates();
    late(1, 0, 2);
    late(0, 0, 1);
#pragma omp interop use(object) nowait depend(inout : order)
    put(0, 7, stream);
#pragma omp interop use(object) nowait depend(inout : order)
    look(0, 7, 1);
}

/* Its end waits for nothing. */
static void destroyed_behind_a_region(omp_interop_t object, void *stream)
{
    close_gates();
    put(0, 9, stream);
    late(0, 0, 1);
#pragma omp interop destroy(object) nowait depend(inout : order)
    open_gates();
    look(0, 1, 1);
}

/* The stream is asked for when the region is in flight and the construct has returned. */
static void asked_for_late(void)
{
    omp_interop_t object = omp_interop_none;
    open_gates();
    late(0, 0, 1);
#pragma omp interop init(targetsync : object) device(0) nowait depend(inout : order)
    put(0, 7, omp_get_interop_ptr(object, omp_ipr_targetsync, NULL));
#pragma omp interop destroy(object) nowait depend(inout : order)
    look(0, 7, 1);
}

int main(void)
{
    watchdog(60);
    gated = !getenv("GATED");
    for (int i = 0; i < 2; i++) {
        bytes[i] = omp_target_alloc(N, i);
        unsigned char *to = bytes[i];
#pragma omp target is_device_ptr(to) device(i)
        to[0] = 0;
    }
    set = (memset_t)emulated("cuMemsetD8Async");
    copy = (copy_t)emulated("cuMemcpyHtoDAsync_v2");
    for (int round = 0; round < ROUNDS; round++) {
        asked_for_late();
        omp_interop_t object = omp_interop_none;
#pragma omp interop init(targetsync : object) device(0)
        void *stream = omp_get_interop_ptr(object, omp_ipr_targetsync, NULL);
        behind_a_region(object, stream);
        behind_many_regions(object, stream);
        behind_a_result(object, stream);
        behind_a_chain(object, stream);
        destroyed_behind_a_region(object, stream);
    }
    for (int i = 0; i < 2; i++)
        omp_target_free(bytes[i], i);
    CHECK_EQ(misuses(), 0);
    return 0;
}
