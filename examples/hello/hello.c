/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The smallest program that shows whether `target nowait` lets the host go on: a region that keeps the device busy for
 * a given time, and a host that counts primes meanwhile.
 */
#include <getopt.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common/option.h"

enum { PRIMES_BELOW = 1000000, PRIMES_EXPECTED = 78498 };

static const char usage[] = "usage: hello [--ms N]\n"
                            "  --ms N   how long the region keeps the device busy, milliseconds (200)\n"
                            "  --help   print this text\n";

/* Sieve of Eratosthenes: some 10 ms of honest work for the host. Returns 0 if there is no memory for it. */
static size_t count_primes(size_t below)
{
    unsigned char *composite = calloc(below, 1);
    size_t count = 0;
    if (composite == NULL)
        return 0;
    for (size_t p = 2; p < below; p++) {
        if (composite[p])
            continue;
        count++;
        for (size_t multiple = p * p; multiple < below; multiple += p)
            composite[multiple] = 1;
    }
    free(composite);
    return count;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"ms", required_argument, NULL, 'm'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    double busy = 0.2;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (option) {
        case 'm':
            busy = option_number("ms", optarg, 0, 60000) / 1e3;
            break;
        case 'h':
            fputs(usage, stdout);
            return 0;
        default:
            fputs(usage, stderr);
            return 2;
        }
    }
    if (optind != argc) {
        fputs(usage, stderr);
        return 2;
    }

    /* The first use of a device initialises it, which is no part of what is measured. */
#pragma omp target
    {
    }

    double on_device = -1;
    double start = omp_get_wtime();
#pragma omp target nowait map(from: on_device) firstprivate(busy)
    {
        double begin = omp_get_wtime();
        do
            on_device = omp_get_wtime() - begin;
        while (on_device < busy);
    }
    double returned = omp_get_wtime();

    size_t primes = count_primes(PRIMES_BELOW);
    double counted = omp_get_wtime();

#pragma omp taskwait
    double finished = omp_get_wtime();

    int right = on_device >= busy && primes == PRIMES_EXPECTED;
    printf("construct returned: after %.3f ms\n", (returned - start) * 1e3);
    printf("host meanwhile:     counted the %zu primes below %d in %.3f ms\n", primes, PRIMES_BELOW,
           (counted - returned) * 1e3);
    printf("region:             kept the device busy for %.3f ms\n", on_device * 1e3);
    printf("wall time:          %.4f s\n", finished - start);
    printf("check:              %s, device time at least %.0f ms and %d primes\n", right ? "ok" : "WRONG", busy * 1e3,
           PRIMES_EXPECTED);
    return right ? 0 : 1;
}
