/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Images of the CPU device: a shared object that is whole is taken and its kernels run, everything else is refused in
 * words and never read past its end. The object is libffi, which the runtime calls kernels by. */
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/host/host_image.h"
#include "support/harness.h"
#include "support/reason.h"

static char *whole; /* bytes of a shared object */
static size_t whole_size;

/* Of the object. */
#define some_function "ffi_call"

static int find_libffi(struct dl_phdr_info *info, size_t size, void *path)
{
    (void)size;
    if (!strstr(info->dlpi_name, "libffi.so"))
        return 0;
    strcpy(path, info->dlpi_name);
    return 1;
}

static int read_whole(void **state)
{
    (void)state;
    static char path[4096];
    if (!dl_iterate_phdr(find_libffi, path))
        return -1;
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return -1;
    whole_size = (size_t)ftell(file);
    rewind(file);
    whole = malloc(whole_size);
    size_t got = whole ? fread(whole, 1, whole_size, file) : 0;
    fclose(file);
    return got == whole_size ? 0 : -1;
}

static int free_whole(void **state)
{
    (void)state;
    free(whole);
    return 0;
}

/* Asks about the first `size` bytes, which lie in a block of that size. */
static const char *refusal_of(const char *bytes, size_t size)
{
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    const char *refusal = nw_host_image_refuse(copy, size);
    free(copy);
    return refusal;
}

/* What the loader reads: everything up to the end of the last segment. */
static size_t size_of_segments(void)
{
    Elf64_Ehdr header;
    size_t end = 0;
    memcpy(&header, whole, sizeof header);
    for (size_t i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, whole + header.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_offset + segment.p_filesz > end)
            end = segment.p_offset + segment.p_filesz;
    }
    return end;
}

static void a_whole_shared_object_is_taken(void **state)
{
    (void)state;
    assert_null(refusal_of(whole, whole_size));
}

static void an_object_cut_anywhere_before_its_last_segments_end_is_refused(void **state)
{
    (void)state;
    size_t needed = size_of_segments();
    for (size_t size = 0; size < needed; size += size < 2048 ? 1 : 977)
        assert_non_null(refusal_of(whole, size));
    assert_non_null(refusal_of(whole, needed - 1));
    assert_null(refusal_of(whole, needed));
}

static void with_header(void (*change)(Elf64_Ehdr *header), const char *expected)
{
    char *copy = malloc(whole_size);
    assert_non_null(copy);
    memcpy(copy, whole, whole_size);
    Elf64_Ehdr header;
    memcpy(&header, copy, sizeof header);
    change(&header);
    memcpy(copy, &header, sizeof header);
    const char *refusal = nw_host_image_refuse(copy, whole_size);
    assert_non_null(refusal);
    if (!strstr(refusal, expected))
        fail_msg("expected \"%s\", got \"%s\"", expected, refusal);
    free(copy);
}

static void make_cubin(Elf64_Ehdr *header)
{
    header->e_machine = 190; /* EM_CUDA */
    header->e_ident[EI_OSABI] = 0x41;
    header->e_ident[EI_ABIVERSION] = 8;
}

static void make_32_bit(Elf64_Ehdr *header)
{
    header->e_ident[EI_CLASS] = ELFCLASS32;
}

static void make_relocatable(Elf64_Ehdr *header)
{
    header->e_type = ET_REL;
}

static void make_no_elf(Elf64_Ehdr *header)
{
    header->e_ident[1] = 'F';
}

static void move_headers_out(Elf64_Ehdr *header)
{
    header->e_phoff = UINT64_MAX - 8;
}

static void have_too_many_headers(Elf64_Ehdr *header)
{
    header->e_phoff = whole_size - 56 * 3;
    header->e_phnum = 4;
}

static void have_odd_headers(Elf64_Ehdr *header)
{
    header->e_phentsize = 3;
}

static void foreign_and_damaged_objects_are_refused_in_words(void **state)
{
    (void)state;
    with_header(make_cubin, "machine");
    with_header(make_32_bit, "machine");
    with_header(make_relocatable, "shared object");
    with_header(make_no_elf, "ELF");
    with_header(move_headers_out, "truncated");
    with_header(have_too_many_headers, "truncated");
    with_header(have_odd_headers, "truncated");
}

static void wild_segments_are_refused(void **state)
{
    (void)state;
    static const uint64_t wild[] = {UINT64_MAX, UINT64_MAX - 4095, UINT64_C(1) << 62};
    Elf64_Ehdr header;
    char *copy = malloc(whole_size);
    assert_non_null(copy);
    memcpy(&header, whole, sizeof header);
    for (size_t i = 0; i < 3; i++) {
        for (int which = 0; which < 2; which++) {
            Elf64_Phdr segment;
            memcpy(copy, whole, whole_size);
            memcpy(&segment, copy + header.e_phoff, sizeof segment);
            *(which ? &segment.p_offset : &segment.p_filesz) = wild[i];
            memcpy(copy + header.e_phoff, &segment, sizeof segment);
            assert_non_null(nw_host_image_refuse(copy, whole_size));
        }
    }
    free(copy);
}

