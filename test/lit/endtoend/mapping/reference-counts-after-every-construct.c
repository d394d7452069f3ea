// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each kind of construct and each map type does to the reference counts (OpenMP 5.2, 5.8.3, and the ompx_hold
// extension), read from the tables that ompx_dump_mapping_tables prints. Constructs are tried with nowait and without;
// mapping-that-is-ending-counts-as-ended.c has what is in flight.
//
// RUN: %cc-both
// RUN: %run-both
// REQUIRES: device-host
#include "check.h"

void ompx_dump_mapping_tables(void);

enum { N = 64, GONE = -1, FOREVER = -2 };

/* --- what the tables say ------------------------------------------------------------------------------------------ */

typedef struct counts {
    long size, dynamic, hold; /* size GONE: not in the table */
} counts_t;

static long read_count(const char *word)
{
    return strcmp(word, "INF") == 0 ? FOREVER : strtol(word, NULL, 10);
}

/* The row that begins at an address, of what is printed into a file that stands in for the standard output. */
static counts_t counts_of(const void *host)
{
    counts_t found = {GONE, GONE, GONE};
    char line[512], dynamic[32], hold[32];
    FILE *file = tmpfile();
    CHECK(file != NULL);
    fflush(stdout);
    int kept = dup(1);
    CHECK(kept >= 0 && dup2(fileno(file), 1) == 1);
    ompx_dump_mapping_tables();
    fflush(stdout);
    CHECK(dup2(kept, 1) == 1);
    close(kept);
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        unsigned long begin, device;
        long size;
        const char *row = strstr(line, "device 0 info: 0x");
        if (!row || sscanf(row, "device 0 info: %lx %lx %ld %31s %31s", &begin, &device, &size, dynamic, hold) != 5)
            continue;
        if (begin != (unsigned long)host)
            continue;
        CHECK(found.size == GONE);
        found = (counts_t){size, read_count(dynamic), read_count(hold)};
    }
    fclose(file);
    return found;
}

#define EXPECT(host, bytes, dynamic_count, held)                                                                       \
    do {                                                                                                               \
        counts_t now = counts_of(host);                                                                                \
        CHECK_EQ(now.size, (long)(bytes));                                                                             \
        CHECK_EQ(now.dynamic, (dynamic_count));                                                                        \
        CHECK_EQ(now.hold, (held));                                                                                    \
    } while (0)
#define EXPECT_GONE(host) CHECK_EQ(counts_of(host).size, GONE)

#define PRAGMA(text) _Pragma(#text)
/* A directive, at once and deferred; the counts are looked at in between. */
#define TWICE(text, check)                                                                                             \
    do {                                                                                                               \
        PRAGMA(omp target text)                                                                                        \
        check;                                                                                                         \
        PRAGMA(omp target text nowait)                                                                                 \
        PRAGMA(omp taskwait)                                                                                           \
    } while (0)
/* A region, at once and deferred. */
#define REGIONS(clauses, body)                                                                                         \
    do {                                                                                                               \
        PRAGMA(omp target clauses)                                                                                     \
        body;                                                                                                          \
        PRAGMA(omp target clauses nowait)                                                                              \
        body;                                                                                                          \
        PRAGMA(omp taskwait)                                                                                           \
    } while (0)

static int a[N], b[N];
static int *volatile host_a = a;

/* --- enter data, exit data ---------------------------------------------------------------------------------------- */

static void enter_and_exit(void)
{
    /* Each map type that enters counts one. */
    TWICE(enter data map(to : a), EXPECT(a, sizeof a, 1, 0));
    EXPECT(a, sizeof a, 2, 0);
    TWICE(enter data map(alloc : a), EXPECT(a, sizeof a, 3, 0));
    EXPECT(a, sizeof a, 4, 0);
    TWICE(enter data map(always, to : a), EXPECT(a, sizeof a, 5, 0));
    EXPECT(a, sizeof a, 6, 0);
    TWICE(enter data map(close, to : a), EXPECT(a, sizeof a, 7, 0));
    EXPECT(a, sizeof a, 8, 0);
    TWICE(enter data map(present, alloc : a), EXPECT(a, sizeof a, 9, 0));
    EXPECT(a, sizeof a, 10, 0);
    /* Each that exits takes one. */
    TWICE(exit data map(from : a), EXPECT(a, sizeof a, 9, 0));
    EXPECT(a, sizeof a, 8, 0);
    TWICE(exit data map(release : a), EXPECT(a, sizeof a, 7, 0));
    EXPECT(a, sizeof a, 6, 0);
    TWICE(exit data map(always, from : a), EXPECT(a, sizeof a, 5, 0));
    EXPECT(a, sizeof a, 4, 0);
    TWICE(exit data map(present, release : a), EXPECT(a, sizeof a, 3, 0));
    EXPECT(a, sizeof a, 2, 0);
    /* Delete takes all, whatever the count; what is gone is left alone. */
    TWICE(exit data map(delete : a), EXPECT_GONE(a));
    EXPECT_GONE(a);
    TWICE(exit data map(release : a), EXPECT_GONE(a));
    TWICE(exit data map(from : a), EXPECT_GONE(a));
    EXPECT_GONE(a);
    /* The last count that is released takes it out. */
#pragma omp target enter data map(to : a) nowait
#pragma omp taskwait
#pragma omp target exit data map(from : a) nowait
#pragma omp taskwait
    EXPECT_GONE(a);
}

