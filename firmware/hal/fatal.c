// SPDX-License-Identifier: Apache-2.0
#include "firmware/hal/fatal.h"

#include "firmware/hal/hostlink.h"

#include <stdarg.h>
#include <stdio.h>

_Noreturn void fatal(enum exit_code code, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("\nfirmware: ", stdout);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    hostlink_exit(code);
}
