// SPDX-License-Identifier: Apache-2.0
/* A program that changes its own code, in a way selected by WRONG. */
#include "test/firmware/checks/wrong.h"

__attribute__((used)) static const char greeting[] = "hello";

__attribute__((used)) static int one(void)
{
    return 1;
}

int main(void)
{
#if WRONG == 1 /* The program stores to a function. */
    volatile uint32_t* code = (volatile uint32_t*)((uintptr_t)one & ~3u);
    *code = *code;
    return 0;
#elif WRONG == 2 /* The program stores to a constant. */
    *(volatile char*)(uintptr_t)&greeting[0] = 'H';
    return 0;
#else            /* Replaces a function of two instructions; only case 4 does so correctly. */
    static uint32_t code[64] __attribute__((aligned(256), section(".data")));
    int (*run)(void) = (int (*)(void))(uintptr_t)code;
    code[0] = 0x00100513u; /* li a0, 1 */
    code[1] = 0x00008067u; /* ret */
    __asm__ volatile("fence.i" ::: "memory");
    const int first = run();
    *(volatile uint32_t*)code = 0x00200513u; /* li a0, 2 */
#if WRONG == 4
    __asm__ volatile("fence.i" ::: "memory");
#endif
    const int second = run();
    return first + second == 3 && greeting[0] == 'h' ? one() - 1 : 1;
#endif
}
