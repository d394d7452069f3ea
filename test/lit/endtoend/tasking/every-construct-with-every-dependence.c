// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole product: each construct (kernel, enter data, exit data, update to, update from), with each kind of
// dependence, deferred or not, if clause true or false, on each device and the initial one. Each comes after a task
// that makes its input and before a task that sees its output; the values say whether it was in between, and where it
// ran.
//
// RUN: %cc-both
// RUN: %run-both
#include "check.h"

/* Where one case runs, and what it works on. */
typedef struct where {
    int device;
    int condition; /* of the if clause */
    int value;
} where_t;

#define OMP(...) OMP_(__VA_ARGS__)
#define OMP_(...) _Pragma(#__VA_ARGS__)
/* An argument list that may be empty. */
#define NOTHING
#define TARGET(w) device((w).device) if ((w).condition)

/* True if the case has an effect on the device. */
static int offloads(where_t w)
{
    return w.condition && w.device != omp_get_initial_device();
}

static void map_zeros(int *x, where_t w)
{
    x[0] = x[1] = 0;
#pragma omp target enter data map(to : x[0:2]) device(w.device)
}

static void unmap(int *x, where_t w)
{
#pragma omp target exit data map(delete : x[0:2]) device(w.device)
}

/* The task before a construct that reads the host's x. */
#define HOST_WRITES_BEFORE(x, w)                                                                                       \
    OMP(omp task depend(out : x[0], x[1]) shared(x) firstprivate(w))                                                   \
    {                                                                                                                  \
        sleep_us(50);                                                                                                  \
        x[0] = w.value;                                                                                                \
    }

/* The region before a construct that reads the device's x. */
#define DEVICE_WRITES_BEFORE(x, w)                                                                                     \
    OMP(omp target device(w.device) map(alloc : x) depend(out : x[0], x[1]) firstprivate(w) nowait)                    \
    {                                                                                                                  \
        sleep_us(50);                                                                                                  \
        x[0] = w.value;                                                                                                \
    }

#define HOST_READS_AFTER(x, seen) OMP(omp task depend(inout : x[0]) shared(x, seen)) seen = x[0];

#define CASES(kind, deferred, clause, nowait)                                                                          \
    static void kernel_##kind##_##deferred(where_t w)                                                                  \
    {                                                                                                                  \
        int x[2] = {0, 0}, seen = -1;                                                                                  \
        MAKE_OBJECT                                                                                                    \
        HOST_WRITES_BEFORE(x, w)                                                                                       \
        OMP(omp target TARGET(w) map(tofrom : x) clause nowait)                                                        \
        x[0] = 2 * x[0] + omp_is_initial_device();                                                                     \
        HOST_READS_AFTER(x, seen)                                                                                      \
        OMP(omp taskwait)                                                                                              \
        DESTROY_OBJECT                                                                                                 \
        CHECK_EQ(seen, 2 * w.value + !offloads(w));                                                                    \
    }                                                                                                                  \
    static void enter_##kind##_##deferred(where_t w)                                                                   \
    {                                                                                                                  \
        int x[2] = {0, 0}, seen = -1;                                                                                  \
        MAKE_OBJECT                                                                                                    \
        HOST_WRITES_BEFORE(x, w)                                                                                       \
        OMP(omp target enter data TARGET(w) map(to : x) clause nowait)                                                 \
        OMP(omp task depend(inout : x[0]) shared(x))                                                                   \
        x[0] = -1;                                                                                                     \
        OMP(omp taskwait)                                                                                              \
        DESTROY_OBJECT                                                                                                 \
        if (w.device == omp_get_initial_device())                                                                      \
            return;                                                                                                    \
        CHECK_EQ(omp_target_is_present(x, w.device), w.condition);                                                     \
        OMP(omp target update from(x) device(w.device))                                                                \
        seen = x[0];                                                                                                   \
        unmap(x, w);                                                                                                   \
        CHECK_EQ(seen, w.condition ? w.value : -1);                                                                    \
    }                                                                                                                  \
    static void exit_##kind##_##deferred(where_t w)                                                                    \
    {                                                                                                                  \
        int x[2] = {0, 0}, seen = -1;                                                                                  \
        MAKE_OBJECT                                                                                                    \
        map_zeros(x, w);                                                                                               \
        DEVICE_WRITES_BEFORE(x, w)                                                                                     \
        OMP(omp target exit data TARGET(w) map(from : x) clause nowait)                                                \
        HOST_READS_AFTER(x, seen)                                                                                      \
        OMP(omp taskwait)                                                                                              \
        DESTROY_OBJECT                                                                                                 \
        if (w.device == omp_get_initial_device())                                                                      \
            return;                                                                                                    \
        CHECK_EQ(omp_target_is_present(x, w.device), !w.condition);                                                    \
        unmap(x, w);                                                                                                   \
        CHECK_EQ(seen, w.condition ? w.value : 0);                                                                     \
    }                                                                                                                  \
    static void update_to_##kind##_##deferred(where_t w)                                                               \
    {                                                                                                                  \
        int x[2], seen = -1;                                                                                           \
        MAKE_OBJECT                                                                                                    \
        map_zeros(x, w);                                                                                               \
        HOST_WRITES_BEFORE(x, w)                                                                                       \
        OMP(omp target update TARGET(w) to(x) clause nowait)                                                           \
        OMP(omp target device(w.device) map(alloc : x) map(from : seen) depend(inout : x[0]) nowait)                   \
        seen = x[0];                                                                                                   \
        OMP(omp taskwait)                                                                                              \
        DESTROY_OBJECT                                                                                                 \
        unmap(x, w);                                                                                                   \
        CHECK_EQ(seen, w.condition || w.device == omp_get_initial_device() ? w.value : 0);                             \
    }                                                                                                                  \
    static void update_from_##kind##_##deferred(where_t w)                                                             \
    {                                                                                                                  \
        int x[2], seen = -1;                                                                                           \
        MAKE_OBJECT                                                                                                    \
        map_zeros(x, w);                                                                                               \
        DEVICE_WRITES_BEFORE(x, w)                                                                                     \
        OMP(omp target update TARGET(w) from(x) clause nowait)                                                         \
        HOST_READS_AFTER(x, seen)                                                                                      \
        OMP(omp taskwait)                                                                                              \
        DESTROY_OBJECT                                                                                                 \
        unmap(x, w);                                                                                                   \
        CHECK_EQ(seen, w.condition || w.device == omp_get_initial_device() ? w.value : 0);                             \
    }

