/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Settings: the environment, read once, checked, and kept as typed values. No other file reads the environment. */
#ifndef NW_SETTINGS_H
#define NW_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nowait_setting;

enum nw_fatal_end { NW_FATAL_EXIT, NW_FATAL_ABORT };
enum nw_completion { NW_COMPLETION_EVENT, NW_COMPLETION_REQUEUE, NW_COMPLETION_BLOCK };
enum nw_cuda_completion { NW_CUDA_COMPLETION_WORD, NW_CUDA_COMPLETION_EVENT, NW_CUDA_COMPLETION_POLL };

typedef struct nw_settings {
#define NW_FLAG(field, name, honoured, default_value, text) bool field;
#define NW_COUNT(field, name, honoured, default_value, min, max, text) int64_t field;
#define NW_TIME(field, name, honoured, default_value, max, text) int64_t field;
#define NW_SIZE(field, name, honoured, default_value, min, max, text) int64_t field;
#define NW_CHOICE(field, name, honoured, default_value, choices, text) int64_t field;
#define NW_BITS(field, name, honoured, default_value, text) int64_t field;
#define NW_FACTOR(field, name, honoured, default_value, text) double field;
#define NW_TEXT(field, name, honoured, default_value, range, text) const char *field;
#define NW_ELSEWHERE(name, honoured, default_value, range, text)
#include "support/settings.def"
#undef NW_FLAG
#undef NW_COUNT
#undef NW_TIME
#undef NW_SIZE
#undef NW_CHOICE
#undef NW_BITS
#undef NW_FACTOR
#undef NW_TEXT
#undef NW_ELSEWHERE
} nw_settings_t;

/* The values in force. Constant after nw_settings_init. */
extern nw_settings_t nw_settings;

/*
 * Reads the environment given by `get` (name to value, NULL if unset) and `names` (NULL-terminated "NAME=value" list,
 * as environ). A value that cannot be read gets one warning and leaves the default; a NOWAIT_ name that is not in the
 * table gets one warning with the nearest name. `secure`: the program has rights that whoever set the environment may
 * lack; settings that the table says UNLESS_SECURE of are then ignored, with one warning, and no warning repeats words
 * of the environment. Threads: one, before any other use. Blocks: never.
 */
void nw_settings_init(const char *(*get)(const char *name), char **names, bool secure);

/* Reads the process environment; see nw_settings_init. Secure is what the loader calls so (AT_SECURE): set-user-ID,
 * set-group-ID, file capabilities. */
void nw_settings_init_from_environment(void);

/*
 * Has to be called before libomp reads its settings. Where LIBOMP_USE_HIDDEN_HELPER_TASK takes libomp's helper threads
 * away, sets their number to 0, too: otherwise libomp 19 and 22 skip their places in the table of threads without
 * counting them (__kmp_register_root, __kmp_reserve_threads), and write behind its end.
 */
void nw_settings_mend_libomps(void);

/* Whether libomp has helper threads, once that has been called. */
bool nw_settings_libomp_has_helpers(void);

/* What the environment says of the default device, which libomp reads; NULL: nothing. */
const char *nw_settings_default_device(void);

/* Whether the environment has libomp bind threads to places. */
bool nw_settings_libomp_binds(void);

size_t nw_setting_count(void);
/* Fills *setting_p; false if there is no setting i. */
bool nw_setting_describe(size_t i, struct nowait_setting *setting_p);

#endif
