/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Layout: a head ("[" and one line about the run), pieces, and a tail (one line and "]"). A piece belongs to one thread
 * and is blank where it has nothing written. To make the file longer the new part is filled with blanks, ended by a
 * tail, and only then is the old tail blanked. The whole range that the file may grow to is mapped at the beginning.
 */
#include "support/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/clock.h"
#include "support/log.h"
#include "support/settings.h"
#include "support/trace.h"
#include "support/trace_text.h"

#define HEAD_SIZE 512u
#define PIECE_SIZE 16384u
#define GROWTH ((size_t)256 << 10)
#define LONGEST_WAIT_NS 100000000

_Atomic bool nw_trace_is_on;

/* Threads that are adding an event, spread over words of their own. */
#define N_CELLS 128u

typedef struct cell {
    _Alignas(64) _Atomic uint32_t adding;
} cell_t;

static struct {
    char *bytes;
    size_t limit;         /* bytes that are mapped */
    _Atomic size_t next;  /* where the next piece begins */
    _Atomic size_t size;  /* of the file */
    pthread_mutex_t lock; /* for growing and closing */
    int descriptor;
    int32_t process;
    int64_t origin;
    size_t tail_length;
    char tail[HEAD_SIZE];
    _Atomic uint32_t n_threads;
    cell_t cells[N_CELLS];
} file = {.lock = PTHREAD_MUTEX_INITIALIZER, .descriptor = -1};

static _Thread_local struct {
    char *at, *end; /* its piece */
    cell_t *cell;
} self __attribute__((tls_model("initial-exec")));

int32_t nw_trace_file_process(void)
{
    return file.process;
}

int64_t nw_trace_file_origin(void)
{
    return file.origin;
}

static void give_up(const char *why)
{
    if (atomic_exchange(&nw_trace_is_on, false))
        nw_log(NW_LOG_WARNING, "the trace %s ends here: %s", nw_settings.trace, why);
}

/* Makes the file longer; the caller holds the lock. Returns 0 or an error number. */
static int grow(void)
{
    size_t size = atomic_load_explicit(&file.size, memory_order_relaxed), grown = size + GROWTH;
    if (grown > file.limit)
        return EFBIG;
    /* With room on the disk behind it, writing to the mapping can't fail. */
    int error = posix_fallocate(file.descriptor, (off_t)size, (off_t)GROWTH);
    if (error)
        return error;
    memset(file.bytes + size, ' ', GROWTH - file.tail_length);
    memcpy(file.bytes + grown - file.tail_length, file.tail, file.tail_length);
    if (size > 0)
        memset(file.bytes + size - file.tail_length, ' ', file.tail_length);
    /* Release: who sees the size sees the blanks. */
    atomic_store_explicit(&file.size, grown, memory_order_release);
    return 0;
}

static bool has_room(size_t end)
{
    return end + file.tail_length <= atomic_load_explicit(&file.size, memory_order_acquire);
}

/* Gives the calling thread a new piece. */
static bool take_piece(void)
{
    size_t begin = atomic_fetch_add_explicit(&file.next, PIECE_SIZE, memory_order_relaxed);
    int error = 0;
    if (NW_UNLIKELY(!has_room(begin + PIECE_SIZE))) {
        pthread_mutex_lock(&file.lock);
        while (!error && !has_room(begin + PIECE_SIZE))
            error = grow();
        pthread_mutex_unlock(&file.lock);
    }
    if (NW_UNLIKELY(error != 0)) {
        give_up(error == EFBIG ? "it has reached NOWAIT_TRACE_LIMIT" : strerror(error));
        return false;
    }
    self.at = file.bytes + begin;
    self.end = self.at + PIECE_SIZE;
    return true;
}

void nw_trace_file_add(const char *text, size_t length)
{
    if (NW_UNLIKELY(!self.cell))
        self.cell = &file.cells[atomic_fetch_add_explicit(&file.n_threads, 1, memory_order_relaxed) % N_CELLS];
    /* Sequentially consistent, like the store and the loads of who ends the trace: either that one waits for this
     * event, or this sees that it comes too late. */
    atomic_fetch_add(&self.cell->adding, 1);
    if (NW_LIKELY(atomic_load(&nw_trace_is_on)) && ((size_t)(self.end - self.at) >= length || take_piece())) {
        memcpy(self.at, text, length);
        self.at += length;
    }
    atomic_fetch_sub_explicit(&self.cell->adding, 1, memory_order_release);
}