/* Two of the same list item in one construct count as one entry each. */
static void several_items(void)
{
#pragma omp target enter data map(to : a) map(alloc : b)
    EXPECT(a, sizeof a, 1, 0);
    EXPECT(b, sizeof b, 1, 0);
#pragma omp target exit data map(from : a) map(release : b) nowait
#pragma omp taskwait
    EXPECT_GONE(a);
    EXPECT_GONE(b);
}

/* --- target, target data, target update --------------------------------------------------------------------------- */

static void regions(void)
{
    /* Of its own: there while it runs, gone afterwards. */
    REGIONS(map(tofrom : a), a[0]++);
    EXPECT_GONE(a);
#pragma omp target enter data map(to : a)
    REGIONS(map(tofrom : a), a[0]++);
    REGIONS(map(to : a), a[0]++);
    REGIONS(map(from : a), a[0]++);
    REGIONS(map(alloc : a), a[0]++);
    REGIONS(map(always, tofrom : a), a[0]++);
    REGIONS(map(present, tofrom : a), a[0]++);
    REGIONS(map(close, tofrom : a), a[0]++);
    REGIONS(firstprivate(a), a[0]++);
    REGIONS(private(a), a[0] = 0);
    EXPECT(a, sizeof a, 1, 0);
    /* Implicitly. */
#pragma omp target nowait
    a[1]++;
#pragma omp taskwait
    EXPECT(a, sizeof a, 1, 0);
    /* A part of what is present counts on all of it. */
    REGIONS(map(tofrom : a [8:8]), a[8]++);
    EXPECT(a, sizeof a, 1, 0);
#pragma omp target data map(tofrom : a [8:8])
    EXPECT(a, sizeof a, 2, 0);
    EXPECT(a, sizeof a, 1, 0);
    /* Updates count nothing. */
#pragma omp target update to(a) nowait
#pragma omp target update from(a [2:4])
#pragma omp target update to(a [0:8:2])
#pragma omp target update from(present : a) nowait
#pragma omp taskwait
#pragma omp target update to(b)
    EXPECT(a, sizeof a, 1, 0);
    EXPECT_GONE(b);
#pragma omp target exit data map(delete : a)
    /* One that is mapped implicitly counts on the part that is present. */
#pragma omp target enter data map(to : a [0:8])
#pragma omp target nowait
    a[1]++;
#pragma omp taskwait
    EXPECT(a, 8 * sizeof a[0], 1, 0);
#pragma omp target exit data map(from : a [0:8])
    EXPECT_GONE(a);
}

static void data_regions(void)
{
#pragma omp target data map(tofrom : a) map(alloc : b)
    {
        EXPECT(a, sizeof a, 1, 0);
#pragma omp target data map(to : a)
        {
            EXPECT(a, sizeof a, 2, 0);
#pragma omp target enter data map(to : a) nowait
#pragma omp taskwait
            EXPECT(a, sizeof a, 3, 0);
        }
        EXPECT(a, sizeof a, 2, 0);
        EXPECT(b, sizeof b, 1, 0);
    }
    EXPECT(a, sizeof a, 1, 0);
    EXPECT_GONE(b);
    /* Deleted inside: the end finds nothing, and nothing goes below zero. */
#pragma omp target data map(tofrom : a)
    {
        EXPECT(a, sizeof a, 2, 0);
#pragma omp target exit data map(delete : a)
        EXPECT_GONE(a);
    }
    EXPECT_GONE(a);
}

/* --- hold --------------------------------------------------------------------------------------------------------- */

