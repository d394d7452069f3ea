/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Registers one device image, the file IMAGE, with the program's offload entries, as the code does that clang's
 * linker wrapper adds to a program: for images that clang's own tools would not make. Clang 19 and 22 name and lay out
 * the entries differently. */
#include <stddef.h>
#include <stdint.h>

typedef struct image {
    const void *start, *end;
    const void *entries, *entries_end;
} image_t;

typedef struct descriptor {
    int32_t n_images;
    image_t *images;
    const void *entries, *entries_end;
} descriptor_t;

void __tgt_register_lib(descriptor_t *descriptor);
void __tgt_unregister_lib(descriptor_t *descriptor);

#define WEAK __attribute__((weak))
extern const char begin_19[] __asm__("__start_omp_offloading_entries") WEAK;
extern const char end_19[] __asm__("__stop_omp_offloading_entries") WEAK;
extern const char begin_22[] __asm__("__start_llvm_offload_entries") WEAK;
extern const char end_22[] __asm__("__stop_llvm_offload_entries") WEAK;
extern const char image_begin[], image_end[];

__asm__(".section .rodata\n"
        ".balign 16\n"
        ".global image_begin\n"
        "image_begin: .incbin \"" IMAGE "\"\n"
        ".global image_end\n"
        "image_end: .byte 0\n"
        ".previous\n");

static image_t image = {image_begin, image_end, NULL, NULL};
static descriptor_t descriptor = {1, &image, NULL, NULL};

__attribute__((constructor(101))) static void begin(void)
{
    image.entries = descriptor.entries = begin_19 ? begin_19 : begin_22;
    image.entries_end = descriptor.entries_end = end_19 ? end_19 : end_22;
    __tgt_register_lib(&descriptor);
}

__attribute__((destructor(101))) static void end(void)
{
    __tgt_unregister_lib(&descriptor);
}
