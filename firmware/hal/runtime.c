// SPDX-License-Identifier: Apache-2.0
/* Functions that picolibc requires: to end a program, to send it a signal, and to get memory for
 * malloc(). */
#include "firmware/hal/hostlink.h"
#include "firmware/hal/system.h"

#include <errno.h>
#include <stddef.h>
#include <sys/types.h>

/* A shell reports this number plus the number of the signal that ended a program. abort() is thus
 * reported as 134. */
#define SIGNALLED 128

_Noreturn void _exit(int code);
pid_t getpid(void);
int kill(pid_t process, int signal);
void* sbrk(ptrdiff_t bytes);

/* Called by exit() after the functions registered with atexit() and those of .fini_array. */
_Noreturn void _exit(int code)
{
    hostlink_exit(code);
}

pid_t getpid(void)
{
    return 1;
}

/* Called by raise() for a signal without a handler. */
int kill(pid_t process, int signal)
{
    (void)process;
    _exit(SIGNALLED + signal);
}

/* malloc() and heap_take() share one heap, which never shrinks. */
void* sbrk(ptrdiff_t bytes)
{
    void* const block = bytes < 0 ? NULL : heap_grow((size_t)bytes);
    if (block != NULL)
        return block;
    errno = ENOMEM;
    return (void*)-1;
}
