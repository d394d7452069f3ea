/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The entry point through which another library gets the tool's callbacks. */
#include "omptarget/omptarget.h"
#include "support/export.h"
#include "tasking/shutdown.h"
#include "tasking/tool_connect.h"

NW_EXPORT void ompt_libomptarget_connect(struct nw_ompt_start *start)
{
    nw_shutdown_prepare();
    if (start)
        nw_tool_connect_other(start);
}
