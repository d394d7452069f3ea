/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasking/tool_dependences.h"

#include <stdlib.h>

#include "core/tool.h"
#include "support/log.h"

static int type_of(const struct nowait_depend_info *dep)
{
    if (nw_is_all_memory(dep))
        return NW_OMPT_DEPENDENCE_OUT_ALL_MEMORY;
    switch (dep->flags) {
    case NW_DEPEND_IN:
        return NW_OMPT_DEPENDENCE_IN;
    case NW_DEPEND_MUTEXINOUTSET:
        return NW_OMPT_DEPENDENCE_MUTEXINOUTSET;
    case NW_DEPEND_INOUTSET:
        return NW_OMPT_DEPENDENCE_INOUTSET;
    default:
        return NW_OMPT_DEPENDENCE_INOUT;
    }
}

static nw_ompt_dependence_t *convert(nw_ompt_dependence_t *to, int32_t n, const struct nowait_depend_info *deps)
{
    for (int32_t i = 0; i < n; i++) {
        bool all = nw_is_all_memory(&deps[i]);
        *to++ = (nw_ompt_dependence_t){.variable.ptr = all ? NULL : (void *)deps[i].base, .type = type_of(&deps[i])};
    }
    return to;
}

void nw_tool_tell_dependences(const nw_ident_t *loc, nw_ompt_data_t *task, const nw_dependence_lists_t *lists)
{
    int n = lists->n + lists->n_noalias;
    if (n == 0 || !nw_tool_wants_dependences())
        return;
    nw_ompt_dependence_t *told = malloc((size_t)n * sizeof *told);
    if (!told)
        nw_fatal(loc, "%s", nw_status_text(NW_ERR_NO_MEMORY));
    (void)convert(convert(told, lists->n, lists->list), lists->n_noalias, lists->noalias);
    nw_tool_dependences(task, told, n);
    free(told);
}
