/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * nowait-run: runs a program that was built with stock clang on this runtime.
 *
 * The loader does the work: libnowait.so.0 is preloaded, so that it stands before libomp, and the folder
 * lib/nowait/compat comes first on the library path, so that the program's libomptarget.so.<major>.1 is found there,
 * which is libnowait too. The preload is a bare name that this folder resolves, since LD_PRELOAD cannot hold a path
 * with a space. Then the program takes this process: its pid, exit status and signals are its own.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/* As env(1) and nohup(1). */
enum { EXIT_OURS = 125, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

static const char usage[] =
    "usage: nowait-run [--show] [NAME=VALUE...] program [argument...]\n"
    "\n"
    "Runs a program built with stock clang -fopenmp so that its 'target ... nowait' regions do not block.\n"
    "Nothing is rebuilt: libnowait takes the place of libomptarget.\n"
    "\n"
    "  NAME=VALUE   set an environment variable for the program, such as NOWAIT_STATS=1\n"
    "  --show       print the command instead of running it\n"
    "  --version    print the version of nowait\n"
    "  --help       print this text\n"
    "\n"
    "The exit status is the program's own; 125 if nowait-run fails, 126 if the program cannot be run, 127 if there\n"
    "is no such program. nowait-info lists the settings.\n";

static _Noreturn void fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fail(int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("nowait-run: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(status);
}

/* Returns the texts one after the other, on the heap. Never freed: this process soon becomes another program. */
static char *join(const char *a, const char *b, const char *c)
{
    char *text = NULL;
    if (asprintf(&text, "%s%s%s", a, b, c) < 0)
        fail(EXIT_OURS, "out of memory");
    return text;
}

static void set_variable(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0)
        fail(EXIT_OURS, "cannot set %s: %s", name, strerror(errno));
}

/* True for NAME=VALUE with a name that a shell would take. */
static bool is_assignment(const char *arg)
{
    static const char name_bytes[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    size_t length = strspn(arg, name_bytes);
    return length > 0 && arg[length] == '=' && !(arg[0] >= '0' && arg[0] <= '9');
}

/* Returns the folder with libnowait under all its names, found from where this program lies. */
static char *find_compat_folder(void)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length < 0)
        fail(EXIT_OURS, "cannot read /proc/self/exe: %s", strerror(errno));
    self[length] = '\0';
    *strrchr(self, '/') = '\0';

    /* The build tree and an installed tree may name the library folder differently. */
    static const char *const from_bin[] = {"/" NOWAIT_BIN_TO_LIB "/nowait/compat", "/../lib/nowait/compat"};
    for (size_t i = 0; i < sizeof(from_bin) / sizeof(from_bin[0]); i++) {
        char *folder = realpath(join(self, from_bin[i], ""), NULL);
        if (folder == NULL || access(join(folder, "/libnowait.so.0", ""), R_OK) != 0)
            continue;
        if (strpbrk(folder, ":;") != NULL)
            fail(EXIT_OURS, "%s: the loader takes no folder with ':' or ';' in its name: move nowait", folder);
        return folder;
    }
    fail(EXIT_OURS, "no libnowait.so.0 beside %s: build or install nowait again, and keep its tree together", self);
}

/* Finds the program as execvp would. Returns its path, on the heap. */
static char *find_program(const char *name)
{
    if (strchr(name, '/') != NULL) {
        if (access(name, F_OK) != 0)
            fail(EXIT_NOT_FOUND, "%s: %s", name, strerror(errno));
        return join(name, "", "");
    }
    const char *folders = getenv("PATH");
    char *rest = join(folders != NULL ? folders : "/usr/local/bin:/usr/bin:/bin", "", "");
    char *folder;
    while ((folder = strsep(&rest, ":")) != NULL) {
        char *path = join(*folder != '\0' ? folder : ".", "/", name);
        struct stat file;
        if (stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0)
            return path;
    }
    fail(EXIT_NOT_FOUND, "%s: not found in PATH; for a program in this folder say ./%s", name, name);
}

/* Reads size bytes at offset; false if the file has fewer. */
static bool read_at(int file, void *buffer, size_t size, uint64_t offset)
{
    return pread(file, buffer, size, (off_t)offset) == (ssize_t)size;
}

/*
 * Refuses what the loader could not preload into. Returns the program's loader, on the heap, or NULL for a script,
 * whose interpreter gets libnowait instead.
 */
