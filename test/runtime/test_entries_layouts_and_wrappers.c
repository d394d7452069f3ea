/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Offload entries in both layouts, and OffloadBinary wrappers, whole and damaged. Blocks come from the heap in their
 * exact size, so that AddressSanitizer sees a read past the end. */
#include <stdlib.h>
#include <string.h>

#include "core/images.h"
#include "support/harness.h"

typedef struct old_entry {
    const void *address;
    const char *name;
    uint64_t size;
    int32_t flags, data;
} old_entry_t;

typedef struct new_entry {
    uint64_t reserved;
    uint16_t version, kind;
    uint32_t flags;
    const void *address;
    const char *name;
    uint64_t size, data;
    const void *aux;
} new_entry_t;

_Static_assert(sizeof(old_entry_t) == 32 && sizeof(new_entry_t) == 56, "as LLVM 19 and 22 lay them out");

static char variables[64];

static old_entry_t old_entry(size_t i)
{
    return (old_entry_t){.address = &variables[i], .name = i % 2 ? "odd" : "even", .size = i % 3, .flags = (int32_t)i};
}

static new_entry_t new_entry(size_t i)
{
    return (new_entry_t){.version = 1,
                         .kind = 1,
                         .flags = (uint32_t)i,
                         .address = &variables[i],
                         .name = i % 2 ? "odd" : "even",
                         .size = i % 3,
                         .data = UINT64_C(0x100000000) + i};
}

static char *heap_copy(const void *bytes, size_t size)
{
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    return copy;
}

static void the_old_layout_is_recognised_and_read(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 16; n++) {
        old_entry_t entries[16];
        nw_entry_t got;
        for (size_t i = 0; i < n; i++)
            entries[i] = old_entry(i);
        char *begin = heap_copy(entries, n * sizeof entries[0]), *end = begin + n * sizeof entries[0];
        assert_int_equal(nw_entries_layout(begin, end), NW_ENTRIES_32);
        for (size_t i = 0; i < n; i++) {
            assert_true(nw_entries_get(NW_ENTRIES_32, begin, end, i, &got));
            assert_ptr_equal(got.address, entries[i].address);
            assert_string_equal(got.name, entries[i].name);
            assert_int_equal(got.size, entries[i].size);
            assert_int_equal(got.flags, entries[i].flags);
        }
        assert_false(nw_entries_get(NW_ENTRIES_32, begin, end, n, &got));
        assert_false(nw_entries_get(NW_ENTRIES_32, begin, end, SIZE_MAX, &got));
        free(begin);
    }
}

static void the_new_layout_is_recognised_and_read(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 16; n++) {
        new_entry_t entries[16];
        nw_entry_t got;
        for (size_t i = 0; i < n; i++) {
            entries[i] = new_entry(i);
            /* Tables that are written by hand leave it out. */
            entries[i].version = i % 2 == 0;
        }
        char *begin = heap_copy(entries, n * sizeof entries[0]), *end = begin + n * sizeof entries[0];
        assert_int_equal(nw_entries_layout(begin, end), NW_ENTRIES_56);
        for (size_t i = 0; i < n; i++) {
            assert_true(nw_entries_get(NW_ENTRIES_56, begin, end, i, &got));
            assert_ptr_equal(got.address, entries[i].address);
            assert_string_equal(got.name, entries[i].name);
            assert_int_equal(got.size, entries[i].size);
            assert_int_equal(got.flags, entries[i].flags);
            assert_true(got.data == entries[i].data);
        }
        assert_false(nw_entries_get(NW_ENTRIES_56, begin, end, n, &got));
        free(begin);
    }
}

/* 7 old entries and 4 new ones are 224 bytes both. */
static void tables_whose_size_fits_both_layouts_are_told_apart(void **state)
{
    (void)state;
    old_entry_t old_entries[14];
    new_entry_t new_entries[8];
    for (size_t i = 0; i < 14; i++)
        old_entries[i] = old_entry(i);
    for (size_t i = 0; i < 8; i++)
        new_entries[i] = new_entry(i);
    assert_int_equal(sizeof old_entries, sizeof new_entries);
    for (size_t size = 224; size <= sizeof old_entries; size += 224) {
        assert_int_equal(nw_entries_layout(old_entries, (char *)old_entries + size), NW_ENTRIES_32);
        assert_int_equal(nw_entries_layout(new_entries, (char *)new_entries + size), NW_ENTRIES_56);
    }
    /* A `requires` entry of LLVM 19 has no address: its first word is zero, as the reserved word of a new entry. */
    old_entries[0] = (old_entry_t){.name = "", .flags = NW_ENTRY_REQUIRES, .data = 8};
    assert_int_equal(nw_entries_layout(old_entries, (char *)old_entries + 224), NW_ENTRIES_32);
}

