/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda/cuda_binary.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#ifndef EM_CUDA
#define EM_CUDA 190
#endif

/* How ptxas writes an architecture into e_flags: up to CUDA 12 (ABI version 7), and since. */
#define ABI_OLD 7u
#define ABI_NEW 8u
#define OLD_64_BIT 0x400u
#define OLD_SPECIFIC 0x800u
#define NEW_SPECIFIC 0x8u

static nw_cuda_binary_t foreign(const char *what)
{
    return (nw_cuda_binary_t){.kind = NW_CUDA_FOREIGN, .what = what};
}

static nw_cuda_binary_t examine_cubin(const Elf64_Ehdr *header)
{
    nw_cuda_binary_t binary = {.kind = NW_CUDA_CUBIN, .abi = header->e_ident[EI_ABIVERSION]};
    uint32_t flags = header->e_flags;
    if (binary.abi >= ABI_NEW) {
        binary.architecture = flags >> 8 & 0xff;
        binary.specific = (flags & NEW_SPECIFIC) != 0;
    } else {
        if (!(flags & OLD_64_BIT))
            return foreign("a cubin for 32-bit programs");
        binary.architecture = flags & 0xff;
        binary.specific = (flags & OLD_SPECIFIC) != 0;
    }
    return binary;
}

static nw_cuda_binary_t examine_elf(const void *start, size_t size)
{
    Elf64_Ehdr header;
    if (size < sizeof header)
        return foreign("a truncated ELF file");
    memcpy(&header, start, sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64)
        return foreign("a 32-bit ELF file");
    if (header.e_shoff > size ||
        (uint64_t)header.e_shnum * sizeof(Elf64_Shdr) > size - (size_t)header.e_shoff)
        return foreign("a truncated ELF file");
    if (header.e_machine == EM_CUDA)
        return examine_cubin(&header);
    if (header.e_machine == EM_X86_64 && header.e_type == ET_DYN)
        return (nw_cuda_binary_t){.kind = NW_CUDA_HOST_IMAGE};
    return foreign(header.e_machine == EM_X86_64 ? "an x86-64 file that is no shared object"
                                                 : "built for another kind of device");
}

/* Returns the first line that begins with `word`, within `size` bytes of text; NULL if there is none. */
static const char *find_line(const char *text, size_t size, const char *word)
{
    size_t length = strlen(word);
    const char *end = text + size;
    while (text && (size_t)(end - text) > length) {
        while (text < end && (*text == ' ' || *text == '\t'))
            text++;
        if ((size_t)(end - text) > length && memcmp(text, word, length) == 0)
            return text + length;
        text = memchr(text, '\n', (size_t)(end - text));
        text = text ? text + 1 : NULL;
    }
    return NULL;
}

static unsigned number_at(const char *digits, const char *end)
{
    unsigned number = 0;
    for (; digits < end && *digits >= '0' && *digits <= '9' && number < 100000; digits++)
        number = 10 * number + (unsigned)(*digits - '0');
    return number;
}

static nw_cuda_binary_t examine_text(const char *text, size_t size)
{
    const char *version = find_line(text, size, ".version");
    const char *target = version ? find_line(version, size - (size_t)(version - text), ".target") : NULL;
    const char *end = text + size;
    if (!target)
        return foreign("neither a cubin nor PTX");
    while (target < end && *target == ' ')
        target++;
    if (end - target < 4 || memcmp(target, "sm_", 3) != 0)
        return foreign("PTX without an architecture");
    return (nw_cuda_binary_t){.kind = NW_CUDA_PTX, .architecture = number_at(target + 3, end)};
}

nw_cuda_binary_t nw_cuda_binary_examine(const void *start, size_t size)
{
    if (size >= SELFMAG && memcmp(start, ELFMAG, SELFMAG) == 0)
        return examine_elf(start, size);
    return examine_text(start, size);
}

int nw_cuda_binary_rank(const nw_cuda_binary_t *binary, int major, int minor, bool takes_host_images)
{
    int own = 10 * major + minor, other = (int)binary->architecture;
    switch (binary->kind) {
    case NW_CUDA_CUBIN:
        if (other == own)
            return 1000;
        return !binary->specific && other / 10 == major && other < own ? 500 + other % 10 : 0;
    case NW_CUDA_PTX:
        /* The driver compiles it; the newer its target the better. */
        return other > 0 && other <= own ? 1 + other : 0;
    case NW_CUDA_HOST_IMAGE:
        return takes_host_images ? 400 : 0;
    case NW_CUDA_FOREIGN:
        break;
    }
    return 0;
}

void nw_cuda_binary_describe(const nw_cuda_binary_t *binary, char *buffer, size_t size)
{
    switch (binary->kind) {
    case NW_CUDA_CUBIN:
        snprintf(buffer, size, "a cubin for sm_%u%s", binary->architecture, binary->specific ? "a" : "");
        break;
    case NW_CUDA_PTX:
        snprintf(buffer, size, "PTX for sm_%u and later", binary->architecture);
        break;
    case NW_CUDA_HOST_IMAGE:
        snprintf(buffer, size, "built for the CPU");
        break;
    case NW_CUDA_FOREIGN:
        snprintf(buffer, size, "%s", binary->what);
        break;
    }
}