static void held(void)
{
#pragma omp target data map(ompx_hold, tofrom : a)
    {
        EXPECT(a, sizeof a, 0, 1);
#pragma omp target enter data map(to : a)
        EXPECT(a, sizeof a, 1, 1);
#pragma omp target data map(ompx_hold, alloc : a)
        EXPECT(a, sizeof a, 1, 2);
#pragma omp target map(ompx_hold, tofrom : a) nowait
        a[0]++;
#pragma omp taskwait
        EXPECT(a, sizeof a, 1, 1);
        /* Neither release nor delete takes what is held. */
#pragma omp target exit data map(delete : a)
        EXPECT(a, sizeof a, 0, 1);
#pragma omp target exit data map(release : a) nowait
#pragma omp taskwait
        EXPECT(a, sizeof a, 0, 1);
    }
    EXPECT_GONE(a);
}

/* --- what stays --------------------------------------------------------------------------------------------------- */

#pragma omp begin declare target
int global[N]; /* clang makes no entry for one with internal linkage */
#pragma omp end declare target
int linked[N];
#pragma omp declare target link(linked)

static void declared(void)
{
#pragma omp target
    global[0]++;
    EXPECT(global, sizeof global, FOREVER, 0);
    TWICE(enter data map(to : global), EXPECT(global, sizeof global, FOREVER, 0));
    REGIONS(map(tofrom : global), global[0]++);
    TWICE(exit data map(release : global), EXPECT(global, sizeof global, FOREVER, 0));
    TWICE(exit data map(delete : global), EXPECT(global, sizeof global, FOREVER, 0));
    EXPECT(global, sizeof global, FOREVER, 0);
    /* Of a linked one only the pointer is there until it is mapped. */
    EXPECT_GONE(linked);
#pragma omp target map(tofrom : linked) nowait
    linked[0]++;
#pragma omp taskwait
    EXPECT_GONE(linked);
#pragma omp target enter data map(to : linked)
    EXPECT(linked, sizeof linked, 1, 0);
#pragma omp target
    linked[0]++;
    EXPECT(linked, sizeof linked, 1, 0);
#pragma omp target exit data map(from : linked)
    EXPECT_GONE(linked);
}

static void associated(void)
{
    int device = omp_get_default_device();
    void *there = omp_target_alloc(sizeof a, device);
    CHECK(there != NULL);
    CHECK_EQ(omp_target_associate_ptr(a, there, sizeof a, 0, device), 0);
    EXPECT(a, sizeof a, FOREVER, 0);
    TWICE(enter data map(to : a), EXPECT(a, sizeof a, FOREVER, 0));
    REGIONS(map(tofrom : a), a[0]++);
    TWICE(exit data map(delete : a), EXPECT(a, sizeof a, FOREVER, 0));
    EXPECT(a, sizeof a, FOREVER, 0);
#pragma omp target data map(ompx_hold, alloc : a)
    EXPECT(a, sizeof a, FOREVER, 1);
    EXPECT(a, sizeof a, FOREVER, 0);
    CHECK_EQ(omp_target_disassociate_ptr(a, device), 0);
    EXPECT_GONE(a);
    omp_target_free(there, device);
}

/* --- addresses ---------------------------------------------------------------------------------------------------- */

static void device_addresses(void)
{
    int *p = a;
#pragma omp target enter data map(to : a)
    /* They ask: nothing has changed afterwards, whatever the compiler counts on inside. */
#pragma omp target data use_device_ptr(p)
    CHECK(p != a);
    EXPECT(a, sizeof a, 1, 0);
#pragma omp target data use_device_addr(a)
    CHECK(a != host_a);
    EXPECT(a, sizeof a, 1, 0);
#pragma omp target data map(tofrom : a) use_device_addr(a)
    EXPECT(host_a, sizeof a, 2, 0);
#pragma omp target data map(tofrom : p[0:N]) use_device_ptr(p)
    EXPECT(a, sizeof a, 2, 0);
    EXPECT(a, sizeof a, 1, 0);
    /* A pointer without a section is one of length zero: it counts while the region runs, and makes nothing. */
#pragma omp target nowait
    p[0]++;
#pragma omp taskwait
    EXPECT(a, sizeof a, 1, 0);
#pragma omp target enter data map(alloc : p[0:0])
    EXPECT(a, sizeof a, 2, 0);
#pragma omp target exit data map(release : p[0:0]) nowait
#pragma omp taskwait
    EXPECT(a, sizeof a, 1, 0);
#pragma omp target exit data map(delete : p[0:0])
    EXPECT_GONE(a);
#pragma omp target enter data map(to : p[0:0])
#pragma omp target map(tofrom : p[0:0]) nowait
    (void)p;
#pragma omp taskwait
    EXPECT_GONE(a);
}

/* --- structures --------------------------------------------------------------------------------------------------- */

typedef struct node {
    int first, second;
    int *data;
    int last;
} node_t;

