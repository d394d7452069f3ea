// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Captures of C++: objects with copy constructors, arrays of them, references, lambdas, this, templates.
//
// RUN: %clangxx %offload %use_plugin -std=c++17 -O2 -c -Rpass=nowait -o %t.o %s 2>&1 | %FileCheck %s
// RUN: %host_ir -std=c++17 %s | %FileCheck %s --check-prefix=LAMBDA

struct Object {
  int values[3];
  Object();
  Object(const Object &);
  ~Object();
};

// CHECK: :[[#@LINE+3]]:1: remark: target region {{.*}}, 2 captured from the task
void objects(int *out) {
  Object one, several[2];
#pragma omp target nowait map(from : out[0 : 1]) firstprivate(one, several)
  out[0] = one.values[0] + several[1].values[1];
}

// CHECK: :[[#@LINE+3]]:1: remark: target region {{.*}}, 2 captured from the task
void references(int *out, Object &object, int (&array)[4]) {
  Object &again = object;
#pragma omp target nowait map(from : out[0 : 1]) firstprivate(again, array)
  out[0] = again.values[0] + array[1];
}

// CHECK: :[[#@LINE+6]]:1: remark: target region {{.*}}, 2 captured from the task
struct Class {
  int factor;
  void start(int *out) {
    int local[4] = {1, 2, 3, factor};
    auto lambda = [=](int i) { return factor * local[i]; };
#pragma omp target nowait map(from : out[0 : 1]) firstprivate(local)
    out[0] = lambda(1) + local[0] + factor;
  }
};
void classes(int *out) { Class{2}.start(out); }

// CHECK-COUNT-2: :[[#@LINE+3]]:1: remark: target region {{.*}}, 1 captured from the task
template <typename T, int N> void generic(T *out) {
  T local[N] = {};
#pragma omp target nowait map(from : out[0 : 1]) firstprivate(local) depend(out : out[0])
  out[0] = local[N - 1];
}
template void generic<float, 3>(float *);
template void generic<long, 5>(long *);

// A lambda's own pointer is an entry that is a member of the lambda's: its base moves along with the lambda.
// LAMBDA: %[[DELTA:nowait.delta[0-9]*]] = sub
// LAMBDA: store ptr %{{.*}}, ptr %[[ENTRY:nowait.entry[0-9]*]]
// LAMBDA: %[[MOVED:nowait.moved[0-9]*]] = getelementptr i8, ptr %{{.*}}, i64 %[[DELTA]]
// LAMBDA: %[[MEMBER:nowait.entry[0-9]*]] = getelementptr inbounds ptr, ptr %nowait.bases
// LAMBDA: %[[OLD:nowait.place[0-9]*]] = load ptr, ptr %[[MEMBER]]
// LAMBDA: %[[MOVED:nowait.moved[0-9]*]] = getelementptr i8, ptr %[[OLD]], i64 %[[DELTA]]
// LAMBDA: store ptr %[[MOVED]], ptr %[[MEMBER]]
