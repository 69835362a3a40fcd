// SPDX-License-Identifier: Apache-2.0
/* Ends a run that cannot continue. Prints one line on the UART, which names the place of the error,
 * and sets the exit code. */
#pragma once

#include "core/abi/exit_code.h"

_Noreturn void fatal(enum exit_code code, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
