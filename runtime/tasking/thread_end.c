/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/thread_end.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device/device_thread.h"
#include "support/log.h"
#include "tasking/last_thread.h"
#include "tasking/launcher.h"
#include "tasking/libomp.h"
#include "tasking/pin.h"

/*
 * Two ways to hear of a thread's end before libomp does, which hears of it by the destructor of a key. The C library
 * calls destructors of C++ thread_local objects before those of keys, but not for the initial thread when that ends
 * alone, by pthread_exit. Those of keys it calls in the order in which the keys were made (pthread_key_create takes the
 * lowest that is free): ours is made when this library is loaded, libomp's at the first use of OpenMP.
 */
int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *library);
extern void *__dso_handle;

static pthread_key_t key;
static bool has_key;

static _Thread_local struct {
    bool expected;
    bool over;          /* nothing of ours will hear of it again */
    bool outside_teams; /* not one of those that libomp keeps for its teams, which only end when it lets them */
} self;

/* Whether the calling thread is the first one of every team that it is in. */
static bool is_first_everywhere(void)
{
    const nw_libomp_t *omp = nw_libomp();
    if (omp->team_num() != 0)
        return false;
    for (int32_t level = omp->level(); level > 0; level--) {
        if (omp->ancestor_thread_num(level) != 0)
            return false;
    }
    return true;
}

/* Also at `exit`, on the thread that calls it. Objects that are destroyed later may launch regions again. */
static void thread_ends(void *unused)
{
    (void)unused;
    if (!self.expected || nw_is_dying())
        return;
    self.expected = false;
    nw_launcher_finish(self.outside_teams);
    nw_pin_thread_ends();
}

static bool is_initial(void)
{
    return syscall(SYS_gettid) == getpid();
}

static void last_chance(void *unused)
{
    thread_ends(unused);
    self.over = true;
    if (is_initial())
        nw_last_thread_watch();
}

static __attribute__((constructor)) void make_key(void)
{
    has_key = pthread_key_create(&key, last_chance) == 0;
    /* The initial thread's end concerns the whole program, whoever launches. */
    if (has_key && is_initial())
        (void)pthread_setspecific(key, &self);
}

static __attribute__((cold, noinline)) bool expect(void)
{
    if (self.over)
        return false;
    if (nw_device_thread_is_current())
        return true;
    self.expected = true;
    self.outside_teams = is_first_everywhere();
    /* Without memory for it, the thread's end is libomp's alone. */
    (void)__cxa_thread_atexit_impl(thread_ends, NULL, &__dso_handle);
    if (has_key)
        (void)pthread_setspecific(key, &self);
    return true;
}

bool nw_thread_end_expect(void)
{
    return NW_LIKELY(self.expected) || expect();
}