static char *check_program(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        fail(EXIT_NOT_FOUND, "%s: %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        fail(EXIT_NOT_EXECUTABLE, "%s is a folder", path);
    if (!S_ISREG(status.st_mode))
        fail(EXIT_NOT_EXECUTABLE, "%s is not a regular file", path);
    if (access(path, X_OK) != 0)
        fail(EXIT_NOT_EXECUTABLE, "%s is not executable: chmod +x it, or name a program", path);
    if (((status.st_mode & S_ISUID) != 0 && status.st_uid != getuid()) ||
        ((status.st_mode & S_ISGID) != 0 && status.st_gid != getgid()))
        fail(EXIT_NOT_EXECUTABLE, "%s runs as another user (set-user-ID): the loader preloads nothing into it", path);
    if (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
        fail(EXIT_NOT_EXECUTABLE, "%s has capabilities of its own: the loader preloads nothing into it", path);

    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        fail(EXIT_NOT_EXECUTABLE, "%s: cannot look whether libnowait can be loaded into it: %s", path, strerror(errno));
    Elf64_Ehdr header;
    memset(&header, 0, sizeof(header));
    ssize_t size = pread(file, &header, sizeof(header), 0);
    if (size >= 2 && memcmp(&header, "#!", 2) == 0) {
        close(file);
        return NULL;
    }
    if (size < EI_NIDENT || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        fail(EXIT_NOT_EXECUTABLE, "%s is neither an ELF program nor a script", path);
    if (header.e_ident[EI_CLASS] != ELFCLASS64)
        fail(EXIT_NOT_EXECUTABLE, "%s is a 32-bit program: build it for 64 bits", path);
    if (size < (ssize_t)sizeof(header) || header.e_machine != NOWAIT_ELF_MACHINE)
        fail(EXIT_NOT_EXECUTABLE, "%s is not a program for this machine", path);

    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        char loader[PATH_MAX] = "";
        if (!read_at(file, &segment, sizeof(segment), header.e_phoff + (uint64_t)i * header.e_phentsize))
            fail(EXIT_NOT_EXECUTABLE, "%s is truncated", path);
        if (segment.p_type != PT_INTERP)
            continue;
        if (segment.p_filesz == 0 || segment.p_filesz >= sizeof(loader) ||
            !read_at(file, loader, segment.p_filesz, segment.p_offset))
            fail(EXIT_NOT_EXECUTABLE, "%s is truncated", path);
        if (strstr(loader, "/ld-linux") == NULL)
            fail(EXIT_NOT_EXECUTABLE, "%s is loaded by %s, not by glibc's loader: libnowait needs glibc", path, loader);
        close(file);
        return join(loader, "", "");
    }
    fail(EXIT_NOT_EXECUTABLE, "%s is a static program: nothing can be loaded into it; link it without -static", path);
}

/* Asks the loader whether the program needs a libomp.so.5 that is nowhere on its path. Never runs the program. */
static bool lacks_libomp(const char *loader, const char *program)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(ends[1], STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        execl(loader, loader, "--list", program, (char *)NULL);
        _exit(EXIT_NOT_FOUND);
    }
    close(ends[1]);
    FILE *answer = fdopen(ends[0], "r");
    char line[PATH_MAX + 256];
    bool lacks = false;
    while (answer != NULL && fgets(line, sizeof(line), answer) != NULL)
        lacks |= strstr(line, "libomp.so.5 => not found") != NULL;
    if (answer != NULL)
        fclose(answer);
    if (child > 0)
        waitpid(child, NULL, 0);
    return lacks;
}

/* Puts the runtime in front of what the user has set. */
static void set_loader_variables(const char *compat, const char *loader, const char *program)
{
    const char *folders = getenv("LD_LIBRARY_PATH");
    bool empty = folders == NULL || *folders == '\0';
    set_variable("LD_LIBRARY_PATH", join(compat, empty ? "" : ":", empty ? "" : folders));
    if (loader != NULL && lacks_libomp(loader, program))
        set_variable("LD_LIBRARY_PATH", join(getenv("LD_LIBRARY_PATH"), ":", NOWAIT_LIBOMP_DIR));

    const char *preload = getenv("LD_PRELOAD");
    empty = preload == NULL || *preload == '\0';
    set_variable("LD_PRELOAD", join("libnowait.so.0", empty ? "" : ":", empty ? "" : preload));
}

static void print_quoted(const char *text)
{
    putchar('\'');
    for (; *text != '\0'; text++)
        if (*text == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*text);
    putchar('\'');
}

/* What has been printed must be out. Returns the exit status of success. */
static int finish_output(void)
{
    if (fflush(stdout) != 0 || ferror(stdout) != 0)
        fail(EXIT_OURS, "cannot write: %s", strerror(errno));
    return 0;
}

/* Prints a command that does the same from a shell. */
static void show(char **assignments, int count, const char *program, char **arguments)
{
    fputs("env", stdout);
    for (int i = 0; i < count; i++) {
        putchar(' ');
        print_quoted(assignments[i]);
    }
    static const char *const ours[] = {"LD_PRELOAD", "LD_LIBRARY_PATH"};
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
        printf(" %s=", ours[i]);
        print_quoted(getenv(ours[i]));
    }
    putchar(' ');
    print_quoted(program);
    for (; *arguments != NULL; arguments++) {
        putchar(' ');
        print_quoted(*arguments);
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    bool only_show = false;
    int at = 1;
    /* It would run anything, and preload into it, with rights that its caller lacks. */
    if (getauxval(AT_SECURE) != 0)
        fail(EXIT_OURS, "nowait-run has rights that its caller may lack (set-user-ID, set-group-ID or capabilities): "
             "take them away");
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (strcmp(argv[at], "--help") == 0) {
            fputs(usage, stdout);
            return finish_output();
        }
        if (strcmp(argv[at], "--version") == 0) {
            puts("nowait " NOWAIT_VERSION);
            return finish_output();
        }
        if (strcmp(argv[at], "--") == 0) {
            at++;
            break;
        }
        if (strcmp(argv[at], "--show") != 0)
            fail(EXIT_OURS, "unknown option %s: see nowait-run --help", argv[at]);
        only_show = true;
    }
    char **assignments = argv + at;
    int assignment_count = 0;
    for (; at < argc && is_assignment(argv[at]); at++, assignment_count++)
        if (putenv(argv[at]) != 0)
            fail(EXIT_OURS, "cannot set %s: %s", argv[at], strerror(errno));
    if (at >= argc)
        fail(EXIT_OURS, "no program given: nowait-run [NAME=VALUE...] program [argument...]");

    char *compat = find_compat_folder();
    char *program = find_program(argv[at]);
    char *loader = check_program(program);
    set_loader_variables(compat, loader, program);
    if (only_show) {
        show(assignments, assignment_count, program, argv + at + 1);
        return finish_output();
    }
    execv(program, argv + at);
    fail(EXIT_NOT_EXECUTABLE, "%s: %s", program, strerror(errno));
}
