/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the driver says of a program at its end. */
#ifndef EMU_REPORT_H
#define EMU_REPORT_H

/* "1" or "stderr", or a file that is written; NULL, "" or "0": no report. The text is copied. */
void emu_report_to(const char *where);

#endif
