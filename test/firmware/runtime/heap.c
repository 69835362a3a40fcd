// SPDX-License-Identifier: Apache-2.0
/* malloc() and heap_take() must return disjoint memory, and malloc() must fail when none is
 * left. */
#include "firmware/hal/system.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECES 8
#define BYTES 1000

int main(void)
{
    unsigned char* pieces[2 * PIECES];
    for (int i = 0; i < PIECES; ++i) {
        pieces[2 * i] = malloc(BYTES);
        pieces[2 * i + 1] = heap_take(BYTES, "a piece");
        if (pieces[2 * i] == NULL || (uintptr_t)pieces[2 * i + 1] % 64 != 0)
            return 5;
    }
    for (int i = 0; i < 2 * PIECES; ++i)
        memset(pieces[i], i + 1, BYTES);
    int wrong = 0;
    for (int i = 0; i < 2 * PIECES; ++i)
        for (int k = 0; k < BYTES; ++k)
            wrong += pieces[i][k] != i + 1;
    const int refused = malloc(0x10000000) == NULL;
    printf("%d wrong, too much %s\n", wrong, refused ? "refused" : "given");
    return wrong != 0 || !refused;
}
