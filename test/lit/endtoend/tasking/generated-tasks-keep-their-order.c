// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs of target constructs and host tasks drawn by chance, in serial code and in teams, with every kind of
// dependence, nested tasks, waits and taskgroups, on several devices: tasks come in the order that their dependences
// give, and see what a serial run would. GENERATED_PROGRAMS=200 before lit's command tries many more. The programs do
// not come from this file.
//
// RUN: %generated-tasks 5 "%nowait-clang" %t.plugin "env NOWAIT_COMPLETION=event" "%on-cuda NOWAIT_COMPLETION=event CUDAEMU_DEVICES=3"
// RUN: %generated-tasks 3 "%stock-clang" %t.stock "env NOWAIT_COMPLETION=event %nowait-run" "env NOWAIT_COMPLETION=block %nowait-run"
// RUN: %generated-tasks --simple 3 "%nowait-clang" %t.simple "env NOWAIT_COMPLETION=requeue"