static void members(void)
{
    node_t s = {.data = a};
    /* Members of one construct are one piece of the structure. */
#pragma omp target enter data map(to : s.first, s.second)
    EXPECT(&s.first, 2 * sizeof(int), 1, 0);
#pragma omp target map(tofrom : s.second) nowait
    s.second++;
#pragma omp taskwait
    EXPECT(&s.first, 2 * sizeof(int), 1, 0);
#pragma omp target data map(tofrom : s.first, s.second)
    EXPECT(&s.first, 2 * sizeof(int), 2, 0);
#pragma omp target exit data map(from : s.first)
    EXPECT_GONE(&s.first);
#pragma omp target enter data map(to : s)
#pragma omp target map(tofrom : s.first, s.last) nowait
    s.last++;
#pragma omp taskwait
    EXPECT(&s, sizeof s, 1, 0);
#pragma omp target exit data map(delete : s)
    EXPECT_GONE(&s);
}

/* What a member points at has counts of its own. Clang before 22 maps, with it, the member, which counts the structure
 * or makes the pointer present; after that the pointer is only attached. */
static void pointees(void)
{
    node_t s = {.data = a};
    int more = __clang_major__ < 22;
#pragma omp target enter data map(to : s)
    EXPECT(&s, sizeof s, 1, 0);
#pragma omp target enter data map(to : s.data[0:N]) nowait
#pragma omp taskwait
    EXPECT(&s, sizeof s, 1 + more, 0);
    EXPECT(a, sizeof a, 1, 0);
#pragma omp target map(tofrom : s.data[0:N]) nowait
    s.data[0]++;
#pragma omp taskwait
    EXPECT(&s, sizeof s, 1 + more, 0);
    EXPECT(a, sizeof a, 1, 0);
#pragma omp target data map(tofrom : s.data[0:N])
    {
        EXPECT(&s, sizeof s, 1 + 2 * more, 0);
        EXPECT(a, sizeof a, 2, 0);
    }
#pragma omp target exit data map(release : s.data[0:N]) nowait
#pragma omp taskwait
    EXPECT(&s, sizeof s, 1, 0);
    EXPECT_GONE(a);
    /* Both in one construct. */
#pragma omp target enter data map(to : s, s.data[0:N])
    EXPECT(&s, sizeof s, 2, 0);
    EXPECT(a, sizeof a, 1, 0);
#pragma omp target exit data map(release : s, s.data[0:N])
    EXPECT(&s, sizeof s, 1, 0);
    EXPECT_GONE(a);
#pragma omp target exit data map(from : s)
    EXPECT_GONE(&s);
}

/* A pointer that is itself mapped; as above. */
static void pointer_and_object(void)
{
    static int *p;
    int more = __clang_major__ < 22;
    p = a;
#pragma omp target enter data map(to : p)
#pragma omp target enter data map(to : p[0:N])
    EXPECT(&p, sizeof p, 1 + more, 0);
    EXPECT(a, sizeof a, 1, 0);
#pragma omp target map(tofrom : p[0:N]) nowait
    p[0]++;
#pragma omp taskwait
    EXPECT(&p, sizeof p, 1 + more, 0);
    EXPECT(a, sizeof a, 1, 0);
#pragma omp target exit data map(release : p[0:N])
    EXPECT(&p, sizeof p, 1, 0);
    EXPECT_GONE(a);
#pragma omp target exit data map(release : p)
    EXPECT_GONE(&p);
}

#pragma omp declare mapper(whole : node_t v) map(tofrom : v, v.data[0:N])

static void mappers(void)
{
    node_t s = {.data = a};
#pragma omp target enter data map(mapper(whole), to : s)
    EXPECT(&s, sizeof s, 1, 0);
    EXPECT(a, sizeof a, 1, 0);
#pragma omp target map(mapper(whole), tofrom : s) nowait
    s.data[0]++;
#pragma omp taskwait
    EXPECT(&s, sizeof s, 1, 0);
    EXPECT(a, sizeof a, 1, 0);
#pragma omp target data map(mapper(whole), tofrom : s)
    {
        EXPECT(&s, sizeof s, 2, 0);
        EXPECT(a, sizeof a, 2, 0);
    }
#pragma omp target update to(mapper(whole) : s)
    EXPECT(&s, sizeof s, 1, 0);
    EXPECT(a, sizeof a, 1, 0);
#pragma omp target exit data map(mapper(whole), from : s) nowait
#pragma omp taskwait
    EXPECT_GONE(&s);
    EXPECT_GONE(a);
}

int main(void)
{
    watchdog(60);
    enter_and_exit();
    several_items();
    regions();
    data_regions();
    held();
    declared();
    associated();
    device_addresses();
    members();
    pointees();
    pointer_and_object();
    mappers();
    printf("done\n");
    return 0;
}
