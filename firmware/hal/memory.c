// SPDX-License-Identifier: Apache-2.0
/* memset and memcpy, word by word. picolibc's versions for this ISA are optimised for size and work
 * byte by byte. They would be too slow for firmware that spends much of its time on clearing
 * descriptors. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t __attribute__((may_alias)) word;

void* memset(void* destination, int byte, size_t bytes)
{
    uint8_t* to = destination;
    while (bytes != 0 && (uintptr_t)to % sizeof(word) != 0) {
        *to++ = (uint8_t)byte;
        --bytes;
    }
    const word pattern = (uint8_t)byte * 0x01010101u;
    word* words = (word*)(void*)to;
    for (; bytes >= 8 * sizeof(word); bytes -= 8 * sizeof(word), words += 8) {
        words[0] = words[1] = words[2] = words[3] = pattern;
        words[4] = words[5] = words[6] = words[7] = pattern;
    }
    for (; bytes >= sizeof(word); bytes -= sizeof(word))
        *words++ = pattern;
    for (to = (uint8_t*)words; bytes != 0; --bytes)
        *to++ = (uint8_t)byte;
    return destination;
}

void* memcpy(void* restrict destination, const void* restrict source, size_t bytes)
{
    uint8_t* to = destination;
    const uint8_t* from = source;
    if (((uintptr_t)to | (uintptr_t)from) % sizeof(word) == 0) {
        word* words = destination;
        const word* others = source;
        for (; bytes >= sizeof(word); bytes -= sizeof(word))
            *words++ = *others++;
        to = (uint8_t*)words;
        from = (const uint8_t*)others;
    }
    for (; bytes != 0; --bytes)
        *to++ = *from++;
    return destination;
}
