/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Registers one device image, the file IMAGE, with the program's offload entries, as the code does that clang 19's
 * linker wrapper adds to a program: for images that clang's own tools would not make. */
#include <stddef.h>
#include <stdint.h>

typedef struct entry {
    void *address;
    char *name;
    size_t size;
    int32_t flags, reserved;
} entry_t;

typedef struct image {
    const void *start, *end;
    entry_t *entries, *entries_end;
} image_t;

typedef struct descriptor {
    int32_t n_images;
    image_t *images;
    entry_t *entries, *entries_end;
} descriptor_t;

void __tgt_register_lib(descriptor_t *descriptor);
void __tgt_unregister_lib(descriptor_t *descriptor);

extern entry_t entries_begin[] __asm__("__start_omp_offloading_entries");
extern entry_t entries_end[] __asm__("__stop_omp_offloading_entries");
extern const char image_begin[], image_end[];

__asm__(".section .rodata\n"
        ".balign 16\n"
        ".global image_begin\n"
        "image_begin: .incbin \"" IMAGE "\"\n"
        ".global image_end\n"
        "image_end: .byte 0\n"
        ".previous\n");

static image_t image = {image_begin, image_end, entries_begin, entries_end};
static descriptor_t descriptor = {1, &image, entries_begin, entries_end};

__attribute__((constructor(101))) static void begin(void)
{
    __tgt_register_lib(&descriptor);
}

__attribute__((destructor(101))) static void end(void)
{
    __tgt_unregister_lib(&descriptor);
}
