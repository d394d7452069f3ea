/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Each thread puts its events into a buffer of its own, and appends that to the file when it is full, or when the
 * thread ends. Every append writes the end of the array behind it, over which the next one writes. What is still in
 * buffers when the program ends, be it by a signal, is appended then.
 */
#include "support/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "support/clock.h"
#include "support/log.h"
#include "support/settings.h"
#include "support/trace.h"
#include "support/trace_text.h"

#define LONGEST_WAIT_NS 1000000000

_Atomic bool nw_trace_is_on;

typedef struct buffer {
    struct buffer *next; /* of all; they are never freed */
    _Atomic bool owned;  /* by a thread that lives */
    _Atomic bool adding; /* its thread is adding an event, or appending the buffer to the file */
    size_t used;
    /* With a quarter of this, the system's part of an event's time is twice as long. */
    char bytes[65536 - 32];
} buffer_t;

static struct {
    pthread_mutex_t lock; /* for the file and what follows */
    int descriptor;
    size_t size, limit; /* of the file without its tail; bytes */
    int32_t process;
    int64_t origin;
    size_t tail_length;
    char tail[512];
    pthread_key_t key; /* tells that a thread ends */
    _Atomic(buffer_t *) buffers;
} file = {.lock = PTHREAD_MUTEX_INITIALIZER, .descriptor = -1};

static _Thread_local buffer_t *own;

int32_t nw_trace_file_process(void)
{
    return file.process;
}

int64_t nw_trace_file_origin(void)
{
    return file.origin;
}

/* Whether the process may make the file so long: a write past that limit would end the process (SIGXFSZ). */
static bool process_may_write(size_t size)
{
    struct rlimit most;
    return getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur == RLIM_INFINITY || size <= most.rlim_cur;
}

/* Appends to the file; the caller holds the lock. Returns NULL, or why it has failed. */
static const char *append(const char *bytes, size_t length)
{
    if (file.size + length + file.tail_length > file.limit)
        return "it has reached NOWAIT_TRACE_LIMIT";
    if (!process_may_write(file.size + length + file.tail_length))
        return "it has reached the limit that the process has for files (ulimit -f)";
    const struct iovec parts[] = {{(void *)(uintptr_t)bytes, length}, {file.tail, file.tail_length}};
    ssize_t written = pwritev(file.descriptor, parts, 2, (off_t)file.size);
    if (written == (ssize_t)(length + file.tail_length)) {
        file.size += length;
        return NULL;
    }
    int error = written < 0 ? errno : ENOSPC;
    /* What stands there is cut; the end of the array goes back to where it was. */
    if (written > 0 && pwrite(file.descriptor, file.tail, file.tail_length, (off_t)file.size) > 0)
        (void)!ftruncate(file.descriptor, (off_t)(file.size + file.tail_length));
    return strerror(error);
}

/* Appends a buffer to the file and empties it. */
static void flush(buffer_t *buffer)
{
    pthread_mutex_lock(&file.lock);
    const char *error = file.descriptor >= 0 && buffer->used > 0 ? append(buffer->bytes, buffer->used) : NULL;
    pthread_mutex_unlock(&file.lock);
    buffer->used = 0;
    if (error && atomic_exchange(&nw_trace_is_on, false))
        nw_log(NW_LOG_WARNING, "the trace %s ends here: %s", nw_settings.trace, error);
}

/* Sequentially consistent, like what nw_trace_file_close does: either that one waits for this thread, or this thread
 * sees that it comes too late. */
static bool begin_adding(buffer_t *buffer)
{
    atomic_store(&buffer->adding, true);
    return atomic_load(&nw_trace_is_on);
}

static void end_adding(buffer_t *buffer)
{
    atomic_store_explicit(&buffer->adding, false, memory_order_release);
}

static void thread_ends(void *ending)
{
    buffer_t *buffer = ending;
    if (begin_adding(buffer))
        flush(buffer);
    end_adding(buffer);
    own = NULL;
    atomic_store_explicit(&buffer->owned, false, memory_order_release);
}

/* A buffer that nobody has any more, or a new one. */
static buffer_t *take_buffer(void)
{
    buffer_t *buffer = atomic_load_explicit(&file.buffers, memory_order_acquire);
    for (; buffer; buffer = buffer->next) {
        bool owned = false;
        if (atomic_compare_exchange_strong(&buffer->owned, &owned, true))
            break;
    }
    if (!buffer) {
        buffer = calloc(1, sizeof *buffer);
        if (!buffer)
            return NULL;
        atomic_store(&buffer->owned, true);
        buffer->next = atomic_load_explicit(&file.buffers, memory_order_relaxed);
        while (!atomic_compare_exchange_weak_explicit(&file.buffers, &buffer->next, buffer, memory_order_release,
                                                      memory_order_relaxed))
            ;
    }
    /* Without this a thread's last events come when the program ends. */
    (void)pthread_setspecific(file.key, buffer);
    return buffer;
}

