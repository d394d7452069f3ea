// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program whose device image the target `images` damages: constructors, variables, pointers to be relocated,
// functions of libraries.
#include <cmath>
#include <cstdlib>

#pragma omp declare target
struct table {
    int *numbers;
    table() : numbers(static_cast<int *>(std::malloc(100 * sizeof(int))))
    {
    }
    ~table()
    {
        std::free(numbers);
    }
};

static table shared_table;
static int calls = 3;
static const char *const names[] = {"one", "two", "three"};
double factor = 1.5;

static double twice(double x)
{
    calls++;
    return std::cbrt(x) * 2 * factor;
}

double (*chosen)(double) = twice;
#pragma omp end declare target

int main()
{
    double x = 1;
    int length = 0;
#pragma omp target map(tofrom : x, length)
    {
        x = chosen(x) + shared_table.numbers[5];
        for (const char *name = names[length % 3]; *name; name++)
            length += calls;
    }
#pragma omp target teams distribute parallel for map(tofrom : x) reduction(+ : x)
    for (int i = 0; i < 100; i++)
        x += twice(i);
    return length == 0;
}
