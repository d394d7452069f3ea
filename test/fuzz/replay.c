/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs a fuzz target without libFuzzer: on the files that are named, or that lie in the folders that are named, and,
 * for `--random N FIRST LENGTH`, on N inputs of a byte FIRST and LENGTH others by chance, the same each time. */
#include <dirent.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static long n_inputs;

static bool run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return false;
    }
    uint8_t *bytes = NULL;
    size_t size = 0, capacity = 0, got;
    do {
        capacity += 65536;
        uint8_t *grown = realloc(bytes, capacity);
        if (!grown)
            break;
        bytes = grown;
        got = fread(bytes + size, 1, capacity - size, file);
        size += got;
    } while (size == capacity);
    fclose(file);
    /* Exactly as long as the input, so that AddressSanitizer sees a read behind it. */
    uint8_t *input = malloc(size > 0 ? size : 1);
    if (bytes && input) {
        memcpy(input, bytes, size);
        LLVMFuzzerTestOneInput(input, size);
        n_inputs++;
    }
    free(input);
    free(bytes);
    return bytes && input;
}

static bool run_path(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0) {
        perror(path);
        return false;
    }
    if (!S_ISDIR(about.st_mode))
        return run_file(path);
    struct dirent **names;
    int n = scandir(path, &names, NULL, alphasort);
    bool good = n >= 0;
    for (int i = 0; i < n; i++) {
        char full[4096];
        snprintf(full, sizeof full, "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.')
            good = run_file(full) && good;
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return good;
}

static void run_random(long n, int first, size_t length)
{
    uint64_t state = 1;
    uint8_t *input = malloc(length + 1);
    FUZZ_CHECK(input, "out of memory");
    for (long i = 0; i < n; i++) {
        input[0] = (uint8_t)first;
        for (size_t j = 1; j <= length; j++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            input[j] = (uint8_t)(state >> 56);
        }
        LLVMFuzzerTestOneInput(input, length + 1);
        n_inputs++;
    }
    free(input);
}

int main(int argc, char **argv)
{
    bool good = argc > 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--random") == 0 && i + 3 < argc) {
            run_random(atol(argv[i + 1]), atoi(argv[i + 2]), (size_t)atol(argv[i + 3]));
            i += 3;
        } else {
            good = run_path(argv[i]) && good;
        }
    }
    printf("%ld inputs\n", n_inputs);
    /* A corpus that was not found would be a test that can't fail. */
    return good && n_inputs > 0 ? 0 : 1;
}
