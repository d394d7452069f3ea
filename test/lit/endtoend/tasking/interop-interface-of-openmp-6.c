// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM 22's interface for front ends of OpenMP 6.0, called as such a front end would: explicit objects with nowait and
// dependences; implicit ones, which are each thread's own and found again; completion callbacks; and the hook that
// libomp 22 calls where a thread waits.
//
// RUN: %cc-plugin
// RUN: %run-plugin
#include "check.h"

struct spec {
    int32_t runtime;
    uint32_t attributes;
    int64_t own_attributes;
};
struct context {
    uint32_t version, flags;
    int32_t gtid;
};
struct depend {
    intptr_t base;
    size_t length;
    uint8_t flags;
};
struct dependences {
    int32_t n, n_noalias;
    struct depend *list, *noalias;
};

enum { TARGET, TARGETSYNC };
enum { IMPLICIT = 1, NOWAIT = 2 };

void *__tgt_interop_get(void *loc, int32_t type, int64_t device, int32_t n, struct spec *preferred,
                        struct context *context, struct dependences *dependences);
int __tgt_interop_use60(void *loc, void *object, struct context *context, struct dependences *dependences);
int __tgt_interop_release(void *loc, void *object, struct context *context, struct dependences *dependences);
int ompx_interop_add_completion_callback(void *object, void (*callback)(void *object, void *data), void *data);
void __tgt_target_sync(void *loc, int32_t gtid, void *task, void *event);
int32_t __kmpc_global_thread_num(void *loc);

static struct {
    int32_t reserved, flags, reserved2, size;
    const char *place;
} loc = {0, 2, 0, 0, ";file.c;function;1;1;;"};

static void add_one(void *object, void *data)
{
    (void)object;
    count_up(data);
}

static void explicit_object(void)
{
    int x = 0, calls = 0;
    struct context now = {0, 0, __kmpc_global_thread_num(&loc)}, later = now;
    struct spec cuda = {.runtime = 1};
    struct depend in = {(intptr_t)&x, sizeof x, 1};
    struct dependences on_x = {1, 0, &in, NULL};
    later.flags = NOWAIT;
    void *object = __tgt_interop_get(&loc, TARGETSYNC, -1, 1, &cuda, &now, NULL);
    CHECK_NE((intptr_t)object, 0);
    CHECK_EQ(omp_get_interop_int(object, omp_ipr_device_num, NULL), omp_get_default_device());
    CHECK_EQ(ompx_interop_add_completion_callback(object, add_one, &calls), omp_irc_success);
    CHECK_EQ(ompx_interop_add_completion_callback(object, add_one, &calls), omp_irc_success);
    CHECK_EQ(ompx_interop_add_completion_callback(NULL, add_one, &calls), omp_irc_other);
    CHECK_EQ(peek(&calls), 0);
    CHECK_EQ(__tgt_interop_use60(&loc, object, &now, NULL), 0);
    CHECK_EQ(peek(&calls), 2);
    CHECK_EQ(__tgt_interop_use60(&loc, object, &now, NULL), 0);
    CHECK_EQ(peek(&calls), 2);
    /* A deferred use calls them when its task is complete. */
    omp_get_interop_ptr(object, omp_ipr_targetsync, NULL);
    CHECK_EQ(ompx_interop_add_completion_callback(object, add_one, &calls), omp_irc_success);
#pragma omp target map(tofrom : x) depend(out : x) nowait
    {
        sleep_us(500);
        x = 1;
    }
    CHECK_EQ(__tgt_interop_use60(&loc, object, &later, &on_x), 0);
#pragma omp taskwait
    CHECK_EQ(x, 1);
    CHECK_EQ(peek(&calls), 3);
    /* So does the end. */
    CHECK_EQ(ompx_interop_add_completion_callback(object, add_one, &calls), omp_irc_success);
    CHECK_EQ(__tgt_interop_release(&loc, object, &later, &on_x), 0);
#pragma omp taskwait
    CHECK_EQ(peek(&calls), 4);
    CHECK_NE(__tgt_interop_use60(&loc, NULL, &now, NULL), 0);
    CHECK_NE(__tgt_interop_release(&loc, NULL, &now, NULL), 0);
}

static void *implicit_object(int device)
{
    struct context context = {0, IMPLICIT, __kmpc_global_thread_num(&loc)};
    void *object = __tgt_interop_get(&loc, TARGETSYNC, device, 0, NULL, &context, NULL);
    CHECK_NE((intptr_t)object, 0);
    return object;
}

static void implicit_objects(void)
{
    int calls = 0;
    int32_t gtid = __kmpc_global_thread_num(&loc);
    struct context now = {0, 0, gtid};
    void *first = implicit_object(0), *second = implicit_object(1);
    CHECK_EQ(first == second, 0);
    CHECK_EQ(implicit_object(0) == first, 1);
    ompx_interop_add_completion_callback(first, add_one, &calls);
    ompx_interop_add_completion_callback(second, add_one, &calls);
    /* Another thread's hook does not touch them; it has none. */
    __tgt_target_sync(NULL, gtid, NULL, NULL);
    CHECK_EQ(peek(&calls), 2);
    /* Clean objects are left alone until they are got again. */
    ompx_interop_add_completion_callback(first, add_one, &calls);
    __tgt_target_sync(NULL, gtid, NULL, NULL);
    CHECK_EQ(peek(&calls), 2);
    implicit_object(0);
    __tgt_target_sync(NULL, gtid, NULL, NULL);
    CHECK_EQ(peek(&calls), 3);
    CHECK_EQ(__tgt_interop_release(&loc, first, &now, NULL), 0);
    CHECK_EQ(implicit_object(0) == first, 1);
}

int main(void)
{
    void *objects[3] = {NULL, NULL, NULL};
    watchdog(40);
    explicit_object();
    implicit_objects();
#pragma omp parallel num_threads(3)
    {
        explicit_object();
        implicit_objects();
        objects[omp_get_thread_num()] = implicit_object(0);
    }
    CHECK_EQ(objects[0] == objects[1] || objects[1] == objects[2] || objects[0] == objects[2], 0);
    return 0;
}
