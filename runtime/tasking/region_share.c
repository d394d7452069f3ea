/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/region_share.h"

#include "support/log.h"
#include "tasking/libomp.h"

/*
 * Two of libomp's variables of a task are needed. nthreads-var is what omp_get_max_threads tells a region, but a teams
 * construct goes by the number that the program began with. The limit of a target task (its thread_limit clause) holds
 * for every team that is formed, and for the number of teams as well, hence nw_region_share_of_team.
 */
static _Thread_local struct {
    int32_t most, limit; /* nthreads-var and the limit as they were; 0: not known yet */
    int32_t n;           /* the share */
    int32_t limited_to;  /* the limit as it is */
} self;

static void set_limit(const nw_libomp_t *omp, int32_t limit)
{
    if (limit == self.limited_to)
        return;
    omp->set_thread_limit(NULL, omp->global_thread_num(NULL), limit);
    self.limited_to = limit;
}

void nw_region_share_take(int32_t n_running)
{
    const nw_libomp_t *omp = nw_libomp();
    if (!omp->max_threads || !omp->set_num_threads || !omp->thread_limit || !omp->set_thread_limit)
        return;
    if (NW_UNLIKELY(self.most == 0)) {
        self.most = self.n = omp->max_threads();
        self.limit = self.limited_to = omp->thread_limit();
    }
    int32_t n = n_running < self.most ? self.most / n_running : 1;
    set_limit(omp, n < self.most ? n : self.limit);
    if (n == self.n)
        return;
    omp->set_num_threads(n);
    self.n = n;
}

int32_t nw_region_share_of_team(int32_t num_teams, int32_t thread_limit)
{
    if (NW_LIKELY(self.n == self.most))
        return thread_limit;
    int32_t n = num_teams > 1 ? self.n / num_teams : self.n;
    if (n < 1)
        n = 1;
    if (num_teams > self.limited_to)
        set_limit(nw_libomp(), self.limit);
    return thread_limit > 0 && thread_limit < n ? thread_limit : n;
}
