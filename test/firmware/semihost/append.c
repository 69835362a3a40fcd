// SPDX-License-Identifier: Apache-2.0
/* Appends lines to a file and closes it after each; a debugger stops the program between them. */
#include <stdio.h>

static __attribute__((noinline)) void between(void)
{
    __asm__ volatile("");
}

static int append(const char* line)
{
    FILE* file = fopen("log.txt", "a");
    return file == NULL || fputs(line, file) < 0 || fclose(file) != 0;
}

int main(void)
{
    if (append("one\n") != 0)
        return 1;
    between();
    if (append("two\n") != 0)
        return 2;
    between();
    return append("three\n");
}
