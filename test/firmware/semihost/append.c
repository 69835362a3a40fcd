// SPDX-License-Identifier: Apache-2.0
/* Appends two lines to a file, and stands between them for a debugger. */
#include <stdio.h>

static __attribute__((noinline)) void between(void)
{
    __asm__ volatile("");
}

int main(void)
{
    FILE* file = fopen("log.txt", "a");
    if (file == NULL)
        return 1;
    fputs("one\n", file);
    fflush(file);
    between();
    fputs("two\n", file);
    return fclose(file);
}
