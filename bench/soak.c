/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A long run of one kind, which shows that memory, threads and descriptors don't grow: scripts/soak.sh.
 *
 * usage: soak regions N | flight N | threads N | churn N
 *
 *   regions  N regions, some hundred in flight
 *   flight   N regions in flight at once, in chains and side by side, again and again
 *   threads  N regions by 64 threads that live, each waiting for its own
 *   churn    N threads one after the other, each with regions in flight when it ends
 *
 * Prints a line for each of SAMPLES equal parts of the run. The first quarter of them is for pools and tables to grow;
 * exit status 1 if anything has grown behind that.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAMPLES = 20, WARM = SAMPLES / 4, THREADS = 64, WINDOW = 256, WORDS = 64 };

/* What may still come behind the first quarter: pools that reach their size only when many regions happen to be in
 * flight, and the rest of the CPU devices' threads. What leaks does so by each region or thread. */
static const long most_kib = 8192, most_threads = 8;

static long words[THREADS][WORDS];

static long entries(const char *path)
{
    long n = 0;
    DIR *folder = opendir(path);
    if (!folder) {
        perror(path);
        exit(2);
    }
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        n += entry->d_name[0] != '.';
    closedir(folder);
    return n;
}

static long resident_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "VmRSS: %ld", &kib) == 1)
            break;
    }
    if (file)
        fclose(file);
    if (kib < 0) {
        fputs("soak: /proc/self/status has no VmRSS\n", stderr);
        exit(2);
    }
    return kib;
}

typedef struct sample {
    long kib, threads, descriptors;
} sample_t;

static sample_t take_sample(void)
{
    return (sample_t){
        .kib = resident_kib(), .threads = entries("/proc/self/task"), .descriptors = entries("/proc/self/fd")};
}

/* Writers and readers of each word in turn: of a word that is only read libomp remembers every reader. */
static void launch(long *own, long n)
{
    for (long i = 0; i < n; i++) {
        long *word = &own[i / 2 % WORDS];
        if (i % 2) {
#pragma omp target map(tofrom : word[0 : 1]) depend(inout : word[0]) nowait
            word[0]++;
        } else {
#pragma omp target map(to : word[0 : 1]) depend(in : word[0]) nowait
            (void)word;
        }
    }
}

static void regions(long n)
{
    for (; n > 0; n -= WINDOW) {
        launch(words[0], n < WINDOW ? n : WINDOW);
#pragma omp taskwait
    }
}

static void flight(long n)
{
    launch(words[0], n);
#pragma omp taskwait
}

static long of_each_thread;
static pthread_barrier_t begin, end;

static void *live_thread(void *own)
{
    for (;;) {
        pthread_barrier_wait(&begin);
        long n = of_each_thread;
        if (n < 0)
            return NULL;
        for (; n > 0; n -= WINDOW) {
            launch(own, n < WINDOW ? n : WINDOW);
#pragma omp taskwait
        }
        pthread_barrier_wait(&end);
    }
}

static pthread_t living[THREADS];

static void start_living(void)
{
    pthread_barrier_init(&begin, NULL, THREADS + 1);
    pthread_barrier_init(&end, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&living[i], NULL, live_thread, words[i]);
}

static void stop_living(void)
{
    of_each_thread = -1;
    pthread_barrier_wait(&begin);
    for (int i = 0; i < THREADS; i++)
        pthread_join(living[i], NULL);
}

static void threads(long n)
{
    of_each_thread = n / THREADS;
    pthread_barrier_wait(&begin);
    pthread_barrier_wait(&end);
}

static void *short_thread(void *own)
{
    launch(own, 8);
    return NULL;
}

static void churn(long n)
{
    for (long i = 0; i < n; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, short_thread, words[0]) != 0) {
            perror("soak: pthread_create");
            exit(2);
        }
        pthread_join(thread, NULL);
    }
}

static const struct kind {
    const char *name;
    void (*run)(long n);
} kinds[] = {{"regions", regions}, {"flight", flight}, {"threads", threads}, {"churn", churn}};

/* Whether the part of the run behind the first quarter has grown. */
static int has_grown(const sample_t samples[SAMPLES])
{
    sample_t warm = {0}, late = {0};
    for (int i = 0; i < SAMPLES; i++) {
        sample_t *most = i < WARM ? &warm : &late;
        most->kib = samples[i].kib > most->kib ? samples[i].kib : most->kib;
        most->threads = samples[i].threads > most->threads ? samples[i].threads : most->threads;
        most->descriptors = samples[i].descriptors > most->descriptors ? samples[i].descriptors : most->descriptors;
    }
    printf("grown by: %ld KiB, %ld threads, %ld descriptors\n", late.kib - warm.kib, late.threads - warm.threads,
           late.descriptors - warm.descriptors);
    return late.kib - warm.kib > most_kib || late.threads - warm.threads > most_threads ||
           late.descriptors > warm.descriptors;
}

int main(int argc, char **argv)
{
    const struct kind *kind = NULL;
    sample_t samples[SAMPLES];
    for (size_t i = 0; argc == 3 && i < sizeof kinds / sizeof kinds[0]; i++)
        kind = strcmp(argv[1], kinds[i].name) == 0 ? &kinds[i] : kind;
    long n = kind ? strtol(argv[2], NULL, 10) : 0;
    if (n < SAMPLES) {
        fprintf(stderr, "usage: soak regions|flight|threads|churn N, N at least %d\n", SAMPLES);
        return 2;
    }
    if (kind->run == threads)
        start_living();
    /* Flight: so many at once each time. */
    long part = kind->run == flight ? n : n / SAMPLES;
    for (int i = 0; i < SAMPLES; i++) {
        kind->run(part);
        samples[i] = take_sample();
        printf("%-8s %3d %%  %8ld KiB  %4ld threads  %4ld descriptors\n", kind->name, (i + 1) * 100 / SAMPLES,
               samples[i].kib, samples[i].threads, samples[i].descriptors);
        fflush(stdout);
    }
    if (kind->run == threads)
        stop_living();
    return has_grown(samples);
}
