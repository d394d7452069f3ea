// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects whose `requires` differ can't run together: one with unified_shared_memory doesn't map what it uses. The
// program registers the entries that compilers make of the directive, in both layouts, and a second object with the
// same demands or with others. The latter ends it with one line that names the clause; LLVM's own, if asked for.
//
// RUN: %cc-both
// RUN: %t.plugin 1 1 | %FileCheck %s --check-prefix=AGREE
// RUN: %t.plugin 8 8 | %FileCheck %s --check-prefix=AGREE
// RUN: %t.plugin 0 1 0 1 | %FileCheck %s --check-prefix=AGREE
// RUN: %not %t.plugin 1 3 2>&1 | %FileCheck %s --check-prefix=DIFFER -DCLAUSE=reverse_offload
// RUN: %not %t.plugin 5 1 2>&1 | %FileCheck %s --check-prefix=DIFFER -DCLAUSE=unified_address
// RUN: %not %t.plugin 1 8 2>&1 | %FileCheck %s --check-prefix=DIFFER -DCLAUSE=unified_shared_memory
// RUN: %not %t.plugin 0 8 8 1 2>&1 | %FileCheck %s --check-prefix=DIFFER -DCLAUSE=unified_shared_memory
// RUN: %not %nowait-run %t.stock 16 1 2>&1 | %FileCheck %s --check-prefix=DIFFER -DCLAUSE=dynamic_allocators
// RUN: env OMP_TARGET_OFFLOAD=disabled %not %t.plugin 1 8 2>&1 | %FileCheck %s --check-prefix=DIFFER \
// RUN:   -DCLAUSE=unified_shared_memory
// RUN: env NOWAIT_FATAL=abort %not --crash %t.plugin 1 3 2>&1 | %FileCheck %s --check-prefix=LLVM
// AGREE: ran 2
// DIFFER-NOT: {{.}}
// DIFFER: nowait: error: some objects say `requires [[CLAUSE]]` and some do not; say it in all or in none
// DIFFER-NOT: {{.}}
// LLVM: omptarget fatal error 2: '#pragma omp requires reverse_offload' not used consistently!
#include "check.h"

/* As LLVM 20 and before make it, and as LLVM 21 and later do. */
struct old_entry {
    void *address;
    const char *name;
    size_t size;
    int32_t flags, data;
};

struct new_entry {
    uint64_t reserved;
    uint16_t version, kind;
    uint32_t flags;
    void *address;
    const char *name;
    uint64_t size, data;
    void *aux;
};

struct description {
    int32_t n_images;
    void *images, *entries_begin, *entries_end;
};

enum { REQUIRES = 0x10, OPENMP = 1, MAX = 4 };

extern void __tgt_register_lib(struct description *);
extern void __tgt_unregister_lib(struct description *);

static struct old_entry old_entries[MAX];
static struct new_entry new_entries[MAX];
static struct description objects[MAX];

/* Object i demands these bits; 0: it has no entry. */
static void register_object(int i, int bits)
{
    old_entries[i] = (struct old_entry){.name = "", .flags = REQUIRES, .data = bits};
    /* Hand-written tables leave the version out, and LLVM takes them. */
    new_entries[i] = (struct new_entry){
        .version = i == 1, .kind = OPENMP, .flags = REQUIRES, .name = ".requires", .data = (uint64_t)bits};
    objects[i] = (struct description){.entries_begin = &old_entries[i], .entries_end = &old_entries[i] + (bits != 0)};
    if (i % 2 == 1) {
        objects[i].entries_begin = &new_entries[i];
        objects[i].entries_end = &new_entries[i] + (bits != 0);
    }
    __tgt_register_lib(&objects[i]);
}

int main(int argc, char **argv)
{
    int x = 1;
    watchdog(20);
    CHECK_LE(argc - 1, MAX);
    for (int i = 0; i < argc - 1; i++)
        register_object(i, atoi(argv[i + 1]));
#pragma omp target map(tofrom : x)
    x++;
    printf("ran %d\n", x);
    for (int i = 0; i < argc - 1; i++)
        __tgt_unregister_lib(&objects[i]);
    return 0;
}
