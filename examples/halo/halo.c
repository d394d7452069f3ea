/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Heat in a plate whose rows are shared out among MPI ranks. In every step a rank computes its outermost rows first,
 * copies them from the device, exchanges them with its neighbours and copies what comes in to the device; meanwhile the
 * device computes the rows in between. Nothing here waits inside a step: regions, copies and messages are tasks that
 * name what they need (depend), and the task of a message is a detached one that is over when MPI says so.
 *
 *     halo [--rows N] [--columns N] [--steps N]
 *
 * Rank 0 computes the whole plate on the host, too, and compares (limit: 1e-12 of the highest temperature).
 */
#include <getopt.h>
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../common/option.h"

/* --- messages as detached tasks --------------------------------------------------------------------------------- */

enum { MAX_PENDING = 64 };

/* An exchange under way: what MPI knows of it, and the event that ends its task. */
struct exchange {
    MPI_Request requests[2];
    omp_event_handle_t event;
    bool busy;
};

static struct exchange pending[MAX_PENDING];
/* Guards the table; and only its holder calls MPI (MPI_THREAD_SERIALIZED). */
static pthread_mutex_t mpi_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool all_done;

static void begin_exchange(double *send, double *receive, int count, int neighbour, omp_event_handle_t event)
{
    struct exchange *free_one = NULL;
    while (free_one == NULL) {
        pthread_mutex_lock(&mpi_lock);
        for (int i = 0; i < MAX_PENDING && free_one == NULL; i++)
            if (!pending[i].busy)
                free_one = &pending[i];
        if (free_one != NULL) {
            MPI_Irecv(receive, count, MPI_DOUBLE, neighbour, 0, MPI_COMM_WORLD, &free_one->requests[0]);
            MPI_Isend(send, count, MPI_DOUBLE, neighbour, 0, MPI_COMM_WORLD, &free_one->requests[1]);
            free_one->event = event;
            free_one->busy = true;
        }
        pthread_mutex_unlock(&mpi_lock);
    }
}