/* Whatever a newer version's size may be: the first entry says it. */
static void newer_versions_are_recognised_and_not_read(void **state)
{
    (void)state;
    new_entry_t entries[4];
    nw_entry_t got;
    for (size_t i = 0; i < 4; i++)
        entries[i] = new_entry(i);
    assert_int_equal(nw_entries_version(entries, entries + 4), 1);
    for (uint16_t version = 2; version < 5; version++) {
        entries[0].version = version;
        for (size_t size = 64; size <= sizeof entries; size += 8) {
            const char *end = (const char *)entries + size;
            assert_int_equal(nw_entries_layout(entries, end), NW_ENTRIES_NEWER);
            assert_int_equal(nw_entries_version(entries, end), version);
            assert_false(nw_entries_get(NW_ENTRIES_NEWER, entries, end, 0, &got));
        }
    }
    /* A `requires` entry of LLVM 19: no address, and a name somewhere. */
    old_entry_t old_entries[2] = {{.name = variables, .flags = NW_ENTRY_REQUIRES, .data = 8}, old_entry(1)};
    assert_int_equal(nw_entries_version(old_entries, old_entries + 2), 0);
    assert_int_equal(nw_entries_layout(old_entries, old_entries + 2), NW_ENTRIES_32);
}

static void entries_of_other_languages_have_no_name(void **state)
{
    (void)state;
    new_entry_t entries[2] = {new_entry(0), new_entry(1)};
    nw_entry_t got;
    entries[0].kind = 2; /* CUDA */
    assert_int_equal(nw_entries_layout(entries, entries + 2), NW_ENTRIES_56);
    assert_true(nw_entries_get(NW_ENTRIES_56, entries, entries + 2, 0, &got));
    assert_null(got.name);
    assert_true(nw_entries_get(NW_ENTRIES_56, entries, entries + 2, 1, &got));
    assert_string_equal(got.name, "odd");
}

static void an_empty_table_has_no_entries(void **state)
{
    (void)state;
    nw_entry_t got;
    nw_entry_layout_t layout = nw_entries_layout(variables, variables);
    assert_int_not_equal(layout, NW_ENTRIES_UNKNOWN);
    assert_false(nw_entries_get(layout, variables, variables, 0, &got));
}

static void other_layouts_are_unknown(void **state)
{
    (void)state;
    new_entry_t entries[2] = {new_entry(0), new_entry(1)};
    nw_entry_t got;
    for (size_t size = 1; size < 112; size++) {
        char *begin = heap_copy(entries, size);
        nw_entry_layout_t layout = nw_entries_layout(begin, begin + size);
        nw_entry_layout_t expected = size == 56 ? NW_ENTRIES_56 : size % 32 == 0 ? NW_ENTRIES_32 : NW_ENTRIES_UNKNOWN;
        assert_int_equal(layout, expected);
        for (size_t i = 0; nw_entries_get(layout, begin, begin + size, i, &got); i++)
            assert_true(i < 4);
        free(begin);
    }
    entries[1].version = 2;
    assert_int_equal(nw_entries_layout(entries, entries + 2), NW_ENTRIES_UNKNOWN);
    assert_false(nw_entries_get(NW_ENTRIES_UNKNOWN, entries, entries + 2, 0, &got));
}

/* An OffloadBinary (llvm/Object/OffloadBinary.h, version 1) with one entry, in front of `n` bytes of image. */
typedef struct wrapper {
    uint8_t magic[4];
    uint32_t version;
    uint64_t size, entry_offset, entry_size;
    uint16_t image_kind, offload_kind;
    uint32_t flags;
    uint64_t string_offset, n_strings, image_offset, image_size;
    char image[40];
} wrapper_t;

static wrapper_t wrapper(void)
{
    wrapper_t w = {.magic = {0x10, 0xFF, 0x10, 0xAD},
                   .version = 1,
                   .size = sizeof w,
                   .entry_offset = offsetof(wrapper_t, image_kind),
                   .entry_size = 48,
                   .image_offset = offsetof(wrapper_t, image),
                   .image_size = sizeof w.image};
    memset(w.image, 'i', sizeof w.image);
    return w;
}

