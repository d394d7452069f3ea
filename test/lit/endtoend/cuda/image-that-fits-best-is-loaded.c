// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of several images the one is loaded that fits the GPU best: a cubin for its own compute capability, of either ELF ABI
// version, else one for an older capability of the same major version, else PTX, which the driver compiles. An image in
// an OffloadBinary wrapper counts like the image itself. If none fits, the first region says what was found and what
// the device wants; if the driver refuses an image, what the driver says.
//
// RUN: %cc-plugin
// RUN: %make-cubin --sm 80 --kernel kernel --variable which=5000000000000000 -o %t.80
// RUN: %make-cubin --sm 86 --abi 8 --kernel kernel --variable which=5600000000000000 -o %t.86
// RUN: %make-cubin --sm 90 --abi 7 --kernel kernel --variable which=5a00000000000000 -o %t.90
// RUN: cp %S/Inputs/which.ptx %t.ptx
// RUN: %on-cuda CUDAEMU_CAPABILITY=8.0 %t.plugin %t.ptx %t.80 %t.86 %t.90 | %FileCheck %s --check-prefix=SM80
// RUN: %on-cuda CUDAEMU_CAPABILITY=8.6 %t.plugin %t.ptx %t.80 %t.86 %t.90 | %FileCheck %s --check-prefix=SM86
// RUN: %on-cuda CUDAEMU_CAPABILITY=8.9 %t.plugin %t.80 %t.ptx %t.86 %t.90 | %FileCheck %s --check-prefix=SM86
// RUN: %on-cuda CUDAEMU_CAPABILITY=9.0 %t.plugin %t.90 %t.80 %t.86 %t.ptx | %FileCheck %s --check-prefix=SM90
// RUN: %on-cuda CUDAEMU_CAPABILITY=7.5 %t.plugin %t.80 %t.86 %t.ptx | %FileCheck %s --check-prefix=PTX
// RUN: %on-cuda CUDAEMU_CAPABILITY=10.0 %t.plugin %t.90 %t.ptx | %FileCheck %s --check-prefix=PTX
// RUN: %on-cuda CUDAEMU_CAPABILITY=9.0 %t.plugin --wrapped %t.90 | %FileCheck %s --check-prefix=SM90
// RUN: %not %on-cuda CUDAEMU_CAPABILITY=9.0 %t.plugin %t.86 2>&1 | %FileCheck %s --check-prefix=NONE
// RUN: %not %on-cuda CUDAEMU_FAIL=cuModuleLoadDataEx@1+=218 %t.plugin %t.90 2>&1 | %FileCheck %s --check-prefix=REFUSED
//
// SM80: image 80
// SM86: image 86
// SM90: image 90
// PTX: image 42
// NONE: nowait: error: device 0 (cuda) has no code for this region, kernel: found a cubin for sm_86, the device ({{.+}}) wants sm_90; compile for it with --offload-arch=
// NONE-NOT: nowait:
// REFUSED: nowait: error: device 0 (cuda) has no code for this region, kernel: the driver refuses the image: {{.+}} (cuModuleLoadDataEx)
// REFUSED-NOT: nowait:
#include "emulated.h"
#include "omptarget.h"

/* The file format's head, and its only entry. */
struct wrapper {
    unsigned char magic[4];
    uint32_t version;
    uint64_t size, entry_offset, entry_size;
    struct {
        uint16_t image_kind, offload_kind;
        uint32_t flags;
        uint64_t strings_offset, n_strings, image_offset, image_size;
    } entry;
};

static char region_id;
static unsigned char which[8];

static struct image read_image(const char *path, int wrapped)
{
    static char bytes[4][65536] __attribute__((aligned(64)));
    static int n;
    char *start = bytes[n++], *at = start + (wrapped ? sizeof(struct wrapper) : 0);
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    size_t size = fread(at, 1, sizeof bytes[0] - sizeof(struct wrapper) - 1, file);
    fclose(file);
    if (wrapped) {
        struct wrapper head = {{0x10, 0xff, 0x10, 0xad}, 1, sizeof head + size, offsetof(struct wrapper, entry),
                               sizeof head.entry, {1, 1, 0, sizeof head, 0, sizeof head, size}};
        memcpy(start, &head, sizeof head);
    }
    return (struct image){.start = start, .end = at + size};
}

int main(int argc, char **argv)
{
    static struct image images[4];
    struct entry entries[] = {{&region_id, "kernel", 0, 0, 0}, {which, "which", sizeof which, 0, 0}};
    int wrapped = strcmp(argv[1], "--wrapped") == 0, n = 0;
    watchdog(60);
    for (int i = 1 + wrapped; i < argc; i++) {
        images[n] = read_image(argv[i], wrapped);
        images[n].entries_begin = entries;
        images[n++].entries_end = entries + 2;
    }
    struct description description = {n, images, entries, entries + 2};
    __tgt_register_lib(&description);
    struct kernel_args arguments = {.version = 3, .teams = {1, 1, 1}, .threads = {1, 1, 1}};
    CHECK_EQ(__tgt_target_kernel(NULL, 0, -1, 0, &region_id, &arguments), 0);
    void *variable = omp_get_mapped_ptr(which, 0);
    CHECK(variable != NULL);
    CHECK_EQ(omp_target_memcpy(which, variable, sizeof which, 0, 0, omp_get_initial_device(), 0), 0);
    printf("image %d\n", which[0]);
    __tgt_unregister_lib(&description);
    return 0;
}
