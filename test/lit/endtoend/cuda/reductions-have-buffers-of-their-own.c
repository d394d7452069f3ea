// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that reduces between teams gets a launch environment and a buffer that no other launch has while it runs, as
// its kernel environment asks for, and the memory is free for others when it is over. (llvm-project 70249: shared
// between launches; 214755: never freed.)
//
// The kernel environment: SPMD, 24 bytes of data, 5 of them.
// RUN: %cc-plugin -pthread
// RUN: %clang -shared -fPIC -DIMAGE %s -o %t.so
// RUN: %make-cubin --sm 90 --abi 8 --kernel kernel:1 --code %t.so -o %t.cubin --variable \
// RUN:     kernel_kernel_environment=000002000100000001000000010000000100000018000000050000000000000000000000000000000000000000000000
// RUN: %on-cuda CUDAEMU_REPORT=1 %t.plugin %t.cubin 2>&1 | %FileCheck %s
// CHECK-NOT: clash
// CHECK: cudaemu: left device 0 bytes in 0
// CHECK: misuses 0
#ifdef IMAGE

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 24 * 5 };

struct launch_environment {
    unsigned count, iterations;
    unsigned char *buffer;
};

void kernel(struct launch_environment *own)
{
    static int number;
    unsigned char mine = (unsigned char)__atomic_add_fetch(&number, 1, __ATOMIC_RELAXED);
    int clash = own->count != 0 || own->iterations != 0;
    own->count = mine;
    memset(own->buffer, mine, BYTES);
    usleep(500);
    for (int i = 0; i < BYTES; i++)
        clash += own->buffer[i] != mine;
    if (clash || own->count != mine)
        fputs("clash\n", stderr);
}

#else

#include "cubin.h"
#include "emulated.h"

#include <pthread.h>

enum { THREADS = 8, LAUNCHES = 25 };

static void *launch(void *unused)
{
    for (int i = 0; i < LAUNCHES; i++)
        run_kernel(0);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    watchdog(60);
    CHECK_EQ(argc, 2);
    register_cubin(argv[1]);
    run_kernel(0);
    emulated_memory_t before = memory_in_use();
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, launch, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    /* No more than the launches that ran at a time. */
    CHECK_LE(memory_in_use().device_bytes_high, before.device_bytes + THREADS * 4096);
    __tgt_unregister_lib(&cubin);
    return 0;
}

#endif
