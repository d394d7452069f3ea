/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Decoding of what a compiler has left in a program. The first byte says what the rest is: a device image, with or
 * without an OffloadBinary wrapper, that lies at an address with that alignment; damage to a real device image; or a
 * library's table of entries. Images that are not refused are loaded, and taken back before any of their code runs.
 */
#include <string.h>

#include "core/images.h"
#include "device/host/host_image.h"
#include "fuzz.h"
#include "support/reason.h"

/* Of the real image. */
static uint8_t *original;
static size_t original_size;

static void read_original(void)
{
    FILE *file = fopen(FUZZ_IMAGE, "rb");
    FUZZ_CHECK(file && fseek(file, 0, SEEK_END) == 0, "no image");
    original_size = (size_t)ftell(file);
    original = malloc(original_size);
    rewind(file);
    FUZZ_CHECK(original && fread(original, 1, original_size, file) == original_size, "the image can't be read");
    fclose(file);
}

/* By the way of a program's: refused with a reason, or loaded. */
static bool load(const void *start, size_t size)
{
    nw_image_t *image;
    nw_symbol_t symbol;
    const char *refusal = nw_host_image_refuse(start, size);
    FUZZ_CHECK(!refusal || *refusal, "a refusal without words");
    if (refusal)
        return false;
    if (nw_host_image_load(start, size, &image) != NW_OK) {
        FUZZ_CHECK(nw_reason_take(NULL), "a failure without a reason");
        return false;
    }
    (void)nw_host_image_symbol(image, "factor", &symbol);
    nw_host_image_unload(image);
    return true;
}

/* Each four bytes are one damaged place: where, and what is changed there; nothing: all behind it is zero. */
static void damage_image(const uint8_t *data, size_t size)
{
    if (!original)
        read_original();
    uint8_t *copy = malloc(original_size);
    if (!copy)
        return;
    memcpy(copy, original, original_size);
    for (size_t i = 0; i + 4 <= size; i += 4) {
        size_t at = (data[i] | (size_t)data[i + 1] << 8 | (size_t)data[i + 2] << 16) % original_size;
        if (data[i + 3])
            copy[at] ^= data[i + 3];
        else
            memset(copy + at, 0, original_size - at);
    }
    bool loaded = load(copy, original_size);
    FUZZ_CHECK(loaded || size >= 4, "an image that is whole was refused");
    free(copy);
}

static void decode_image(const uint8_t *data, size_t size, size_t misalignment)
{
    /* Images lie where the linker has put them, and inside of a wrapper at any offset. */
    char *block = malloc(size + misalignment + 1);
    if (!block)
        return;
    const void *start = block + misalignment;
    size_t image_size = size;
    memcpy(block + misalignment, data, size);
    if (nw_offload_binary_unwrap(&start, &image_size) == NW_OK) {
        FUZZ_CHECK((const char *)start >= block + misalignment && image_size <= size &&
                       (size_t)((const char *)start - block) - misalignment <= size - image_size,
                   "the image lies outside of its wrapper");
        (void)load(start, image_size);
    }
    free(block);
}

static void decode_entries(const uint8_t *data, size_t size)
{
    char *block = malloc(size + 1);
    if (!block)
        return;
    memcpy(block, data, size);
    nw_library_description_t description = {.entries_begin = (void *)block, .entries_end = (void *)(block + size)};
    nw_entry_layout_t layout = nw_entries_layout(block, block + size);
    nw_entry_t entry;
    size_t n = 0;
    bool demands = false;
    while (nw_entries_get(layout, block, block + size, n, &entry)) {
        demands |= (entry.flags & NW_ENTRY_REQUIRES) && entry.data > 1;
        n++;
    }
    bool known = layout == NW_ENTRIES_32 || layout == NW_ENTRIES_56;
    FUZZ_CHECK(known || n == 0, "entries of a layout that is not known");
    FUZZ_CHECK(!known || n * (layout == NW_ENTRIES_32 ? 32 : 56) == size, "the entries do not fill their table");
    /* Demands that contradict those of an earlier input would end the process, as they should. */
    if (known && !demands) {
        nw_images_register(&description);
        for (size_t i = 0; nw_entries_get(layout, block, block + size, i, &entry); i++) {
            nw_region_t *region = nw_images_region(entry.address);
            FUZZ_CHECK(!region || region->id == entry.address, "another region than the one that was looked for");
        }
        nw_images_unregister(&description);
        for (size_t i = 0; nw_entries_get(layout, block, block + size, i, &entry); i++)
            FUZZ_CHECK(!nw_images_region(entry.address), "a region of a library that is gone");
    }
    free(block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] & 0x80)
        decode_entries(data + 1, size - 1);
    else if (data[0] & 0x40)
        damage_image(data + 1, size - 1);
    else
        decode_image(data + 1, size - 1, data[0] % 16);
    return 0;
}
