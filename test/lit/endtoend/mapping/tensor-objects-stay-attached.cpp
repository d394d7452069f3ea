// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects that own several arrays, mapped by enter data as object plus each array, several of them alive at once and
// used by regions through their own pointers, while others come and go (llvm/llvm-project 126342).
//
// RUN: %cxx-both
// RUN: %run-both
#include "check.h"

class Tensor
{
  public:
    Tensor(int rows, int columns) : extents(new int[2]), strides(new int[2]), rank(2), size(rows * columns)
    {
        extents[0] = rows;
        extents[1] = columns;
        strides[0] = columns;
        strides[1] = 1;
        data = new double[size];
        for (int i = 0; i < size; i++)
            data[i] = i;
    }
    Tensor(const Tensor &) = delete;
    Tensor &operator=(const Tensor &) = delete;
    ~Tensor()
    {
        delete[] data;
        delete[] extents;
        delete[] strides;
    }
    void send()
    {
#pragma omp target enter data map(to : this [0:1])
#pragma omp target enter data map(to : this->data [0:size]) nowait
#pragma omp target enter data map(to : this->extents [0:rank]) nowait
#pragma omp target enter data map(to : this->strides [0:rank]) nowait
#pragma omp taskwait
    }
    void fetch()
    {
#pragma omp target exit data map(from : this->data [0:size]) nowait
#pragma omp target exit data map(release : this->extents [0:rank]) nowait
#pragma omp target exit data map(release : this->strides [0:rank]) nowait
#pragma omp taskwait
#pragma omp target exit data map(release : this [0:1])
    }
    double &at(int i, int j) const
    {
        return data[i * strides[0] + j * strides[1]];
    }
    double *data;
    int *extents, *strides;
    int rank, size;
};

static void add(Tensor &to, Tensor &from, int *order)
{
    Tensor *t = &to, *f = &from;
#pragma omp target map(alloc : t [0:1], f [0:1]) depend(inout : *order) nowait
    for (int i = 0; i < t->extents[0]; i++)
        for (int j = 0; j < t->extents[1]; j++)
            t->at(i, j) += f->at(i, j);
}

static void pass(int rows, int columns)
{
    Tensor a(rows, columns), b(rows, columns);
    int order = 0;
    a.send();
    b.send();
    add(a, b, &order);
    {
        Tensor visitor(columns, rows + 1);
        visitor.send();
        add(b, a, &order);
        add(visitor, visitor, &order);
#pragma omp taskwait
        visitor.fetch();
        for (int i = 0; i < visitor.size; i++)
            CHECK_EQ(visitor.data[i], 2 * i);
    }
    add(a, b, &order);
#pragma omp taskwait
    a.fetch();
    b.fetch();
    for (int i = 0; i < a.size; i++) {
        CHECK_EQ(a.data[i], 5 * i);
        CHECK_EQ(b.data[i], 3 * i);
    }
    CHECK(!omp_target_is_present(&a, omp_get_default_device()));
    CHECK(!omp_target_is_present(a.data, omp_get_default_device()));
}

int main()
{
    watchdog(40);
    for (int i = 0; i < 30; i++)
        pass(2 + i % 5, 3 + i % 7);
#pragma omp parallel num_threads(3)
    for (int i = 0; i < 20; i++)
        pass(2 + i % 5, 3 + i % 7);
    return 0;
}
