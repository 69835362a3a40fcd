// SPDX-License-Identifier: Apache-2.0
/* Ends a run that cannot continue: one line on the UART that names the place, then an exit code. */
#pragma once

enum exit_code {
    EXIT_OK = 0,
    EXIT_REFUSED = 1,  /* the system, the model or the workload does not support the run */
    EXIT_BLOCK = 3,    /* an accelerator block raised its error interrupt */
    EXIT_EXCEPTION = 4 /* the core took an exception */
};

_Noreturn void fatal(enum exit_code code, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
