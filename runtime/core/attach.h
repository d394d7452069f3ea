/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pointers in mapped data that are made to point at other mapped data on the device. */
#ifndef NW_ATTACH_H
#define NW_ATTACH_H

#include "core/decision.h"

/* Points the pointer at host address `slot`, inside a mapping with device memory of its own, to device address `value`,
 * which belongs to the pointee (NULL: to nothing that is mapped). size: of the pointer, or of a Fortran descriptor that
 * begins with one; its other fields are the host's. Waits for regions in flight that may follow the pointer to an older
 * mapping of the same data. Returns the step. */
nw_step_t *nw_attach(nw_decision_t *d, int32_t i, nw_mapping_t *mapping, char *slot, size_t size, uintptr_t value,
                     nw_mapping_t *pointee);

/* LLVM 22's separate attachments, once the construct's other entries have been mapped: pointer and data have entries of
 * their own. Only if one of the two is new, or if it is attach(always). */
void nw_attach_entries(nw_decision_t *d);

/* Attaches a variable that a lambda object captures by reference, if the object has device memory; false if it has
 * none. Clang marks such an entry as a literal pointer of the object. */
bool nw_attach_lambda_capture(nw_decision_t *d, int32_t i);

/* The device address of `host`, whose data the operation then uses; if it is not mapped, `host` itself. */
uintptr_t nw_attach_address(nw_decision_t *d, int32_t i, char *host);

#endif
