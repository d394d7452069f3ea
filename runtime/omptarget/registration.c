/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Registration of a program's or library's device images, and mappers' way back into the runtime. */
#include "core/construct.h"
#include "core/images.h"
#include "core/requirements.h"
#include "omptarget/omptarget.h"
#include "support/export.h"
#include "tasking/entry_kinds.h"
#include "tasking/shutdown.h"

NW_EXPORT void __tgt_register_lib(void *description)
{
    nw_images_register(description);
    nw_shutdown_image_comes();
}

NW_EXPORT void __tgt_unregister_lib(void *description)
{
    nw_images_unregister(description);
    nw_entry_kinds_forget();
}

/* Devices are opened when they are first used. */
NW_EXPORT void __tgt_rtl_init(void)
{
}

NW_EXPORT void __tgt_rtl_deinit(void)
{
}

NW_EXPORT void __tgt_init_all_rtls(void)
{
}

/* Objects of LLVM 17 and before call this; since then `requires` comes as an image entry. */
NW_EXPORT void __tgt_register_requires(int64_t flags)
{
    nw_requirements_add((uint64_t)flags);
}

NW_EXPORT int64_t __tgt_mapper_num_components(void *handle)
{
    return nw_mapper_count(handle);
}

NW_EXPORT void __tgt_push_mapper_component(void *handle, void *base, void *begin, int64_t size, int64_t type,
                                           void *name)
{
    nw_mapper_push(handle, base, begin, size, (uint64_t)type, name);
}
