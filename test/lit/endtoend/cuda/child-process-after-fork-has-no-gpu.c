// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA can't be used in the child of a process that has used it. A child that uses no GPU ends as it likes; a construct
// that needs one ends it with status 1 and a line that says why, a routine returns that it has failed. The parent goes
// on, with the regions that were in flight at the fork, and later ones. A child from before the first region has a GPU
// like any other process.
//
// RUN: %cc-both
// RUN: %on-cuda OMP_TARGET_OFFLOAD=default CUDAEMU_KERNEL_NS=20000000 %t.plugin 2> %t.out && %FileCheck %s < %t.out
// RUN: %on-cuda OMP_TARGET_OFFLOAD=default NOWAIT_CUDA_COMPLETION=event %t.plugin 2> %t.out && %FileCheck %s < %t.out
// RUN: %on-cuda OMP_TARGET_OFFLOAD=default NOWAIT_COMPLETION=block %t.plugin 2> %t.out && %FileCheck %s < %t.out
// RUN: %on-cuda OMP_TARGET_OFFLOAD=default CUDAEMU_KERNEL_NS=20000000 %nowait-run %t.stock 2> %t.out && %FileCheck %s < %t.out
//
// CHECK: early: begin
// CHECK-NEXT: early: end
// CHECK-NEXT: nothing: begin
// CHECK-NEXT: nothing: end
// CHECK-NEXT: deferred: begin
// CHECK-NEXT: nowait: error: {{.*}}a child process can't use the GPUs that its parent has used
// CHECK-NEXT: deferred: end
// CHECK-NEXT: waiting: begin
// CHECK-NEXT: nowait: error: {{.*}}a child process can't use the GPUs that its parent has used
// CHECK-NEXT: waiting: end
// CHECK-NEXT: data: begin
// CHECK-NEXT: nowait: error: {{.*}}a child process can't use the GPUs that its parent has used
// CHECK-NEXT: data: end
// CHECK-NEXT: copy: begin
// CHECK-NEXT: nowait: error: omp_target_alloc: no 64 bytes of device memory on device 0
// CHECK-NEXT: nowait: error: omp_target_memcpy: a child process can't use the GPUs that its parent has used
// CHECK-NEXT: copy: end
// CHECK-NOT: {{.}}
#include "check.h"
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

static int doubled(int x)
{
#pragma omp target map(tofrom : x) nowait
    x *= 2;
#pragma omp taskwait
    return x;
}

static void nothing(void)
{
}

static void deferred(void)
{
    doubled(21);
}

static void waiting(void)
{
    int x = 1;
#pragma omp target map(tofrom : x)
    x *= 2;
}

static void data(void)
{
    static int x[1000];
#pragma omp target enter data map(to : x)
#pragma omp target exit data map(from : x)
}

static void *on_device;

static void copy(void)
{
    int x = 0;
    CHECK_PTR_EQ(omp_target_alloc(64, 0), NULL);
    CHECK_EQ(omp_target_memcpy(on_device, &x, sizeof x, 0, 0, 0, omp_get_initial_device()) != 0, 1);
    omp_target_free(on_device, 0);
}

static void early(void)
{
    CHECK_EQ(doubled(21), 42);
}

/* The status of a child that does this. */
static int child(const char *name, void (*does)(void))
{
    int status = 0;
    fprintf(stderr, "%s: begin\n", name);
    pid_t pid = fork();
    if (pid == 0) {
        watchdog(30);
        does();
        exit(0);
    }
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(WIFEXITED(status), 1);
    fprintf(stderr, "%s: end\n", name);
    return WEXITSTATUS(status);
}

int main(void)
{
    static struct {
        const char *name;
        void (*does)(void);
        int status;
    } children[] = {{"nothing", nothing, 0},
                    {"deferred", deferred, 1},
                    {"waiting", waiting, 1},
                    {"data", data, 1},
                    {"copy", copy, 0}};
    watchdog(60);
    CHECK_EQ(child("early", early), 0);
    CHECK_EQ(doubled(1), 2);
    on_device = omp_target_alloc(64, 0);
    for (int i = 0; i < 5; i++) {
        int x = i;
#pragma omp target map(tofrom : x) nowait
        x += 10;
        CHECK_EQ(child(children[i].name, children[i].does), children[i].status);
        CHECK_EQ(doubled(i), 2 * i);
#pragma omp taskwait
        CHECK_EQ(x, 10 + i);
    }
    omp_target_free(on_device, 0);
    return 0;
}
