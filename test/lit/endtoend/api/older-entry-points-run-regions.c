// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points of compilers before LLVM 15 (__tgt_target, __tgt_target_teams, with and without _mapper and _nowait, the
// data constructs' without _mapper, and the pushed trip count) run regions and move data like the present ones. The
// program puts itself between compiled code and the runtime: it takes each call of clang's and passes it on by an
// older name. A kernel's implicit first argument, which older kernels do not have, travels as a literal.
//
// RUN: %stock-clang %flags %s -o %t.stock
// RUN: %nowait-run %t.stock
// A pushed trip count is that of the next region, and of no other: 50 in two of the five ways.
// RUN: env LIBOMPTARGET_INFO=16 %nowait-run %t.stock 2>&1 | grep -o 'trip count [1-9][0-9]*' | sort | uniq -c \
// RUN:   | %FileCheck %s
// CHECK: {{^ *}}3 trip count 50{{$}}
// CHECK-NOT: {{.}}
// RUN: env NOWAIT_COMPLETION=requeue %nowait-run %t.stock
// RUN: env NOWAIT_COMPLETION=block %nowait-run %t.stock
#include "check.h"
#include "omptarget.h"

enum { MAX = 16, TARGET_PARAM = 0x20, LITERAL = 0x100 };

#define ENTRIES int n, void **bases, void **ptrs, int64_t *sizes, int64_t *types
#define DEPS int n_deps, void *deps, int n_noalias, void *noalias
int __tgt_target(int64_t device, void *id, ENTRIES);
int __tgt_target_nowait(int64_t device, void *id, ENTRIES, DEPS);
int __tgt_target_mapper(void *loc, int64_t device, void *id, ENTRIES, void **names, void **mappers);
int __tgt_target_nowait_mapper(void *loc, int64_t device, void *id, ENTRIES, void **names, void **mappers, DEPS);
int __tgt_target_teams(int64_t device, void *id, ENTRIES, int teams, int threads);
int __tgt_target_teams_nowait(int64_t device, void *id, ENTRIES, int teams, int threads, DEPS);
int __tgt_target_teams_mapper(void *loc, int64_t device, void *id, ENTRIES, void **names, void **mappers, int teams,
                              int threads);
int __tgt_target_teams_nowait_mapper(void *loc, int64_t device, void *id, ENTRIES, void **names, void **mappers,
                                     int teams, int threads, DEPS);
int __tgt_target_kernel_nowait(void *loc, int64_t device, int teams, int threads, void *id, struct kernel_args *args,
                               DEPS);
void __kmpc_push_target_tripcount(int64_t device, uint64_t n);
void __kmpc_push_target_tripcount_mapper(void *loc, int64_t device, uint64_t n);
void __tgt_target_data_begin(int64_t device, ENTRIES);
void __tgt_target_data_end(int64_t device, ENTRIES);
void __tgt_target_data_update(int64_t device, ENTRIES);
void __tgt_target_data_begin_nowait(int64_t device, ENTRIES, DEPS);
void __tgt_target_data_end_nowait(int64_t device, ENTRIES, DEPS);
void __tgt_target_data_update_nowait(int64_t device, ENTRIES, DEPS);

static int way, passed_on;

int __tgt_target_kernel(void *loc, int64_t device, int teams, int threads, void *id, struct kernel_args *args)
{
    void *bases[MAX] = {(void *)-1L}, *ptrs[MAX] = {(void *)-1L};
    int64_t sizes[MAX] = {8}, types[MAX] = {TARGET_PARAM | LITERAL};
    int n = (int)args->n + 1;
    CHECK_LE(n, MAX);
    for (int i = 1; i < n; i++) {
        bases[i] = args->bases[i - 1];
        ptrs[i] = args->ptrs[i - 1];
        sizes[i] = args->sizes[i - 1];
        types[i] = args->types[i - 1];
    }
    int nowait = args->flags & 1;
    passed_on++;
    switch (way) {
    case 0:
        if (nowait)
            return __tgt_target_nowait(device, id, n, bases, ptrs, sizes, types, 0, NULL, 0, NULL);
        return __tgt_target(device, id, n, bases, ptrs, sizes, types);
    case 1:
        if (nowait)
            return __tgt_target_nowait_mapper(loc, device, id, n, bases, ptrs, sizes, types, NULL, NULL, 0, NULL, 0,
                                              NULL);
        return __tgt_target_mapper(loc, device, id, n, bases, ptrs, sizes, types, NULL, NULL);
    case 2:
        __kmpc_push_target_tripcount(device, args->trip_count);
        if (nowait)
            return __tgt_target_teams_nowait(device, id, n, bases, ptrs, sizes, types, teams, threads, 0, NULL, 0,
                                             NULL);
        return __tgt_target_teams(device, id, n, bases, ptrs, sizes, types, teams, threads);
    case 3:
        __kmpc_push_target_tripcount_mapper(loc, device, args->trip_count);
        if (nowait)
            return __tgt_target_teams_nowait_mapper(loc, device, id, n, bases, ptrs, sizes, types, NULL, NULL, teams,
                                                    threads, 0, NULL, 0, NULL);
        return __tgt_target_teams_mapper(loc, device, id, n, bases, ptrs, sizes, types, NULL, NULL, teams, threads);
    default:
        return __tgt_target_kernel_nowait(loc, device, teams, threads, id, args, 0, NULL, 0, NULL);
    }
}

#define DATA(name) \
    void __tgt_target_data_##name##_mapper(void *loc, int64_t device, ENTRIES, void **names, void **mappers) \
    { \
        (void)loc, (void)names, (void)mappers; \
        passed_on++; \
        __tgt_target_data_##name(device, n, bases, ptrs, sizes, types); \
    } \
    void __tgt_target_data_##name##_nowait_mapper(void *loc, int64_t device, ENTRIES, void **names, void **mappers, \
                                                  DEPS) \
    { \
        (void)loc, (void)names, (void)mappers; \
        passed_on++; \
        __tgt_target_data_##name##_nowait(device, n, bases, ptrs, sizes, types, n_deps, deps, n_noalias, noalias); \
    }
DATA(begin)
DATA(end)
DATA(update)

enum { N = 50, WAYS = 5 };

int main(void)
{
    int a[N], on_host;
    watchdog(40);
    for (way = 0; way < WAYS; way++) {
        for (int i = 0; i < N; i++)
            a[i] = i;
        int before = passed_on;
        on_host = 1;
#pragma omp target enter data map(to : a)
#pragma omp target map(from : on_host)
        {
            on_host = omp_is_initial_device();
            for (int i = 0; i < N; i++)
                a[i]++;
        }
        CHECK_EQ(on_host, 0);
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(4) nowait
        for (int i = 0; i < N; i++)
            a[i] *= 2;
#pragma omp taskwait
#pragma omp target update from(a)
        for (int i = 0; i < N; i++)
            CHECK_EQ(a[i], 2 * (i + 1));
        a[0] = 1000;
#pragma omp target update to(a) nowait
#pragma omp taskwait
#pragma omp target exit data map(from : a) nowait
#pragma omp taskwait
        CHECK_EQ(a[0], 1000);
        CHECK_EQ(omp_target_is_present(a, 0), 0);
#pragma omp target enter data map(alloc : a) nowait
#pragma omp taskwait
        CHECK_EQ(omp_target_is_present(a, 0), 1);
#pragma omp target exit data map(delete : a)
        CHECK_GE(passed_on, before + 8);
    }
    return 0;
}
