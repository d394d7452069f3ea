/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Variables and indirectly called functions of an image: mapped while it is loaded, references led to the host's copies
 * under unified shared memory, the table of functions sorted and announced in the device environment. */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "core/image_globals.h"
#include "core/map_types.h"
#include "support/fake_device.h"
#include "support/harness.h"

/* LLVM 19's entry. */
typedef struct entry {
    void *address;
    const char *name;
    uint64_t size;
    int32_t flags, data;
} entry_t;

static fake_device_t fake;
static nw_device_ops_t ops;
static int host_variable, device_variable;
static int *host_reference = &host_variable, *device_reference;
static char functions[3]; /* stand for functions: only their addresses matter */
static void *device_functions[3] = {(void *)0x100, (void *)0x200, (void *)0x300};
static char environment[48];
static bool has_environment;

static nw_status_t find_symbol(nw_device_t *device, nw_image_t *image, const char *name, nw_symbol_t *symbol_p)
{
    static const struct {
        const char *name;
        void *address;
    } symbols[] = {{"variable", &device_variable},
                   {"variable_decl_tgt_ref_ptr", &device_reference},
                   {"f0", &device_functions[0]},
                   {"f1", &device_functions[1]},
                   {"f2", &device_functions[2]},
                   {"__omp_rtl_device_environment", environment}};
    (void)device;
    (void)image;
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        if (strcmp(symbols[i].name, name) == 0 && (symbols[i].address != environment || has_environment)) {
            *symbol_p = (nw_symbol_t){.address = symbols[i].address};
            return NW_OK;
        }
    }
    return NW_ERR_NO_KERNEL;
}

static int set_up(void **state)
{
    (void)state;
    fake_device_init(&fake);
    ops = *fake.core.base.ops;
    ops.symbol = find_symbol;
    fake.core.base.ops = &ops;
    device_reference = NULL;
    memset(environment, 0, sizeof environment);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fake_device_destroy(&fake);
    return 0;
}

static nw_entry_list_t list_of(const entry_t *entries, size_t n)
{
    return (nw_entry_list_t){.layout = NW_ENTRIES_32, .begin = entries, .end = entries + n};
}

static void variables_are_mapped_while_the_image_is_loaded(void **state)
{
    (void)state;
    const entry_t entries[] = {{&host_variable, "variable", sizeof host_variable, 0, 0},
                               {functions, "kernel", 0, 0, 0}};
    nw_entry_list_t list = list_of(entries, 2);
    nw_globals_load(&fake.core, NULL, &list, false);
    nw_mapping_t *mapping = fake_mapping(&fake, &host_variable);
    assert_non_null(mapping);
    assert_ptr_equal(mapping->device, &device_variable);
    assert_true(mapping->dynamic_count == NW_FOREVER);
    nw_globals_unload(&fake.core, &list);
    assert_null(fake_mapping(&fake, &host_variable));
}

static void functions_are_mapped_to_the_devices_address(void **state)
{
    (void)state;
    static char code[64]; /* two functions, and one that begins before the first one's entry ends */
    const entry_t entries[] = {{code, "f0", 8, NW_ENTRY_INDIRECT, 0},
                               {code + 4, "f1", 8, NW_ENTRY_INDIRECT, 0},
                               {code + 32, "f2", 8, NW_ENTRY_INDIRECT, 0},
                               {code + 48, "missing", 8, NW_ENTRY_INDIRECT, 0}};
    nw_entry_list_t list = list_of(entries, 4);
    capture_begin();
    nw_globals_load(&fake.core, NULL, &list, false);
    assert_string_equal(capture_end(), "nowait: warning: device 3: the image has no function missing\n");
    assert_ptr_equal(fake_mapping(&fake, code)->device, device_functions[0]);
    assert_ptr_equal(fake_mapping(&fake, code + 32)->device, device_functions[2]);
    assert_true(fake_mapping(&fake, code)->dynamic_count == NW_FOREVER);
    assert_null(fake_mapping(&fake, code + 48));
    nw_globals_unload(&fake.core, &list);
    assert_null(fake_mapping(&fake, code));
    assert_null(fake_mapping(&fake, code + 32));
}

