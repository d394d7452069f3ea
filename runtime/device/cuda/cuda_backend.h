/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The backend as a whole: whether its threads run, and what happens when they don't. */
#ifndef NW_CUDA_BACKEND_H
#define NW_CUDA_BACKEND_H

#include "device/device.h"

/* NW_ERR_FORKED in a child process, where CUDA can't be used, and an error when all has been given back. */
nw_status_t nw_cuda_backend_status(void);

/* With the threads stopped (at the end of the program) the calling thread serves every work in flight. */
void nw_cuda_backend_help(void);

/* Number of GPUs. */
int nw_cuda_backend_devices(void);

/* Called when a GPU's last image has been unloaded: after the end of the program's regions that is the end of all. */
void nw_cuda_backend_image_gone(void);

#endif