void nw_trace_file_add(const char *text, size_t length)
{
    buffer_t *buffer = own;
    if (NW_UNLIKELY(!buffer)) {
        own = buffer = take_buffer();
        if (!buffer)
            return;
    }
    if (NW_LIKELY(begin_adding(buffer))) {
        if (NW_UNLIKELY(buffer->used + length > sizeof buffer->bytes))
            flush(buffer);
        memcpy(buffer->bytes + buffer->used, text, length);
        buffer->used += length;
    }
    end_adding(buffer);
}

/* The program dies of a signal that it does not handle itself: what the buffers hold is saved, then it dies. */
static void dies(int signal_number)
{
    nw_trace_end();
    /* This handler is gone by now. */
    raise(signal_number);
}

static void handle_signals(void)
{
    static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGINT};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction now;
        const struct sigaction ours = {.sa_handler = dies, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
        if (sigaction(signals[i], NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
            (void)sigaction(signals[i], &ours, NULL);
    }
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

/* What a file is that can't be a trace; NULL for a regular one. */
static const char *unfit(mode_t mode)
{
    return S_ISREG(mode)    ? NULL
           : S_ISLNK(mode)  ? "it is a symbolic link, and a trace is a regular file"
           : S_ISDIR(mode)  ? "it is a folder, and a trace is a regular file"
           : S_ISFIFO(mode) ? "it is a pipe, and a trace is a regular file"
           : S_ISSOCK(mode) ? "it is a socket, and a trace is a regular file"
                            : "it is a device, and a trace is a regular file";
}

/*
 * Opens a regular file, or makes one, and empties it. Returns NULL, or why it can't be had. Anything else is refused
 * before it is opened, because opening it may block (a pipe) or do something (a device); and once more when it is
 * open, if another process has put it there meanwhile. A link would let others choose which file is overwritten.
 */
static const char *open_regular(const char *path)
{
    struct stat found;
    if (lstat(path, &found) == 0 && unfit(found.st_mode))
        return unfit(found.st_mode);
    file.descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
    if (file.descriptor < 0 || fstat(file.descriptor, &found) != 0)
        return strerror(errno);
    if (unfit(found.st_mode))
        return unfit(found.st_mode);
    return ftruncate(file.descriptor, 0) == 0 ? NULL : strerror(errno);
}

/* Returns NULL, or why there is no trace. */
static const char *open_file(void)
{
    char path[4096];
    if (!make_path(path, sizeof path))
        return strerror(ENAMETOOLONG);
    int error = pthread_key_create(&file.key, thread_ends);
    if (error)
        return strerror(error);
    const char *why = open_regular(path);
    if (why)
        return why;
    file.limit = (size_t)nw_settings.trace_limit << 20;
    nw_trace_text_t head = {0}, tail = {0};
    make_head(&head);
    make_tail(&tail);
    memcpy(file.tail, tail.bytes, tail.used);
    file.tail_length = tail.used;
    return append(head.bytes, head.used);
}

bool nw_trace_file_open(void)
{
    if (!*nw_settings.trace)
        return false;
    file.process = (int32_t)getpid();
    file.origin = nw_clock_ns();
    const char *why = open_file();
    if (!why) {
        handle_signals();
        return true;
    }
    nw_log(NW_LOG_WARNING, "NOWAIT_TRACE=%s: %s; nothing is traced", nw_settings.trace, why);
    if (file.descriptor >= 0)
        close(file.descriptor);
    file.descriptor = -1;
    return false;
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

void nw_trace_file_close(void)
{
    int64_t deadline = nw_clock_ns() + LONGEST_WAIT_NS;
    int busy;
    /* Whoever holds the lock may be the thread that a signal has interrupted. */
    while ((busy = pthread_mutex_trylock(&file.lock)) != 0 && nw_clock_ns() < deadline)
        nap();
    if (busy)
        return;
    for (buffer_t *buffer = atomic_load(&file.buffers); buffer && file.descriptor >= 0; buffer = buffer->next) {
        pthread_mutex_unlock(&file.lock);
        /* The thread that a signal has interrupted does not go on; its buffer is whole up to `used`. */
        while (buffer != own && atomic_load(&buffer->adding) && nw_clock_ns() < deadline)
            nap();
        bool whole = buffer == own || !atomic_load(&buffer->adding);
        pthread_mutex_lock(&file.lock);
        if (whole && file.descriptor >= 0 && buffer->used > 0)
            (void)append(buffer->bytes, buffer->used);
        if (whole)
            buffer->used = 0;
    }
    if (file.descriptor >= 0)
        close(file.descriptor);
    file.descriptor = -1;
    pthread_mutex_unlock(&file.lock);
}

void nw_trace_file_forget(void)
{
    /* The lock may have been held by a thread that the child does not have. */
    if (file.descriptor >= 0)
        close(file.descriptor);
    file.descriptor = -1;
    pthread_mutex_init(&file.lock, NULL);
}