#define CALLS(kind, deferred)                                                                                          \
    kernel_##kind##_##deferred(w);                                                                                     \
    enter_##kind##_##deferred(w);                                                                                      \
    exit_##kind##_##deferred(w);                                                                                       \
    update_to_##kind##_##deferred(w);                                                                                  \
    update_from_##kind##_##deferred(w);

#define KIND(kind, clause)                                                                                             \
    CASES(kind, deferred, clause, nowait)                                                                              \
    CASES(kind, undeferred, clause, NOTHING)                                                                           \
    static void all_##kind(where_t w)                                                                                  \
    {                                                                                                                  \
        CALLS(kind, deferred)                                                                                          \
        CALLS(kind, undeferred)                                                                                        \
    }

#define MAKE_OBJECT
#define DESTROY_OBJECT
KIND(in, depend(in : x[0]))
KIND(out, depend(out : x[0]))
KIND(inout, depend(inout : x[0]))
KIND(mutexinoutset, depend(mutexinoutset : x[0]))
KIND(inoutset, depend(inoutset : x[0]))
KIND(all_memory, depend(out : omp_all_memory))
KIND(all_memory_too, depend(inout : omp_all_memory))
KIND(iterator, depend(iterator(k = 0 : 2), inout : x[k]))
KIND(several, depend(in : x[1]) depend(inout : x[0]))
#undef MAKE_OBJECT
#undef DESTROY_OBJECT
#define MAKE_OBJECT                                                                                                    \
    omp_depend_t object;                                                                                               \
    OMP(omp depobj(object) depend(inout : x[0]))
#define DESTROY_OBJECT OMP(omp depobj(object) destroy)
KIND(object, depend(depobj : object))

static void walk(void)
{
    for (int device = 0; device <= omp_get_num_devices(); device++) {
        for (int condition = 0; condition <= 1; condition++) {
            where_t w = {.device = device, .condition = condition, .value = 10 + device};
            all_in(w);
            all_out(w);
            all_inout(w);
            all_mutexinoutset(w);
            all_inoutset(w);
            all_all_memory(w);
            all_all_memory_too(w);
            all_iterator(w);
            all_several(w);
            all_object(w);
        }
    }
}

int main(void)
{
    watchdog(60);
    CHECK_GE(omp_get_num_devices(), 2);
    walk();
#pragma omp parallel num_threads(3)
    walk();
    return 0;
}
