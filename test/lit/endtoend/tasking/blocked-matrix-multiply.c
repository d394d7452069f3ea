// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocked matrix multiplication whose block products are regions with dependences, launched from nested loops of
// several threads; concurrent regions share blocks of A and B, so their mappings begin and end all the time (llvm/llvm-
// project 49284 and 64733: wrong results and hangs from races in the mapping table).
//
// RUN: %cc-both
// RUN: %run-both
// RUN: env LIBOMP_NUM_HIDDEN_HELPER_THREADS=0 %t.plugin
#include "check.h"

enum { BLOCK = 16, AREA = BLOCK * BLOCK, BLOCKS = 4, SIZE = BLOCK * BLOCKS, REPETITIONS = 3 };

typedef struct {
    int cell[AREA];
} block;

static block a[BLOCKS][BLOCKS], b[BLOCKS][BLOCKS], c[BLOCKS][BLOCKS];

static int *element(block m[BLOCKS][BLOCKS], int i, int j)
{
    return &m[i / BLOCK][j / BLOCK].cell[i % BLOCK * BLOCK + j % BLOCK];
}

static void multiply_block_row(int i)
{
    for (int j = 0; j < BLOCKS; j++)
        for (int k = 0; k < BLOCKS; k++) {
            block *pa = &a[i][k], *pb = &b[k][j], *pc = &c[i][j];
#pragma omp target map(to : *pa, *pb) map(tofrom : *pc) depend(in : *pa, *pb) depend(inout : *pc) nowait
            for (int x = 0; x < BLOCK; x++)
                for (int y = 0; y < BLOCK; y++)
                    for (int z = 0; z < BLOCK; z++)
                        pc->cell[x * BLOCK + y] += pa->cell[x * BLOCK + z] * pb->cell[z * BLOCK + y];
        }
}

static void check_product(void)
{
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            int expected = 0;
            for (int k = 0; k < SIZE; k++)
                expected += *element(a, i, k) * *element(b, k, j);
            CHECK_EQ(*element(c, i, j), expected);
        }
}

int main(void)
{
    watchdog(40);
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            *element(a, i, j) = (i * 7 + j * 3) % 11 - 5;
            *element(b, i, j) = (i * 5 + j * 13) % 7 - 3;
        }
    for (int rep = 0; rep < REPETITIONS; rep++) {
        memset(c, 0, sizeof c);
        for (int i = 0; i < BLOCKS; i++)
            multiply_block_row(i);
#pragma omp taskwait
        check_product();

        memset(c, 0, sizeof c);
#pragma omp parallel for num_threads(BLOCKS)
        for (int i = 0; i < BLOCKS; i++)
            multiply_block_row(i);
        check_product();
    }
    return 0;
}
