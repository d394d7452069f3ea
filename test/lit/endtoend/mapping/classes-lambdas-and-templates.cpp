// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions with nowait in member functions (this is mapped), in templates for several types, in lambdas that capture by
// value and by reference, and in functions with references as parameters.
//
// RUN: %cxx-both
// RUN: %run-both
#include "check.h"
#include <functional>

class Counter
{
  public:
    explicit Counter(int start) : value(start)
    {
    }
    void add(int amount)
    {
#pragma omp target map(tofrom : value) firstprivate(amount) nowait
        value += amount;
#pragma omp taskwait
    }
    void add_through_this(int amount)
    {
#pragma omp target map(tofrom : this [0:1]) firstprivate(amount) nowait
        twice(amount);
#pragma omp taskwait
    }
    int get() const
    {
        return value;
    }

  private:
    void twice(int amount)
    {
        value += 2 * amount;
    }
    int value;
};

template <typename T> static T sum(const T *values, int n)
{
    T total = T();
#pragma omp target map(to : values [0:n]) map(tofrom : total) nowait
    for (int i = 0; i < n; i++)
        total += values[i];
#pragma omp taskwait
    return total;
}

template <int Factor, typename Function> static int apply(Function function, int x)
{
    int result = 0;
#pragma omp target map(from : result) firstprivate(x) map(to : function) nowait
    result = Factor * function(x);
#pragma omp taskwait
    return result;
}

static void through_reference(int &x, const int &y)
{
#pragma omp target map(tofrom : x) map(to : y) nowait
    x += y;
#pragma omp taskwait
}

int main()
{
    watchdog(40);
    for (int rep = 0; rep < 50; rep++) {
        Counter counter(rep);
        counter.add(5);
        counter.add_through_this(10);
        CHECK_EQ(counter.get(), rep + 25);

        const int ints[] = {1, 2, 3};
        const double doubles[] = {0.5, 1.5};
        const long long longs[] = {1LL << 40, 2};
        CHECK_EQ(sum(ints, 3), 6);
        CHECK_EQ(sum(doubles, 2), 2);
        CHECK_EQ(sum(longs, 2), (1LL << 40) + 2);

        int offset = rep;
        CHECK_EQ((apply<3>([=](int x) { return x + offset; }, 4)), 3 * (4 + rep));

        int shared_value = 1;
        auto launch = [&shared_value, rep] {
#pragma omp target map(tofrom : shared_value) nowait
            shared_value += rep;
#pragma omp taskwait
        };
        launch();
        std::function<void()> indirect = launch;
        indirect();
        CHECK_EQ(shared_value, 1 + 2 * rep);

        int x = 1, y = 2;
        through_reference(x, y);
        CHECK_EQ(x, 3);
    }
    return 0;
}
