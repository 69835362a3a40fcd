// SPDX-License-Identifier: Apache-2.0
/* A program that uses only Spike's host interface: system calls through a block in memory,
 * console characters, and an exit code. */
#include <stdint.h>

volatile uint64_t tohost __attribute__((section(".tohost"), aligned(64)));
volatile uint64_t fromhost __attribute__((section(".tohost"), aligned(64)));
static volatile uint32_t counter = 5; /* This variable is in a writable section of the same
                                         segment. */
static const uint32_t constant[4] = {1, 2, 3, 4};

__attribute__((naked, section(".text.start"))) void _start(void)
{
    __asm__ volatile("la sp, stack_end\n"
                     "j begin");
}

#define REQUEST(device, command, payload)                                                          \
    ((uint64_t)(device) << 56 | (uint64_t)(command) << 48 | (uint32_t)(payload))

static uint64_t answered(void)
{
    uint64_t answer;
    while ((answer = fromhost) == 0)
        ;
    fromhost = 0;
    return answer;
}

static int64_t call(uint64_t number, uint64_t first, uint64_t second, uint64_t third)
{
    static volatile uint64_t block[8] __attribute__((aligned(64)));
    block[0] = number;
    block[1] = first;
    block[2] = second;
    block[3] = third;
    tohost = (uintptr_t)block;
    answered();
    return (int64_t)block[0];
}

static volatile uint32_t* half(unsigned which)
{
    return (volatile uint32_t*)(uintptr_t)&tohost + which;
}

/* Writes the two halves of a request in either order. */
static void put(char character, unsigned first)
{
    const uint32_t words[2] = {(uint8_t)character, (uint32_t)(REQUEST(1, 1, 0) >> 32)};
    *half(first) = words[first];
    *half(1 - first) = words[1 - first];
    while (tohost != 0)
        ;
}

static char got(void)
{
    tohost = REQUEST(1, 0, 0);
    return (char)answered();
}

__attribute__((used)) void begin(void);
void begin(void)
{
    char bytes[8];
    uint32_t code = 0;
    switch (CASE) {
    case 1:
        code = call(64, 1, (uintptr_t) "by a call\n", 10) != 10;
        break;
    case 2:
        for (const char* text = "by characters\n"; *text != '\0'; ++text)
            put(*text, (unsigned)(text[0] & 1));
        break;
    case 3:
        code = call(63, 0, (uintptr_t)bytes, sizeof bytes) != 4 || bytes[3] != 'd' ||
               call(63, 0, (uintptr_t)bytes, sizeof bytes) != 0 || call(222, 0, 0, 0) != -38 ||
               call(64, 7, (uintptr_t)bytes, 1) != -9 || call(64, 1, 0x100000, 1) != -14;
        break;
    case 4:
        code = got() == 'a' && got() == 'b' ? 0 : 7;
        break;
    case 5:
        counter += 1;
        code = counter != 6;
        break;
    default:
        *(volatile uint32_t*)(uintptr_t)constant = 7; /* An error: the variable is constant. */
    }
    tohost = (uint64_t)code << 1 | 1;
    for (;;)
        ;
}