/* Looks after the exchanges under way; ends the task of each that is over. An event may be fulfilled by any thread. */
static void *progress(void *unused)
{
    (void)unused;
    while (!atomic_load(&all_done)) {
        for (int i = 0; i < MAX_PENDING; i++) {
            int over = 0;
            omp_event_handle_t event = 0;
            pthread_mutex_lock(&mpi_lock);
            if (pending[i].busy)
                MPI_Testall(2, pending[i].requests, &over, MPI_STATUSES_IGNORE);
            if (over) {
                event = pending[i].event;
                pending[i].busy = false;
            }
            pthread_mutex_unlock(&mpi_lock);
            if (over)
                omp_fulfill_event(event);
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
    return NULL;
}

/* --- one rank's part of the plate --------------------------------------------------------------------------------- */

/* Rows 1 to rows are the rank's own; rows 0 and rows + 1 are the neighbours', or the plate's border. */
struct plate {
    double *heat[2]; /* two states, which take turns */
    int rows, columns;
};

/* What tasks name in their dependences: each stands for a row or rows in one of the states. */
struct names {
    char above[2], first[2], inner[2], last[2], below[2]; /* on the device */
    char first_sent[2], last_sent[2], above_come[2], below_come[2]; /* on the host */
};

static double initial(int row, int column)
{
    return (row * 31 + column * 17) % 101;
}

static void set_up(struct plate *plate, int rows, int columns, int first_row)
{
    plate->rows = rows;
    plate->columns = columns;
    for (int state = 0; state < 2; state++) {
        plate->heat[state] = malloc(sizeof(double) * (size_t)(rows + 2) * (size_t)columns);
        if (plate->heat[state] == NULL)
            MPI_Abort(MPI_COMM_WORLD, 1);
        for (int row = 0; row < rows + 2; row++)
            for (int column = 0; column < columns; column++)
                plate->heat[state][row * columns + column] = initial(first_row + row, column);
    }
}

#pragma omp begin declare target
static double next(const double *at, int columns)
{
    return at[0] + 0.1 * (at[-columns] + at[columns] + at[-1] + at[1] - 4 * at[0]);
}
#pragma omp end declare target

/* Rows from to to of the next state, after what a, b and c name; makes what `made` names. */
static void sweep(double *old, double *new, int size, int columns, int from, int to, char *a, char *b, char *c,
                  char *made)
{
#pragma omp target teams distribute parallel for map(alloc : old[0 : size], new[0 : size]) nowait \
    depend(in : *a, *b, *c) depend(out : *made)
    for (int row = from; row <= to; row++)
        for (int column = 1; column < columns - 1; column++)
            new[row * columns + column] = next(&old[row * columns + column], columns);
}

/* Row `mine` goes to the neighbour, the neighbour's comes as row `theirs`. */
static void exchange(double *heat, int columns, int mine, int theirs, int neighbour, char *made, char *sent, char *come,
                     char *arrived)
{
    double *send = heat + mine * columns, *receive = heat + theirs * columns;
    omp_event_handle_t event = 0;
#pragma omp target update from(send[0 : columns]) nowait depend(in : *made) depend(out : *sent)
#pragma omp task detach(event) depend(in : *sent) depend(out : *come) firstprivate(send, receive, columns, neighbour)
    begin_exchange(send, receive, columns, neighbour, event);
#pragma omp target update to(receive[0 : columns]) nowait depend(in : *come) depend(out : *arrived)
}

static void run(struct plate *plate, int steps, int rank, int ranks)
{
    static struct names n;
    int rows = plate->rows, columns = plate->columns, size = (rows + 2) * columns;
    double *heat0 = plate->heat[0], *heat1 = plate->heat[1];
#pragma omp target enter data map(to : heat0[0 : size], heat1[0 : size])
    for (int step = 0; step < steps; step++) {
        int o = step % 2, w = 1 - o;
        double *old = plate->heat[o], *new = plate->heat[w];
        sweep(old, new, size, columns, 1, 1, &n.above[o], &n.first[o], &n.inner[o], &n.first[w]);
        sweep(old, new, size, columns, rows, rows, &n.inner[o], &n.last[o], &n.below[o], &n.last[w]);
        if (rank > 0)
            exchange(new, columns, 1, 0, rank - 1, &n.first[w], &n.first_sent[w], &n.above_come[w], &n.above[w]);
        if (rank < ranks - 1)
            exchange(new, columns, rows, rows + 1, rank + 1, &n.last[w], &n.last_sent[w], &n.below_come[w],
                     &n.below[w]);
        sweep(old, new, size, columns, 2, rows - 1, &n.first[o], &n.inner[o], &n.last[o], &n.inner[w]);
    }
#pragma omp taskwait
#pragma omp target exit data map(from : heat0[0 : size], heat1[0 : size])
}

/* --- the check ---------------------------------------------------------------------------------------------------- */

static void run_on_host(struct plate *plate, int steps)
{
    for (int step = 0; step < steps; step++) {
        double *old = plate->heat[step % 2], *new = plate->heat[1 - step % 2];
        for (int row = 1; row <= plate->rows; row++)
            for (int column = 1; column < plate->columns - 1; column++)
                new[row * plate->columns + column] = next(&old[row * plate->columns + column], plate->columns);
    }
}

/* Collects all ranks' rows on rank 0 and compares. Returns the number of cells that differ, on rank 0. */
static long differences(const struct plate *mine, int all_rows, int steps, int rank, int ranks)
{
    int columns = mine->columns;
    int *counts = calloc((size_t)ranks, sizeof *counts), *at = calloc((size_t)ranks, sizeof *at);
    double *all = rank == 0 ? malloc(sizeof(double) * (size_t)all_rows * (size_t)columns) : NULL;
    for (int r = 0, first = 0; r < ranks; r++) {
        int rows = all_rows / ranks + (r < all_rows % ranks);
        counts[r] = rows * columns;
        at[r] = first * columns;
        first += rows;
    }
    MPI_Gatherv(mine->heat[steps % 2] + columns, counts[rank], MPI_DOUBLE, all, counts, at, MPI_DOUBLE, 0,
                MPI_COMM_WORLD);
    long wrong = 0;
    if (rank == 0) {
        struct plate whole;
        set_up(&whole, all_rows, columns, 0);
        run_on_host(&whole, steps);
        const double *right = whole.heat[steps % 2] + columns;
        for (long i = 0; i < (long)all_rows * columns; i++)
            wrong += !(all[i] - right[i] <= 1e-10 && right[i] - all[i] <= 1e-10);
        free(whole.heat[0]);
        free(whole.heat[1]);
    }
    free(all);
    free(counts);
    free(at);
    return wrong;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"rows", required_argument, NULL, 'r'},
                                            {"columns", required_argument, NULL, 'c'},
                                            {"steps", required_argument, NULL, 's'},
                                            {NULL, 0, NULL, 0}};
    size_t all_rows = 256, columns = 256, steps = 50;
    int provided, rank, ranks;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (option) {
        case 'r':
            all_rows = option_count("rows", optarg, 3, 16384);
            break;
        case 'c':
            columns = option_count("columns", optarg, 3, 16384);
            break;
        case 's':
            steps = option_count("steps", optarg, 1, 100000);
            break;
        default:
            fputs("usage: halo [--rows N] [--columns N] [--steps N]\n", stderr);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
    int rows = (int)all_rows / ranks + (rank < (int)all_rows % ranks);
    if (provided < MPI_THREAD_SERIALIZED || (int)all_rows / ranks < 3) {
        fputs("halo: MPI without threads, or fewer than 3 rows for a rank\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int first_row = rank * ((int)all_rows / ranks) + (rank < (int)all_rows % ranks ? rank : (int)all_rows % ranks);

    struct plate plate;
    pthread_t thread;
    set_up(&plate, rows, (int)columns, first_row);
    if (pthread_create(&thread, NULL, progress, NULL) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    double start = omp_get_wtime();
    run(&plate, (int)steps, rank, ranks);
    double seconds = omp_get_wtime() - start;
    atomic_store(&all_done, true);
    pthread_join(thread, NULL);

    long wrong = differences(&plate, (int)all_rows, (int)steps, rank, ranks);
    if (rank == 0) {
        printf("plate:      %zu by %zu, %zu steps, %d ranks\n", all_rows, columns, steps, ranks);
        printf("check:      %s, %ld cells differ from the host's\n", wrong == 0 ? "ok" : "WRONG", wrong);
        printf("wall time:  %.3f s\n", seconds);
    }
    MPI_Bcast(&wrong, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    free(plate.heat[0]);
    free(plate.heat[1]);
    MPI_Finalize();
    return wrong != 0;
}
