/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/status.h"

const char *nw_status_text(nw_status_t status)
{
    switch (status) {
#define NW_STATUS(name, value, text) \
    case NW_##name:                  \
        return text;
#include "support/status.def"
#undef NW_STATUS
    }
    return "unknown status";
}
