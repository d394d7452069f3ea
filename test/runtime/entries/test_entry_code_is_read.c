/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The code of an entry says whether it dispatches, however its object was compiled and linked; where it can't be read,
 * nothing is said. Objects are named as arguments of the program. */
#include <dlfcn.h>
#include <string.h>

#include "entries.h"
#include "support/harness.h"
#include "tasking/entry_code.h"

static char **objects;
static const char *unreadable;

static nowait_task_entry_t find(void *object, const char *name)
{
    nowait_task_entry_t entry;
    void *address = dlsym(object, name);
    assert_non_null(address);
    memcpy(&entry, &address, sizeof entry);
    return entry;
}

static void the_code_says_what_an_entry_does(void **state)
{
    (void)state;
    for (char **path = objects; *path; path++) {
        void *object = dlopen(*path, RTLD_LAZY);
        if (!object)
            fail_msg("%s", dlerror());
#define COMPARE(name, kind)                                                                                            \
    if (nw_entry_code_read(find(object, #name)) != (kind))                                                             \
        fail_msg("%s in %s is taken for another kind", #name, *path);
        ENTRIES(COMPARE)
#undef COMPARE
        dlclose(object);
    }
}

static void without_unwind_table_nothing_is_said(void **state)
{
    (void)state;
    void *object = dlopen(unreadable, RTLD_LAZY);
    if (!object)
        fail_msg("%s", dlerror());
    assert_int_equal(nw_entry_code_read(find(object, "entry_of_kernel")), NW_ENTRY_UNKNOWN);
    dlclose(object);
}

static int32_t entry_here(int32_t gtid, void *task)
{
    (void)task;
    return gtid;
}

static void what_is_no_function_is_unknown(void **state)
{
    static char data[64];
    nowait_task_entry_t entry, inside;
    void *address = data;
    (void)state;
    memcpy(&entry, &address, sizeof entry);
    assert_int_equal(nw_entry_code_read(entry), NW_ENTRY_UNKNOWN);
    assert_int_equal(nw_entry_code_read((nowait_task_entry_t)0x1000), NW_ENTRY_UNKNOWN);
    assert_int_equal(nw_entry_code_read(entry_here), NW_ENTRY_UNKNOWN);
    void *object = dlopen(objects[0], RTLD_LAZY);
    assert_non_null(object);
    /* Not its first byte: of what lies there the table gives no end. */
    inside = (nowait_task_entry_t)((uintptr_t)find(object, "entry_of_kernel") + 1);
    assert_int_equal(nw_entry_code_read(inside), NW_ENTRY_UNKNOWN);
    dlclose(object);
}

int main(int argc, char **argv)
{
    watchdog(WATCHDOG_SECONDS);
    if (argc < 3)
        return 2;
    unreadable = argv[1];
    objects = &argv[2];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_code_says_what_an_entry_does),
        cmocka_unit_test(without_unwind_table_nothing_is_said),
        cmocka_unit_test(what_is_no_function_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
