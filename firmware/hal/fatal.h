// SPDX-License-Identifier: Apache-2.0
/* Ending a run that cannot go on: one line on the UART that names the place, then an exit code. */
#pragma once

enum exit_code {
    EXIT_OK = 0,
    EXIT_REFUSED = 1,  /* the system, the model or the workload cannot be run as asked */
    EXIT_BLOCK = 3,    /* an accelerator block raised its error interrupt */
    EXIT_EXCEPTION = 4 /* the core took an exception */
};

_Noreturn void fatal(enum exit_code code, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