static void what_the_loader_refuses_has_a_reason(void **state)
{
    (void)state;
    nw_image_t *image;
    char *copy = malloc(whole_size);
    assert_non_null(copy);
    memcpy(copy, whole, whole_size);
    /* A library that is nowhere. */
    char *needed = memmem(copy, whole_size, "libc.so.6", 10);
    assert_non_null(needed);
    memcpy(needed, "libx.so.6", 10);
    capture_begin();
    nw_status_t status = nw_host_image_load(copy, whole_size, &image);
    assert_int_equal(count_lines(capture_end()), 0);
    assert_int_equal(status, NW_ERR_BAD_IMAGE);
    const char *reason = nw_reason_take(NULL);
    assert_non_null(reason);
    assert_non_null(strstr(reason, "device image: libx.so.6"));
    assert_null(nw_reason_take(NULL));
    free(copy);
}

static void what_is_no_image_never_meets_the_loader(void **state)
{
    (void)state;
    nw_image_t *image;
    assert_int_equal(nw_host_image_load("no image at all", 15, &image), NW_ERR_BAD_IMAGE);
    assert_string_equal(nw_reason_take(NULL), "not an ELF file");
}

static void loaded_images_have_their_symbols_and_no_others(void **state)
{
    (void)state;
    nw_image_t *image;
    nw_symbol_t symbol;
    nw_kernel_t *kernel;
    if (strstr(whole + 1, "ELF") != whole + 1)
        skip();
    assert_int_equal(nw_host_image_load(whole, whole_size, &image), NW_OK);
    assert_int_equal(nw_host_image_symbol(image, "no_such_symbol_anywhere", &symbol), NW_ERR_NO_KERNEL);
    assert_int_equal(nw_host_kernel_find(image, "no_such_symbol_anywhere", &kernel), NW_ERR_NO_KERNEL);
    nw_host_image_unload(image);
}

/* Writes the flag NODELETE into a copy's dynamic section, in the place of one that says less. */
static bool make_undeletable(char *bytes)
{
    Elf64_Ehdr header;
    memcpy(&header, bytes, sizeof header);
    for (size_t i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, bytes + header.e_phoff + i * sizeof segment, sizeof segment);
        for (size_t at = 0; segment.p_type == PT_DYNAMIC && at < segment.p_filesz; at += sizeof(Elf64_Dyn)) {
            Elf64_Dyn entry;
            memcpy(&entry, bytes + segment.p_offset + at, sizeof entry);
            if (entry.d_tag != DT_SONAME && entry.d_tag != DT_FLAGS_1)
                continue;
            entry = (Elf64_Dyn){.d_tag = DT_FLAGS_1, .d_un.d_val = DF_1_NODELETE};
            memcpy(bytes + segment.p_offset + at, &entry, sizeof entry);
            return true;
        }
    }
    return false;
}

static void an_image_that_stays_loaded_is_not_taken_for_a_later_one(void **state)
{
    (void)state;
    nw_image_t *first, *second;
    nw_symbol_t one, other;
    char *copy = malloc(whole_size);
    assert_non_null(copy);
    memcpy(copy, whole, whole_size);
    assert_true(make_undeletable(copy));
    assert_int_equal(nw_host_image_load(copy, whole_size, &first), NW_OK);
    assert_int_equal(nw_host_image_symbol(first, some_function, &one), NW_OK);
    nw_host_image_unload(first);
    assert_int_equal(nw_host_image_load(whole, whole_size, &second), NW_OK);
    assert_int_equal(nw_host_image_symbol(second, some_function, &other), NW_OK);
    assert_ptr_not_equal(one.address, other.address);
    nw_host_image_unload(second);
    free(copy);
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_shared_object_is_taken),
        cmocka_unit_test(an_object_cut_anywhere_before_its_last_segments_end_is_refused),
        cmocka_unit_test(foreign_and_damaged_objects_are_refused_in_words),
        cmocka_unit_test(wild_segments_are_refused),
        cmocka_unit_test(what_the_loader_refuses_has_a_reason),
        cmocka_unit_test(what_is_no_image_never_meets_the_loader),
        cmocka_unit_test(loaded_images_have_their_symbols_and_no_others),
        cmocka_unit_test(an_image_that_stays_loaded_is_not_taken_for_a_later_one),
    };
    return cmocka_run_group_tests(tests, read_whole, free_whole);
}
