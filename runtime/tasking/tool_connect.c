/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/tool_connect.h"

#include <pthread.h>
#include <string.h>

#include "core/tool.h"
#include "support/log.h"
#include "support/settings.h"
#include "tasking/libomp.h"

/* Libraries that have asked for the tool's callbacks. */
#define MOST_OTHERS 8

static pthread_mutex_t others_lock = PTHREAD_MUTEX_INITIALIZER;
static nw_ompt_start_t *others[MOST_OTHERS];
static int n_others;
static nw_ompt_lookup_t lookup_of_libomp;

static void know_thread(void)
{
    static nw_ident_t loc = {.flags = 2, .psource = ";unknown;unknown;0;0;;"};
    (void)nw_libomp()->global_thread_num(&loc);
}

static nw_ompt_data_t *no_data(void)
{
    return NULL;
}

/* libomp's ompt_get_callback: returns 1 and sets the callback if the tool has registered one. */
typedef int (*get_callback_t)(int number, nw_ompt_function_t *callback_p);

/* Sets a pointer to a function from one of another type: clang warns of every cast between the two. */
#define SET_FUNCTION(to, from) memcpy(&(to), &(from), sizeof(to))

static int initialize(nw_ompt_lookup_t lookup, int initial_device, nw_ompt_data_t *tool_data)
{
    (void)initial_device;
    (void)tool_data;
    nw_tool_callbacks_t callbacks = {.task_data = no_data, .target_task_data = no_data, .know_thread = know_thread};
    get_callback_t get_callback;
    nw_ompt_function_t found = lookup("ompt_get_callback");
    if (!found)
        return 0;
    SET_FUNCTION(get_callback, found);
#define BIND(name, number, parameters) \
    found = NULL; \
    if (get_callback(number, &found) == 1) \
        SET_FUNCTION(callbacks.name, found);
    NW_OMPT_CALLBACKS(BIND)
#undef BIND
    if (!nw_settings.tool_maps)
        callbacks.target_map = NULL, callbacks.target_map_emi = NULL;
    if ((found = lookup("ompt_get_task_data")))
        SET_FUNCTION(callbacks.task_data, found);
    if ((found = lookup("ompt_get_target_task_data")))
        SET_FUNCTION(callbacks.target_task_data, found);
    pthread_mutex_lock(&others_lock);
    lookup_of_libomp = lookup;
    pthread_mutex_unlock(&others_lock);
    nw_tool_attach(&callbacks);
    return 1;
}

static void finalize(nw_ompt_data_t *tool_data)
{
    (void)tool_data;
    nw_tool_detach();
    pthread_mutex_lock(&others_lock);
    lookup_of_libomp = NULL;
    int n = n_others;
    n_others = 0;
    pthread_mutex_unlock(&others_lock);
    for (int i = 0; i < n; i++)
        others[i]->finalize(NULL);
}

void nw_tool_connect(void)
{
    static nw_ompt_start_t start = {.initialize = initialize, .finalize = finalize};
    const nw_libomp_t *omp = nw_libomp_if_loaded();
    /* libomp calls `initialize` if there is a tool. */
    if (omp && omp->ompt_connect)
        omp->ompt_connect(&start);
    if (!nw_tool_attached())
        nw_tool_attach(NULL);
}

void nw_tool_connect_other(nw_ompt_start_t *start)
{
    pthread_mutex_lock(&others_lock);
    nw_ompt_lookup_t lookup = lookup_of_libomp;
    bool full = n_others == MOST_OTHERS;
    if (lookup && !full && start->finalize)
        others[n_others++] = start;
    pthread_mutex_unlock(&others_lock);
    if (lookup && full)
        nw_log(NW_LOG_WARNING, "more than %d libraries want the tool's callbacks; the last one gets none", MOST_OTHERS);
    else if (lookup)
        start->initialize(lookup, 0, NULL);
}
