// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// On a full disk the trace ends with one line, and is whole; the program goes on. The disk is 64 KiB of memory.
//
// REQUIRES: private-mounts
// RUN: rm -rf %t.d && mkdir %t.d && %cc-plugin
// RUN: unshare -rm sh -c 'mount -t tmpfs -o size=64k none %t.d && NOWAIT_TRACE=%t.d/a.json %t.plugin 2>&1 && \
// RUN:     cat %t.d/a.json > %t.json' | %FileCheck %s
// RUN: python3 %S/../Inputs/check-trace.py %t.json 0 --cut
// RUN: unshare -rm sh -c 'mount -t tmpfs -o size=64k none %t.d && ! head -c 99999 /dev/zero > %t.d/b && \
// RUN:     NOWAIT_TRACE=%t.d/a.json %t.plugin 2>&1' | %FileCheck %s --check-prefix=NONE
// CHECK-NOT: nowait:
// CHECK: nowait: warning: the trace {{.*}} ends here: No space left on device
// CHECK-NOT: nowait:
// CHECK: answer 400
// NONE-NOT: nowait:
// NONE: nowait: warning: NOWAIT_TRACE={{.*}}: No space left on device; nothing is traced
// NONE-NOT: nowait:
// NONE: answer 400
#include "check.h"

int main(void)
{
    int x = 0;
    watchdog(60);
    for (int i = 0; i < 400; i++) {
#pragma omp target map(tofrom : x) depend(inout : x) nowait
        x++;
    }
#pragma omp taskwait
    printf("answer %d\n", x);
    return 0;
}
