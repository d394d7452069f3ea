// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device images that are cut short, foreign, empty or plain noise are registered by hand: the program starts, its own
// regions run, and a region of the bad image is refused with a line and the host's answer to a failed construct.
//
// RUN: %cc-plugin
// RUN: %t.plugin noise 2>&1 | %FileCheck %s
// RUN: %t.plugin empty 2>&1 | %FileCheck %s
// RUN: %t.plugin truncated 2>&1 | %FileCheck %s
// RUN: %t.plugin foreign 2>&1 | %FileCheck %s
// RUN: %t.plugin none 2>&1 | %FileCheck %s
// RUN: %not %t.plugin noise launch 2>&1 | %FileCheck %s --check-prefix=LAUNCH
// RUN: %not %t.plugin truncated launch 2>&1 | %FileCheck %s --check-prefix=LAUNCH
// RUN: %not %t.plugin foreign launch 2>&1 | %FileCheck %s --check-prefix=LAUNCH
// RUN: env OMP_TARGET_OFFLOAD=disabled %t.plugin noise launch 2>&1 | %FileCheck %s --check-prefix=FALLBACK
// CHECK: own region gives 42
// LAUNCH: own region gives 42
// LAUNCH-NOT: launched
// FALLBACK: own region gives 42
// FALLBACK: launched: not run
#include "check.h"
#include "omptarget.h"

static char region_id;
static unsigned char bytes[4096];

/* The program's own file is an ELF file of the right machine, so its beginning is a well-made image cut short. */
static size_t read_own_beginning(size_t n)
{
    FILE *file = fopen("/proc/self/exe", "rb");
    CHECK(file != NULL);
    n = fread(bytes, 1, n, file);
    fclose(file);
    return n;
}

int main(int argc, char **argv)
{
    CHECK_GE(argc, 2);
    size_t size = sizeof bytes;
    watchdog(30);
    if (strcmp(argv[1], "truncated") == 0) {
        size = read_own_beginning(200);
    } else if (strcmp(argv[1], "foreign") == 0) {
        size = read_own_beginning(sizeof bytes);
        bytes[18] = 183; /* the machine field: AArch64 */
    } else if (strcmp(argv[1], "empty") == 0) {
        size = 0;
    } else {
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (unsigned char)(i * 37 + 11);
    }
    struct entry entry = {&region_id, "no_such_kernel", 0, 0, 0};
    struct image image = {bytes, bytes + size, &entry, &entry + 1};
    struct description description = {1, &image, &entry, &entry + 1};
    if (strcmp(argv[1], "none") == 0)
        description = (struct description){0, NULL, &entry, &entry + 1};
    __tgt_register_lib(&description);

    int x = 41;
#pragma omp target map(tofrom : x) nowait
    x++;
#pragma omp taskwait
    printf("own region gives %d\n", x);
    fflush(stdout);

    if (argc > 2) {
        struct kernel_args arguments = {.version = 3, .teams = {1, 1, 1}, .threads = {1, 1, 1}};
        int result = __tgt_target_kernel(NULL, -1, -1, 0, &region_id, &arguments);
        printf("launched: %s\n", result == 0 ? "run" : "not run");
    }
    __tgt_unregister_lib(&description);
    return 0;
}
