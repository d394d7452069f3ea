/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When the progress thread expects works to be over: no clock here, the test says what time it is. */
#include "device/cuda/cuda_forecast.h"
#include "support/harness.h"
#include "support/settings.h"

enum { US = 1000, MS = 1000 * US };

static struct nw_kernel kernel, other;
static nw_work_t work, other_work, copy;
static nw_cuda_stream_t stream, second;

static int set_up(void **state)
{
    (void)state;
    kernel = other = (struct nw_kernel){0};
    work = (nw_work_t){.has_kernel = true, .launch.kernel = &kernel};
    other_work = (nw_work_t){.has_kernel = true, .launch.kernel = &other};
    copy = (nw_work_t){.copies_in = true};
    stream = (nw_cuda_stream_t){.first = &work, .next_busy = &second};
    second = (nw_cuda_stream_t){.first = &other_work};
    return 0;
}

/* The work's kernel runs in the stream from `begin` for `took`. */
static void runs(nw_cuda_stream_t *in, int64_t begin, int64_t took)
{
    nw_cuda_forecast_begins(in, begin, true);
    nw_cuda_forecast_over(in, begin + took, false);
}

static void nothing_is_expected_of_a_kernel_that_has_not_run(void **state)
{
    (void)state;
    bool sure;
    nw_cuda_forecast_begins(&second, 10 * MS, true);
    assert_int_equal(nw_cuda_forecast_next(&second, 10 * MS, &sure), NW_CUDA_FORECAST_NONE);
    assert_false(sure);
    assert_int_equal(nw_cuda_forecast_next(NULL, 10 * MS, &sure), NW_CUDA_FORECAST_NONE);
}

static void a_kernel_is_expected_to_take_what_it_took(void **state)
{
    (void)state;
    bool sure;
    runs(&second, 10 * MS, MS);
    nw_cuda_forecast_begins(&second, 20 * MS, true);
    assert_int_equal(nw_cuda_forecast_next(&second, 20 * MS, &sure), 21 * MS);
    /* About then it is still looked for; when that is past, it isn't. */
    assert_int_equal(nw_cuda_forecast_next(&second, 21 * MS + 10 * US, &sure), 21 * MS);
    assert_int_equal(nw_cuda_forecast_next(&second, 22 * MS, &sure), NW_CUDA_FORECAST_NONE);
    assert_false(sure);
}

static void the_next_of_several_streams_counts(void **state)
{
    (void)state;
    bool sure;
    runs(&stream, 10 * MS, 4 * MS);
    runs(&second, 10 * MS, MS);
    nw_cuda_forecast_begins(&stream, 20 * MS, true);
    nw_cuda_forecast_begins(&second, 22 * MS, true);
    assert_int_equal(nw_cuda_forecast_next(&stream, 22 * MS, &sure), 23 * MS);
    assert_int_equal(nw_cuda_forecast_next(&stream, 23500 * US, &sure), 24 * MS);
    assert_false(sure);
}

static void copies_alone_have_no_forecast(void **state)
{
    (void)state;
    bool sure;
    stream.first = &copy;
    runs(&stream, 10 * MS, MS);
    runs(&second, 10 * MS, MS);
    nw_cuda_forecast_begins(&stream, 20 * MS, true);
    nw_cuda_forecast_begins(&second, 20 * MS, true);
    assert_int_equal(nw_cuda_forecast_next(&stream, 20 * MS, &sure), 21 * MS);
    assert_false(sure);
}

static void a_shorter_run_is_believed_at_once_a_longer_one_slowly(void **state)
{
    (void)state;
    bool sure;
    runs(&second, 10 * MS, 2 * MS);
    runs(&second, 20 * MS, MS);
    nw_cuda_forecast_begins(&second, 30 * MS, true);
    assert_int_equal(nw_cuda_forecast_next(&second, 30 * MS, &sure), 31 * MS);
    runs(&second, 30 * MS, 3 * MS);
    nw_cuda_forecast_begins(&second, 40 * MS, true);
    int64_t next = nw_cuda_forecast_next(&second, 40 * MS, &sure);
    assert_in_range(next, 41 * MS + 1, 41 * MS + 500 * US);
    for (int i = 0; i < 200; i++)
        runs(&second, 50 * MS, 3 * MS);
    nw_cuda_forecast_begins(&second, 40 * MS, true);
    assert_in_range(nw_cuda_forecast_next(&second, 40 * MS, &sure), 42900 * US, 43 * MS);
}

static void a_run_whose_begin_was_not_seen_teaches_nothing(void **state)
{
    (void)state;
    bool sure;
    runs(&second, 10 * MS, 2 * MS);
    nw_cuda_forecast_begins(&second, 20 * MS, false);
    assert_int_equal(nw_cuda_forecast_next(&second, 20 * MS, &sure), NW_CUDA_FORECAST_NONE);
    nw_cuda_forecast_over(&second, 20 * MS + US, false);
    nw_cuda_forecast_begins(&second, 30 * MS, true);
    assert_int_equal(nw_cuda_forecast_next(&second, 30 * MS, &sure), 32 * MS);
}

