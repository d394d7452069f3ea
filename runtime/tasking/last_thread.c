/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/last_thread.h"

#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device/device_thread.h"
#include "support/clock.h"
#include "support/log.h"
#include "support/nap.h"

#define LOOK_EVERY_NS 50000000

/* What the names of those threads begin with that don't keep the process: the runtime's own, with what libomp makes for
 * the teams of regions, which has its maker's name; those of CUDA drivers, and of the emulated one. */
static const char *const names[] = {NW_DEVICE_THREAD_NAMES, "cuda-EvtHandlr", "cuda0000", "cudaemu-"};

static bool is_one_of_these(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    }
    return false;
}

static bool keeps_no_process(long process, long thread)
{
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/comm", process, thread);
    FILE *file = fopen(path, "re");
    /* Otherwise it has ended. */
    if (!file)
        return true;
    bool read = fgets(name, sizeof name, file) != NULL;
    fclose(file);
    return !read || is_one_of_these(name);
}

/* Whether there is another thread than this one, the initial one, which is no more, and those that keep no process. */
static bool others_run(void)
{
    char path[64];
    long process = getpid(), own = syscall(SYS_gettid);
    snprintf(path, sizeof path, "/proc/%ld/task", process);
    DIR *threads = opendir(path);
    bool found = !threads;
    struct dirent *entry;
    while (!found && (entry = readdir(threads))) {
        long thread = strtol(entry->d_name, NULL, 10);
        found = thread > 0 && thread != own && thread != process && !keeps_no_process(process, thread);
    }
    if (threads)
        closedir(threads);
    return found;
}

static void *watch(void *unused)
{
    (void)unused;
    do
        nw_nap_until(nw_clock_ns() + LOOK_EVERY_NS);
    while (others_run());
    exit(EXIT_SUCCESS);
}

void nw_last_thread_watch(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch, NULL) == 0)
        pthread_detach(thread);
    else
        nw_log(NW_LOG_WARNING, "no thread can be started to see the program's last one end; let that one call exit");
}
