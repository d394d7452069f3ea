/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cudaemu/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudaemu/calls.h"

static char *report_path;

void emu_report_to(const char *where)
{
    if (where && *where && strcmp(where, "0") != 0)
        report_path = strdup(where);
}

static void write_report(FILE *file)
{
    cudaemu_memory_t memory;
    cudaemu_memory(&memory);
    for (int call = 0; call < N_CALLS; call++) {
        uint64_t n = emu_calls_total((call_t)call);
        if (n)
            fprintf(file, "cudaemu: calls %s %" PRIu64 " blocked %" PRIu64 "\n", emu_call_name((call_t)call), n,
                    emu_blocked_total((call_t)call));
    }
    fprintf(file, "cudaemu: left device %" PRIu64 " bytes in %" PRIu64 "\n", memory.device_bytes, memory.device_count);
    fprintf(file, "cudaemu: left pinned %" PRIu64 " bytes in %" PRIu64 "\n", memory.pinned_bytes, memory.pinned_count);
    fprintf(file, "cudaemu: left managed %" PRIu64 " bytes in %" PRIu64 "\n", memory.managed_bytes,
            memory.managed_count);
    fprintf(file, "cudaemu: left streams %" PRIu64 " events %" PRIu64 " modules %" PRIu64 "\n", memory.streams,
            memory.events, memory.modules);
    fprintf(file, "cudaemu: device memory high %" PRIu64 " bytes\n", memory.device_bytes_high);
    fprintf(file, "cudaemu: misuses %" PRIu64 "\n", emu_misuses_total());
}

/* After this the driver answers every call with an error, as the real one does when a program has nearly ended. */
__attribute__((destructor)) static void end_of_program(void)
{
    atomic_store(&emu_ended, true);
    if (!report_path || atomic_load(&emu_forked))
        return;
    bool to_stderr = strcmp(report_path, "1") == 0 || strcmp(report_path, "stderr") == 0;
    FILE *file = to_stderr ? stderr : fopen(report_path, "w");
    if (!file) {
        fprintf(stderr, "cudaemu: no report could be written to %s\n", report_path);
        return;
    }
    write_report(file);
    if (!to_stderr)
        fclose(file);
}
