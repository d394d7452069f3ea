// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NOWAIT_TRACE naming anything but a regular file gets one line at once, and the program goes on: a pipe that nobody
// reads, a socket, a terminal or another device, a folder, a symbolic link, which others could turn to any file. So
// does a trace that the process may not make longer, where the system would end the program. A new trace is its
// owner's alone; an old one is overwritten, and not made longer than it is.
//
// RUN: rm -rf %t.d && mkdir %t.d && %cc-plugin
// RUN: mkfifo %t.d/pipe && env NOWAIT_TRACE=%t.d/pipe %t.plugin 2>&1 | %FileCheck %s -DWHY="it is a pipe"
// RUN: python3 -c 'import os,socket; os.chdir("%t.d"); socket.socket(socket.AF_UNIX).bind("socket")'
// RUN: env NOWAIT_TRACE=%t.d/socket %t.plugin 2>&1 | %FileCheck %s -DWHY="it is a socket"
// RUN: env NOWAIT_TRACE=%t.d %t.plugin 2>&1 | %FileCheck %s -DWHY="it is a folder"
// RUN: env NOWAIT_TRACE=/dev/full %t.plugin 2>&1 | %FileCheck %s -DWHY="it is a device"
// RUN: env NOWAIT_TRACE=/dev/null %t.plugin 2>&1 | %FileCheck %s -DWHY="it is a device"
// RUN: env NOWAIT_TRACE=/dev/tty %t.plugin 2>&1 | %FileCheck %s -DWHY="it is a device"
// RUN: env NOWAIT_TRACE=/dev/stdout %t.plugin 2>&1 | %FileCheck %s -DWHY="it is a symbolic link"
// RUN: echo precious > %t.d/file && ln -s file %t.d/link && ln -s nowhere %t.d/dangling
// RUN: env NOWAIT_TRACE=%t.d/link %t.plugin 2>&1 | %FileCheck %s -DWHY="it is a symbolic link"
// RUN: env NOWAIT_TRACE=%t.d/dangling %t.plugin 2>&1 | %FileCheck %s -DWHY="it is a symbolic link"
// RUN: grep -x precious %t.d/file && test ! -e %t.d/nowhere
// RUN: env NOWAIT_TRACE= %t.plugin 2>&1 | %FileCheck %s --check-prefix=QUIET
//
// RUN: (umask 0; env NOWAIT_TRACE=%t.d/new %t.plugin) && ls -l %t.d/new | grep '^-rw-------'
// RUN: head -c 3000000 /dev/zero > %t.d/old && env NOWAIT_TRACE=%t.d/old %t.plugin
// RUN: python3 %S/../Inputs/check-trace.py %t.d/old 400
//
// 100 or 200 KiB, as the shell counts; the whole trace has more.
// RUN: (ulimit -f 200; NOWAIT_TRACE=%t.d/short %t.plugin 2>&1) | %FileCheck %s --check-prefix=LIMIT
// RUN: python3 %S/../Inputs/check-trace.py %t.d/short 0 --cut
//
// CHECK-NOT: nowait:
// CHECK: nowait: warning: NOWAIT_TRACE={{[^ ]+}}: [[WHY]], and a trace is a regular file; nothing is traced
// CHECK-NOT: nowait:
// CHECK: answer 400
// QUIET-NOT: nowait:
// QUIET: answer 400
// LIMIT: the trace {{.*}} ends here: it has reached the limit that the process has for files (ulimit -f)
// LIMIT-NOT: nowait:
// LIMIT: answer 400
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
