/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocked matrix multiplication whose block products are regions with dependences: concurrent regions share blocks, so
 * their mappings begin and end all the time (llvm/llvm-project 49284 and 64733). */
#include "e2e.h"

enum { BLOCK = 6, BLOCKS = 3, SIZE = BLOCK * BLOCKS };

typedef struct block {
    int cell[BLOCK * BLOCK];
} block_t;

static block_t a[BLOCKS][BLOCKS], b[BLOCKS][BLOCKS], c[BLOCKS][BLOCKS];

static int *element(block_t m[BLOCKS][BLOCKS], int i, int j)
{
    return &m[i / BLOCK][j / BLOCK].cell[i % BLOCK * BLOCK + j % BLOCK];
}

static void multiply_row(int i)
{
    for (int j = 0; j < BLOCKS; j++) {
        for (int k = 0; k < BLOCKS; k++) {
            block_t *pa = &a[i][k], *pb = &b[k][j], *pc = &c[i][j];
#pragma omp target map(to : *pa, *pb) map(tofrom : *pc) depend(in : *pa, *pb) depend(inout : *pc) nowait
            for (int x = 0; x < BLOCK; x++)
                for (int y = 0; y < BLOCK; y++)
                    for (int z = 0; z < BLOCK; z++)
                        pc->cell[x * BLOCK + y] += pa->cell[x * BLOCK + z] * pb->cell[z * BLOCK + y];
        }
    }
}

static void check_product(void)
{
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++) {
            int expected = 0;
            for (int k = 0; k < SIZE; k++)
                expected += *element(a, i, k) * *element(b, k, j);
            CHECK_EQ(*element(c, i, j), expected);
        }
    }
}

int main(int argc, char **argv)
{
    start(argc, argv);
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++) {
            *element(a, i, j) = (i * 7 + j * 3) % 11 - 5;
            *element(b, i, j) = (i * 5 + j * 13) % 7 - 3;
        }
    }
    for (int rep = 0; rep < repetitions; rep++) {
        memset(c, 0, sizeof c);
        for (int i = 0; i < BLOCKS; i++)
            multiply_row(i);
#pragma omp taskwait
        check_product();
        memset(c, 0, sizeof c);
        /* A and B are present while the second half runs: shared mappings instead of fresh ones. */
#pragma omp target enter data map(to : a, b)
        void *team[BLOCKS];
#pragma omp parallel for num_threads(BLOCKS)
        for (int i = 0; i < BLOCKS; i++) {
            team[i] = THIS_TASK();
            multiply_row(i);
        }
        for (int i = 0; i < BLOCKS; i++)
            AFTER_REGIONS_OF(team[i]);
#pragma omp target exit data map(delete : a, b)
        check_product();
    }
    return 0;
}
