/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a mapper function pushes lands in three pointers, begin, end and limit, to components of 40 bytes: the layout of
 * a std::vector, so that a program may use one as the handle, which then frees the memory. */
#include <stdint.h>
#include <stdlib.h>

#include "core/mapper.h"
#include "support/harness.h"

typedef struct component {
    void *base, *begin;
    int64_t size;
    uint64_t type;
    void *name;
} component_t;

typedef struct vector {
    component_t *begin, *end, *limit;
} vector_t;

static void components_are_pushed_in_order(void **state)
{
    (void)state;
    static char bytes[1000];
    vector_t vector = {0};
    assert_int_equal(nw_mapper_count(&vector), 0);
    for (int i = 0; i < 1000; i++) {
        nw_mapper_push(&vector, bytes, bytes + i, i, (uint64_t)i << 48 | 3, i % 2 ? bytes : NULL);
        assert_int_equal(nw_mapper_count(&vector), i + 1);
        assert_int_equal(vector.end - vector.begin, i + 1);
        assert_true(vector.end <= vector.limit);
    }
    for (int i = 0; i < 1000; i++) {
        const component_t *c = &vector.begin[i];
        assert_ptr_equal(c->base, bytes);
        assert_ptr_equal(c->begin, bytes + i);
        assert_int_equal(c->size, i);
        assert_int_equal(c->type, (uint64_t)i << 48 | 3);
        assert_ptr_equal(c->name, i % 2 ? bytes : NULL);
    }
    free(vector.begin);
}

static void components_of_the_program_stay(void **state)
{
    (void)state;
    vector_t vector = {.begin = malloc(2 * sizeof(component_t))};
    assert_non_null(vector.begin);
    vector.begin[0] = (component_t){.size = 11};
    vector.begin[1] = (component_t){.size = 22};
    vector.end = vector.limit = vector.begin + 2;
    nw_mapper_push(&vector, NULL, NULL, 33, 0, NULL);
    assert_int_equal(nw_mapper_count(&vector), 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(vector.begin[i].size, 11 * (i + 1));
    free(vector.begin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_are_pushed_in_order),
        cmocka_unit_test(components_of_the_program_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
