/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cudaemu/error.h"

#include <stdlib.h>
#include <string.h>

#include "cudaemu/emu.h"

typedef struct answer {
    CUresult value;
    const char *name, *text;
} answer_t;

static const answer_t answers[] = {
#define NW_CU_RESULT(name, value, text) {name, #name, text},
#include "device/cuda/cuda_values.def"
};

enum { N_ANSWERS = sizeof answers / sizeof *answers };

static const answer_t *find(CUresult value)
{
    for (size_t i = 0; i < N_ANSWERS; i++) {
        if (answers[i].value == value)
            return &answers[i];
    }
    return NULL;
}

CUresult emu_result_of_text(const char *text)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    for (size_t i = 0; i < N_ANSWERS; i++) {
        if (strcmp(answers[i].name, text) == 0 || (*text && !*end && answers[i].value == value))
            return answers[i].value;
    }
    emu_die("'%s' is no answer of a driver function", text);
}

CUresult cuGetErrorName(CUresult error, const char **name_p)
{
    ENTER(cuGetErrorName, NEEDS_NOTHING);
    const answer_t *answer = find(error);
    if (!name_p)
        return CUDA_ERROR_INVALID_VALUE;
    *name_p = answer ? answer->name : NULL;
    return answer ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text_p)
{
    ENTER(cuGetErrorString, NEEDS_NOTHING);
    const answer_t *answer = find(error);
    if (!text_p)
        return CUDA_ERROR_INVALID_VALUE;
    *text_p = answer ? answer->text : NULL;
    return answer ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
