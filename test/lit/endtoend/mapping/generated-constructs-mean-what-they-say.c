// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs of target constructs drawn by chance, with variables of every type, size, alignment and kind of clause, with
// nowait or without, at every level of optimisation: regions see the values at the construct, and change what they may
// change. GENERATED_PROGRAMS=200 before lit's command tries many more. The programs do not come from this file.
//
// RUN: %generated-constructs 12 "%nowait-clang" %t.plugin "env NOWAIT_COMPLETION=event" "%on-cuda NOWAIT_COMPLETION=event"
// RUN: %generated-constructs 6 "%stock-clang" %t.stock "env NOWAIT_COMPLETION=event %nowait-run"
