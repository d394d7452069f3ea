// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments of the plugin: help and version print and go on, verify is silent, anything else is one clear error.
//
// RUN: %clang -fplugin=%plugin -fplugin-arg-nowait-help -fsyntax-only %s | %FileCheck %s --check-prefix=HELP
// RUN: %clang -fplugin=%plugin -fplugin-arg-nowait-version -fsyntax-only %s | %FileCheck %s --check-prefix=VERSION
// RUN: %clang -fplugin=%plugin -fplugin-arg-nowait-verify -fsyntax-only %s 2>&1 | %count 0
// RUN: %not %clang %offload -fplugin=%plugin -fplugin-arg-nowait-verfy -c %s -o %t.o 2> %t.driver.txt
// RUN: %FileCheck %s --check-prefix=UNKNOWN < %t.driver.txt
// RUN: %not %clang -fplugin=%plugin -Xclang -plugin-arg-nowait -Xclang verfy -c %s -o %t.o 2> %t.cc1.txt
// RUN: %FileCheck %s --check-prefix=UNKNOWN < %t.cc1.txt
// RUN: %not %opt -load-pass-plugin=%pass_plugin -passes='nowait<verfy>' /dev/null -o /dev/null 2> %t.opt.txt
// RUN: %FileCheck %s --check-prefix=PASS < %t.opt.txt

// HELP: Arguments of the nowait plugin
// HELP: verify
// VERSION: nowait {{[0-9]+\.[0-9]+\.[0-9]+}} for LLVM {{19|22}}
// UNKNOWN: error: unknown argument 'verfy' for the nowait plugin; try 'help'
// UNKNOWN-NOT: error:
// PASS: unknown pass name 'nowait<verfy>'
int x;
