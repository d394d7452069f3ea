/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the end-to-end programs share: checks, a watchdog, how often to repeat, and what ThreadSanitizer has to be told.
 *
 * Stock libomp is not instrumented, so ThreadSanitizer does not see that a wait comes after what it waits for. Archer,
 * LLVM's tool for that, which libomp loads by itself, tells it about host tasks. Of regions the runtime tells it, built
 * with it, one by one: at taskwait and where the program waits for dependences (tasking/libomp_order.h). What libomp
 * does without the runtime, the programs say: a host task that depends on regions begins with AFTER_REGIONS_ON(address)
 * for each; behind a taskgroup or a barrier, AFTER_REGIONS_OF(task) stands for the regions of each task concerned,
 * which has named itself by THIS_TASK().
 *
 * Nor does ThreadSanitizer see that libomp hands the memory of a host task on to a later one. Between waits, a thread
 * that makes host tasks one after the other says BEFORE_HOST_TASK(), and each of these ends in HOST_TASK_ENDS().
 */
#ifndef NOWAIT_TEST_E2E_H
#define NOWAIT_TEST_E2E_H

#include <omp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK_EQ(a, b)                                                                                                 \
    do {                                                                                                               \
        long long check_a = (long long)(a), check_b = (long long)(b);                                                  \
        if (check_a != check_b) {                                                                                      \
            fprintf(stderr, "%s:%d: %s is %lld, expected %lld\n", __FILE__, __LINE__, #a, check_a, check_b);           \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

#if __has_feature(thread_sanitizer)
void __tsan_acquire(void *address);
int __kmpc_global_thread_num(void *loc);
void *__kmpc_omp_get_target_async_handle_ptr(int gtid);
#define AFTER_REGIONS_ON(address) (__tsan_acquire(address), __tsan_acquire((char *)(address) + 1))
#define THIS_TASK() __kmpc_omp_get_target_async_handle_ptr(__kmpc_global_thread_num(NULL))
#define AFTER_REGIONS_OF(task) __tsan_acquire(task)
#else
#define AFTER_REGIONS_ON(address) ((void)(address))
#define THIS_TASK() NULL
#define AFTER_REGIONS_OF(task) ((void)(task))
#endif

static _Atomic unsigned host_tasks_ended;
#define HOST_TASK_ENDS() (void)atomic_fetch_add_explicit(&host_tasks_ended, 1, memory_order_release)
#define BEFORE_HOST_TASK() (void)atomic_load_explicit(&host_tasks_ended, memory_order_acquire)

/* How often each shape is repeated. The first argument of the program, 1000 by default. */
static int repetitions = 1000;

static void bark(int sig)
{
    static const char text[] = "watchdog: the program hangs\n";
    (void)sig;
    if (write(2, text, sizeof text - 1) < 0)
        _exit(4);
    _exit(3);
}

static void start(int argc, char **argv)
{
    signal(SIGALRM, bark);
    alarm(1200);
    if (argc > 1)
        repetitions = atoi(argv[1]);
}

#endif
