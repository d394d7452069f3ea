/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The end of the program: everything in flight finishes before libomp, the devices and the images go. */
#ifndef NW_SHUTDOWN_H
#define NW_SHUTDOWN_H

#include <stdbool.h>

/* Makes sure that the end of the program will wait for target tasks, and connects the tool. Called before each task is
 * made and each device is used; free of cost after the first time. */
void nw_shutdown_prepare(void);

/* Whether that has been called. */
bool nw_shutdown_is_prepared(void);

/* An image comes. After a region in a library's constructor it tells that the program's own constructors may be
 * running: from then on what is to happen at the end can be registered so that it comes before the libraries' ends. */
void nw_shutdown_image_comes(void);

#endif