static void references_lead_to_the_hosts_copies_under_shared_memory(void **state)
{
    (void)state;
    const entry_t entries[] = {{&host_reference, "variable_decl_tgt_ref_ptr", sizeof host_reference, 0, 0}};
    nw_entry_list_t list = list_of(entries, 1);
    nw_globals_load(&fake.core, NULL, &list, false);
    assert_null(device_reference);
    nw_globals_unload(&fake.core, &list);
    nw_globals_load(&fake.core, NULL, &list, true);
    assert_ptr_equal(device_reference, &host_variable);
    nw_globals_unload(&fake.core, &list);
}

static void *finish_later(void *op)
{
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    fake_finish(&fake, op);
    return NULL;
}

static void unloading_waits_for_users_of_the_variables(void **state)
{
    (void)state;
    const entry_t entries[] = {{&host_variable, "variable", sizeof host_variable, 0, 0}};
    nw_entry_list_t list = list_of(entries, 1);
    pthread_t thread;
    host_variable = 5;
    nw_globals_load(&fake.core, NULL, &list, false);
    nw_op_t *op = submit_one(&fake, NW_DATA_UPDATE, &host_variable, sizeof host_variable, NW_MAP_TO, NULL);
    assert_int_equal(pthread_create(&thread, NULL, finish_later, op), 0);
    nw_globals_unload(&fake.core, &list);
    assert_int_equal(device_variable, 5);
    assert_null(fake_mapping(&fake, &host_variable));
    pthread_join(thread, NULL);
    op_free(op);
}

static void indirectly_called_functions_are_in_a_sorted_table(void **state)
{
    (void)state;
    const entry_t entries[] = {{&functions[2], "f2", 8, NW_ENTRY_INDIRECT, 0},
                               {&host_variable, "variable", sizeof host_variable, 0, 0},
                               {&functions[0], "f0", 8, NW_ENTRY_INDIRECT, 0},
                               {&functions[1], "f1", 8, NW_ENTRY_INDIRECT, 0}};
    nw_entry_list_t list = list_of(entries, 4);
    has_environment = true;
    nw_indirect_table_t table = nw_indirect_table_load(&fake.core, NULL, &list);
    assert_int_equal(table.size, 3 * 2 * sizeof(void *));
    void *(*pairs)[2] = table.address;
    for (int i = 0; i < 3; i++) {
        assert_ptr_equal(pairs[i][0], &functions[i]);
        assert_ptr_equal(pairs[i][1], device_functions[i]);
    }
    void *address;
    uint64_t n;
    memcpy(&address, environment + 24, sizeof address);
    memcpy(&n, environment + 32, sizeof n);
    assert_ptr_equal(address, table.address);
    assert_int_equal(n, 3);
    nw_indirect_table_unload(&fake.core, &table);
    assert_int_equal(fake.blocks_live, 0);
}

static void images_without_environment_need_no_table(void **state)
{
    (void)state;
    const entry_t entries[] = {{&functions[0], "f0", 8, NW_ENTRY_INDIRECT, 0}};
    nw_entry_list_t list = list_of(entries, 1);
    has_environment = false;
    nw_indirect_table_t table = nw_indirect_table_load(&fake.core, NULL, &list);
    assert_null(table.address);
    nw_indirect_table_unload(&fake.core, &table);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        TEST(variables_are_mapped_while_the_image_is_loaded),
        TEST(functions_are_mapped_to_the_devices_address),
        TEST(references_lead_to_the_hosts_copies_under_shared_memory),
        TEST(unloading_waits_for_users_of_the_variables),
        TEST(indirectly_called_functions_are_in_a_sorted_table),
        TEST(images_without_environment_need_no_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
