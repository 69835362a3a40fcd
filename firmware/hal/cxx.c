// SPDX-License-Identifier: Apache-2.0
/* Functions to which C++ compilers emit calls, for programs without a C++ library. They are weak,
 * so a library's own versions take precedence. */
#include "firmware/hal/fatal.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define WEAK __attribute__((weak))

/* Destructors of static objects are registered with this object. There are no shared libraries. */
extern void* __dso_handle;
WEAK void* __dso_handle = NULL;

_Noreturn void __cxa_pure_virtual(void);
int __cxa_guard_acquire(uint8_t* guard);
void __cxa_guard_release(uint8_t* guard);
void* cxx_new(size_t bytes) __asm__("_Znwj");
void* cxx_new_array(size_t bytes) __asm__("_Znaj");
void cxx_delete(void* block) __asm__("_ZdlPv");
void cxx_delete_array(void* block) __asm__("_ZdaPv");
void cxx_delete_sized(void* block, size_t bytes) __asm__("_ZdlPvj");
void cxx_delete_array_sized(void* block, size_t bytes) __asm__("_ZdaPvj");

WEAK _Noreturn void __cxa_pure_virtual(void)
{
    fatal(EXIT_EXCEPTION, "a pure virtual function has been called");
}

/* Guards a static object's constructor. The program has one thread, so no lock is needed. */
WEAK int __cxa_guard_acquire(uint8_t* guard)
{
    return *guard == 0;
}

WEAK void __cxa_guard_release(uint8_t* guard)
{
    *guard = 1;
}

WEAK void* cxx_new(size_t bytes)
{
    void* const block = malloc(bytes != 0 ? bytes : 1);
    if (block == NULL)
        fatal(EXIT_REFUSED, "operator new: %lu bytes of tightly coupled memory are not available",
              (unsigned long)bytes);
    return block;
}

WEAK void* cxx_new_array(size_t bytes)
{
    return cxx_new(bytes);
}

WEAK void cxx_delete(void* block)
{
    free(block);
}

WEAK void cxx_delete_array(void* block)
{
    free(block);
}

WEAK void cxx_delete_sized(void* block, size_t bytes)
{
    (void)bytes;
    free(block);
}

WEAK void cxx_delete_array_sized(void* block, size_t bytes)
{
    (void)bytes;
    free(block);
}
