/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Refuses to be loaded into a compiler of another LLVM version. Such a compiler might crash, or silently run without
 * the plugin: the plugin registries are tables in the compiler whose place and layout change from version to version.
 */
#include <stdio.h>
#include <stdlib.h>

/* Present since LLVM 16; weak, so that an older compiler gets the message below and not the dynamic linker's. */
extern void LLVMGetVersion(unsigned *major, unsigned *minor, unsigned *patch) __attribute__((weak));

/* The earliest priority that is not reserved: before the C++ constructors that register the plugin. */
__attribute__((constructor(101))) static void check_host_version(void)
{
    unsigned major = 0, minor = 0, patch = 0;

    if (LLVMGetVersion)
        LLVMGetVersion(&major, &minor, &patch);
    if (major == NW_LLVM_MAJOR)
        return;
    if (major == 0)
        fprintf(stderr, "nowait: error: this plugin is for LLVM %d and cannot run in this older compiler\n",
                NW_LLVM_MAJOR);
    else
        fprintf(stderr, "nowait: error: this plugin is for LLVM %d and cannot run in LLVM %u\n", NW_LLVM_MAJOR, major);
    exit(EXIT_FAILURE);
}
