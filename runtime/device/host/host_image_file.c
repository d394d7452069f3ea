/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/host/host_image_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/log.h"
#include "support/reason.h"
#include "support/settings.h"

/* Linux 6.3. The loader needs no permission to execute the file itself, and where a system forbids files in memory that
 * could have it (vm.memfd_noexec), those without are still there. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

static bool is_file_at(int descriptor, const char *path)
{
    struct stat here, there;
    return fstat(descriptor, &here) == 0 && stat(path, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

/* Returns a path of the process's open file; NULL if memory is out. */
static char *path_of(int descriptor)
{
    char *path = NULL;
    /* By the process's number, not as /proc/self: a debugger that opened that would find a file of its own, or wait for
     * its terminal. That is empty once the initial thread has ended, which others may outlive. */
    if (asprintf(&path, "/proc/%d/fd/%d", (int)getpid(), descriptor) < 0)
        return NULL;
    if (is_file_at(descriptor, path))
        return path;
    free(path);
    if (asprintf(&path, "/proc/%d/task/%ld/fd/%d", (int)getpid(), syscall(SYS_gettid), descriptor) < 0)
        return NULL;
    if (is_file_at(descriptor, path))
        return path;
    /* This /proc is of other numbers than the process's own. */
    free(path);
    return asprintf(&path, "/proc/thread-self/fd/%d", descriptor) < 0 ? NULL : path;
}

static nw_status_t open_in_memory(nw_host_image_file_t *file)
{
    const char *name = "nowait-image";
    file->descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    if (file->descriptor < 0 && errno == EINVAL)
        file->descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file->descriptor < 0) {
        nw_reason_set("no file in memory for a device image: %s", strerror(errno));
        return NW_ERR_SYSTEM;
    }
    file->path = path_of(file->descriptor);
    if (file->path)
        return NW_OK;
    close(file->descriptor);
    return NW_ERR_NO_MEMORY;
}

/* Each image has a file of its own, also if it is loaded twice: to the loader the same file is the same library. */
static bool open_in_folder(nw_host_image_file_t *file, const char *folder)
{
    static const char ending[] = ".so";
    char *whole = realpath(folder, NULL);
    int length = whole ? asprintf(&file->path, "%s/%s.%d.XXXXXX%s", whole, program_invocation_short_name,
                                  (int)getpid(), ending)
                       : -1;
    if (length > 0) {
        file->descriptor = mkostemps(file->path, sizeof ending - 1, O_CLOEXEC);
        if (file->descriptor < 0)
            free(file->path);
    }
    bool good = length > 0 && file->descriptor >= 0;
    if (!good)
        nw_log(NW_LOG_WARNING, "NOWAIT_IMAGE_FOLDER=%s: %s; device images stay in memory", folder, strerror(errno));
    free(whole);
    return good;
}

nw_status_t nw_host_image_file_open(nw_host_image_file_t *file)
{
    const char *folder = nw_settings.image_folder;
    if (*folder && open_in_folder(file, folder))
        return NW_OK;
    return open_in_memory(file);
}

nw_status_t nw_host_image_file_write(const nw_host_image_file_t *file, uint64_t offset, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t written = pwrite(file->descriptor, (const char *)bytes + done, size - done, (off_t)(offset + done));
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            nw_reason_set("device image of %zu bytes could not be written to %s: %s", size, file->path,
                          strerror(errno));
            return NW_ERR_SYSTEM;
        }
        done += (size_t)written;
    }
    return NW_OK;
}

void nw_host_image_file_seal(const nw_host_image_file_t *file)
{
    /* An ordinary file can't be; it is the user's own. */
    (void)fcntl(file->descriptor, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
}

void nw_host_image_file_close(nw_host_image_file_t *file)
{
    close(file->descriptor);
    free(file->path);
}

void nw_host_image_file_leave_open(nw_host_image_file_t *file)
{
    free(file->path);
}
