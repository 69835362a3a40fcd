// SPDX-License-Identifier: Apache-2.0
/* Recursive Fibonacci numbers, with a call every dozen instructions. */
#include <stdint.h>

extern volatile uint32_t tohost;

__attribute__((noinline, optimize("no-optimize-sibling-calls"))) static uint32_t
fibonacci(uint32_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

void main(void)
{
    tohost = (fibonacci(27) != 196418) << 1 | 1;
}
