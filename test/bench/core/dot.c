// SPDX-License-Identifier: Apache-2.0
/* An INT8 dot product of 4096 elements in a loop, as a compiler translates it. */
#include <stdint.h>

extern volatile uint32_t tohost;
static int8_t a[4096] __attribute__((aligned(4096))), b[4096] __attribute__((aligned(4096)));

static int32_t dot(const int8_t* x, const int8_t* y, int n)
{
    int32_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

void main(void)
{
    for (int i = 0; i < 4096; i++) {
        a[i] = (int8_t)(i * 7);
        b[i] = (int8_t)(i * 13 + 5);
    }
    const int32_t expected = dot(a, b, 4096);
    uint32_t wrong = 0;
    for (int i = 0; i < 7000; i++) {
        __asm__ volatile("" ::: "memory");
        wrong |= dot(a, b, 4096) != expected;
    }
    tohost = wrong << 1 | 1;
}