/* The path, in which %p stands for the process's number. */
static bool make_path(char *path, size_t size)
{
    const char *mark = strstr(nw_settings.trace, "%p");
    int used = mark ? snprintf(path, size, "%.*s%d%s", (int)(mark - nw_settings.trace), nw_settings.trace,
                               file.process, mark + 2)
                    : snprintf(path, size, "%s", nw_settings.trace);
    return used > 0 && (size_t)used < size;
}

static void make_head(nw_trace_text_t *head)
{
    nw_trace_text_words(head, "[\n{\"name\":\"nowait_trace\",\"ph\":\"M\",\"pid\":");
    nw_trace_text_number(head, (uint64_t)file.process);
    nw_trace_text_words(head, ",\"tid\":0,\"args\":{\"version\":1,\"monotonic_ns\":");
    nw_trace_text_number(head, (uint64_t)file.origin);
    nw_trace_text_words(head, "}},\n");
}

static void make_tail(nw_trace_text_t *tail)
{
    const char *name = program_invocation_short_name;
    nw_trace_text_words(tail, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":");
    nw_trace_text_number(tail, (uint64_t)file.process);
    nw_trace_text_words(tail, ",\"tid\":0,\"args\":{\"name\":\"");
    nw_trace_text_name(tail, name, strlen(name), NW_TRACE_LONGEST_NAME);
    nw_trace_text_words(tail, "\"}}\n]\n");
}

static int open_file(void)
{
    char path[4096];
    if (!make_path(path, sizeof path))
        return ENAMETOOLONG;
    file.descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file.descriptor < 0)
        return errno;
    file.limit = (size_t)nw_settings.trace_limit << 20;
    file.bytes = mmap(NULL, file.limit, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0);
    if (file.bytes == MAP_FAILED)
        return errno;
    nw_trace_text_t head = {0}, tail = {0};
    make_head(&head);
    make_tail(&tail);
    memcpy(file.tail, tail.bytes, tail.used);
    file.tail_length = tail.used;
    int error = grow();
    if (!error)
        memcpy(file.bytes, head.bytes, head.used);
    atomic_store(&file.next, HEAD_SIZE);
    return error;
}

bool nw_trace_file_open(void)
{
    if (!*nw_settings.trace)
        return false;
    file.process = (int32_t)getpid();
    file.origin = nw_clock_ns();
    int error = open_file();
    if (!error)
        return true;
    nw_log(NW_LOG_WARNING, "NOWAIT_TRACE=%s: %s; nothing is traced", nw_settings.trace, strerror(error));
    if (file.descriptor >= 0)
        close(file.descriptor);
    file.descriptor = -1;
    return false;
}

static void wait_for_others(void)
{
    int64_t deadline = nw_clock_ns() + LONGEST_WAIT_NS;
    for (unsigned i = 0; i < N_CELLS; i++) {
        while (atomic_load(&file.cells[i].adding) > 0 && nw_clock_ns() < deadline)
            nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
}

void nw_trace_file_close(void)
{
    wait_for_others();
    pthread_mutex_lock(&file.lock);
    if (file.descriptor >= 0) {
        size_t used = atomic_load(&file.next), size = atomic_load(&file.size);
        if (used > size - file.tail_length)
            used = size - file.tail_length;
        memcpy(file.bytes + used, file.tail, file.tail_length);
        /* The mapping stays: pages before the end may still be written by a thread that could not be waited for. */
        if (ftruncate(file.descriptor, (off_t)(used + file.tail_length)) != 0)
            nw_log(NW_LOG_WARNING, "NOWAIT_TRACE=%s: %s", nw_settings.trace, strerror(errno));
        close(file.descriptor);
        file.descriptor = -1;
    }
    pthread_mutex_unlock(&file.lock);
}

void nw_trace_file_forget(void)
{
    /* The lock may have been held by a thread that the child does not have. */
    if (file.descriptor >= 0)
        close(file.descriptor);
    file.descriptor = -1;
    pthread_mutex_init(&file.lock, NULL);
    for (unsigned i = 0; i < N_CELLS; i++)
        atomic_store(&file.cells[i].adding, 0);
}