/* Then the thread sleeps without having the driver call it back. */
static void a_forecast_is_sure_when_it_has_come_true_some_times(void **state)
{
    (void)state;
    bool sure;
    for (int i = 0; i < 5; i++) {
        nw_cuda_forecast_begins(&second, 20 * MS, true);
        (void)nw_cuda_forecast_next(&second, 20 * MS, &sure);
        assert_false(sure);
        runs(&second, 10 * MS, MS);
    }
    nw_cuda_forecast_begins(&second, 20 * MS, true);
    assert_int_equal(nw_cuda_forecast_next(&second, 20 * MS, &sure), 21 * MS);
    assert_true(sure);
    /* Another stream of which nothing is known. */
    nw_cuda_forecast_begins(&stream, 20 * MS, true);
    assert_int_equal(nw_cuda_forecast_next(&stream, 20 * MS, &sure), 21 * MS);
    assert_false(sure);
    /* It was over when the thread woke: nobody knows for how long. */
    nw_cuda_forecast_over(&second, 21 * MS, true);
    nw_cuda_forecast_begins(&second, 30 * MS, true);
    assert_int_equal(nw_cuda_forecast_next(&second, 30 * MS, &sure), 31 * MS);
    assert_false(sure);
}

/* One that takes now 1.9 ms and now 0.1 never sleeps through the end of a short run. */
static void a_kernel_of_changing_length_is_never_sure(void **state)
{
    (void)state;
    bool sure;
    for (int i = 0; i < 50; i++) {
        runs(&second, 10 * MS, i % 2 ? 100 * US : 1900 * US);
        nw_cuda_forecast_begins(&second, 20 * MS, true);
        (void)nw_cuda_forecast_next(&second, 20 * MS, &sure);
        assert_false(sure);
    }
}

/* The work came and was over in one look, so it may have waited for that. */
static void a_run_that_took_no_time_teaches_nothing(void **state)
{
    (void)state;
    bool sure;
    runs(&second, 10 * MS, 2 * MS);
    runs(&second, 15 * MS, 0);
    nw_cuda_forecast_begins(&second, 20 * MS, true);
    assert_int_equal(nw_cuda_forecast_next(&second, 20 * MS, &sure), 22 * MS);
}

/* The thread looks for longer than that before it sleeps. */
static void a_kernel_as_short_as_the_spin_has_no_forecast(void **state)
{
    (void)state;
    bool sure;
    nw_settings.spin = 20 * US;
    runs(&second, 10 * MS, 10 * US);
    nw_cuda_forecast_begins(&second, 20 * MS, true);
    assert_int_equal(nw_cuda_forecast_next(&second, 20 * MS, &sure), NW_CUDA_FORECAST_NONE);
    nw_settings.spin = 0;
}

static void the_margin_follows_how_late_sleeps_end(void **state)
{
    (void)state;
    nw_cuda_forecast_woke(10 * MS, 10 * MS + 80 * US);
    int64_t late = nw_cuda_forecast_margin();
    assert_in_range(late, 80 * US, 120 * US);
    for (int i = 0; i < 100; i++)
        nw_cuda_forecast_woke(10 * MS, 10 * MS + 2 * US);
    int64_t early = nw_cuda_forecast_margin();
    assert_in_range(early, 10 * US, 40 * US);
    /* One that was much too late, as when another program had the processor, costs no more than so much looking. */
    nw_cuda_forecast_woke(10 * MS, 50 * MS);
    assert_in_range(nw_cuda_forecast_margin(), early, 200 * US);
}

int main(void)
{
    watchdog(WATCHDOG_SECONDS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nothing_is_expected_of_a_kernel_that_has_not_run, set_up),
        cmocka_unit_test_setup(a_kernel_is_expected_to_take_what_it_took, set_up),
        cmocka_unit_test_setup(the_next_of_several_streams_counts, set_up),
        cmocka_unit_test_setup(copies_alone_have_no_forecast, set_up),
        cmocka_unit_test_setup(a_shorter_run_is_believed_at_once_a_longer_one_slowly, set_up),
        cmocka_unit_test_setup(a_run_whose_begin_was_not_seen_teaches_nothing, set_up),
        cmocka_unit_test_setup(a_forecast_is_sure_when_it_has_come_true_some_times, set_up),
        cmocka_unit_test_setup(a_kernel_of_changing_length_is_never_sure, set_up),
        cmocka_unit_test_setup(a_run_that_took_no_time_teaches_nothing, set_up),
        cmocka_unit_test_setup(a_kernel_as_short_as_the_spin_has_no_forecast, set_up),
        cmocka_unit_test_setup(the_margin_follows_how_late_sleeps_end, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
