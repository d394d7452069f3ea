/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a tool is told about devices and the images that are loaded on them. */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "core/tool_call.h"

/* What a tool asks for the functions that trace inside a device: there are none. Tools ask for one after the other, as
 * with LLVM, and many set up what their callbacks use only behind that, so they can't do without something to ask. */
static nw_ompt_function_t no_function(const char *name)
{
    (void)name;
    return NULL;
}

void nw_tool_device_initialize(nw_core_device_t *device)
{
    NW_TELL(device_initialize, device->base.number, device->base.ops->kind, device, no_function, NULL);
}

void nw_tool_device_finalize(nw_core_device_t *device)
{
    NW_TELL(device_finalize, device->base.number);
}

/* An address of the process, and the place of its bytes in the file that they come from. */
typedef struct place {
    uintptr_t address;
    int64_t offset;
    void *in_file;
} place_t;

static int find_segment(struct dl_phdr_info *info, size_t size, void *place_memory)
{
    place_t *place = place_memory;
    (void)size;
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + header->p_vaddr;
        if (header->p_type != PT_LOAD || place->address < begin || place->address - begin >= header->p_filesz)
            continue;
        place->offset = (int64_t)(header->p_offset + (place->address - begin));
        place->in_file = (void *)(header->p_vaddr + (place->address - begin));
        return 1;
    }
    return 0;
}

void nw_tool_device_load(nw_core_device_t *device, const void *image, size_t size, uint64_t module)
{
    place_t place = {.address = (uintptr_t)image, .offset = -1, .in_file = NW_OMPT_NO_ADDRESS};
    Dl_info info = {0};
    if (dl_iterate_phdr(find_segment, &place) == 0 || !dladdr(image, &info))
        info.dli_fname = NULL;
    NW_TELL(device_load, device->base.number, info.dli_fname, place.offset, place.in_file, size,
            (void *)(uintptr_t)image, NW_OMPT_NO_ADDRESS, module);
}

void nw_tool_device_unload(nw_core_device_t *device, uint64_t module)
{
    NW_TELL(device_unload, device->base.number, module);
}
