// SPDX-License-Identifier: Apache-2.0
/* The functions that picolibc expects of a system: the end of a program, signals to itself, and
 * memory for malloc(). */
#include "firmware/hal/hostlink.h"
#include "firmware/hal/system.h"

#include <errno.h>
#include <stddef.h>
#include <sys/types.h>

/* Shells report a program that a signal ended with this offset: abort() is 134. */
#define SIGNALLED 128

_Noreturn void _exit(int code);
pid_t getpid(void);
int kill(pid_t process, int signal);
void* sbrk(ptrdiff_t bytes);

/* Called by exit() after the functions of atexit() and .fini_array. */
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

/* malloc() and heap_take() share one heap. Memory is never given back. */
void* sbrk(ptrdiff_t bytes)
{
    void* const block = bytes < 0 ? NULL : heap_grow((size_t)bytes);
    if (block != NULL)
        return block;
    errno = ENOMEM;
    return (void*)-1;
}