static nw_status_t unwrap(const void *bytes, size_t size, char **image_p, size_t *size_p)
{
    char *copy = heap_copy(bytes, size);
    const void *start = copy;
    size_t left = size;
    nw_status_t status = nw_offload_binary_unwrap(&start, &left);
    if (status == NW_OK) {
        assert_true((const char *)start >= copy && left <= size && (const char *)start + left <= copy + size);
        *image_p = heap_copy(start, left);
        *size_p = left;
    } else {
        assert_ptr_equal(start, copy);
        assert_int_equal(left, size);
    }
    free(copy);
    return status;
}

static void a_wrapper_is_looked_through(void **state)
{
    (void)state;
    wrapper_t w = wrapper();
    char *image;
    size_t size;
    assert_int_equal(unwrap(&w, sizeof w, &image, &size), NW_OK);
    assert_int_equal(size, sizeof w.image);
    assert_memory_equal(image, w.image, size);
    free(image);
}

static void bytes_without_a_wrapper_stay_as_they_are(void **state)
{
    (void)state;
    char *image;
    size_t size;
    for (size_t n = 0; n < 5; n++) {
        assert_int_equal(unwrap("\x7f""ELF....", n, &image, &size), NW_OK);
        assert_int_equal(size, n);
        free(image);
    }
}

static void a_wrapper_cut_at_any_length_is_refused(void **state)
{
    (void)state;
    wrapper_t w = wrapper();
    char *image;
    size_t size;
    for (size_t n = 0; n < sizeof w; n++) {
        nw_status_t status = unwrap(&w, n, &image, &size);
        /* With less than the magic number nobody can tell that this is a wrapper. */
        assert_int_equal(status, n < 4 ? NW_OK : NW_ERR_BAD_IMAGE);
        if (status == NW_OK)
            free(image);
    }
}

static void wild_offsets_and_sizes_are_refused(void **state)
{
    (void)state;
    static const size_t fields[] = {offsetof(wrapper_t, size), offsetof(wrapper_t, entry_offset),
                                    offsetof(wrapper_t, image_offset), offsetof(wrapper_t, image_size)};
    static const uint64_t wild[] = {sizeof(wrapper_t) + 1, UINT64_MAX, UINT64_MAX - 7, UINT64_C(1) << 63,
                                    UINT64_C(1) << 32, UINT64_MAX - sizeof(wrapper_t)};
    char *image;
    size_t size;
    for (size_t f = 0; f < 4; f++) {
        for (size_t i = 0; i < 6; i++) {
            wrapper_t w = wrapper();
            memcpy((char *)&w + fields[f], &wild[i], sizeof wild[i]);
            assert_int_equal(unwrap(&w, sizeof w, &image, &size), NW_ERR_BAD_IMAGE);
        }
    }
    wrapper_t w = wrapper();
    w.version = 2;
    assert_int_equal(unwrap(&w, sizeof w, &image, &size), NW_ERR_BAD_IMAGE);
}

static void random_damage_never_leads_outside(void **state)
{
    (void)state;
    uint64_t random = 42;
    for (int i = 0; i < 50000; i++) {
        wrapper_t w = wrapper();
        for (uint32_t k = random_below(&random, 4) + 1; k > 0; k--)
            ((uint8_t *)&w)[4 + random_below(&random, 80)] = (uint8_t)random_next(&random);
        char *image;
        size_t size;
        if (unwrap(&w, random_below(&random, 4) ? sizeof w : random_below(&random, sizeof w), &image, &size) == NW_OK)
            free(image);
    }
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_old_layout_is_recognised_and_read),
        cmocka_unit_test(the_new_layout_is_recognised_and_read),
        cmocka_unit_test(tables_whose_size_fits_both_layouts_are_told_apart),
        cmocka_unit_test(entries_of_other_languages_have_no_name),
        cmocka_unit_test(an_empty_table_has_no_entries),
        cmocka_unit_test(other_layouts_are_unknown),
        cmocka_unit_test(newer_versions_are_recognised_and_not_read),
        cmocka_unit_test(a_wrapper_is_looked_through),
        cmocka_unit_test(bytes_without_a_wrapper_stay_as_they_are),
        cmocka_unit_test(a_wrapper_cut_at_any_length_is_refused),
        cmocka_unit_test(wild_offsets_and_sizes_are_refused),
        cmocka_unit_test(random_damage_never_leads_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
