// SPDX-License-Identifier: Apache-2.0
/* Reads a number, then the rest of standard input to its end. */
#include <stdio.h>

int main(void)
{
    int number = 0;
    const int read = scanf("%d", &number);
    unsigned count = 0, sum = 0;
    for (int byte; (byte = getchar()) != EOF; ++count)
        sum += (unsigned)byte;
    printf("%d: %d, then %u bytes of sum %u, end %d, error %d\n", read, number, count, sum,
           feof(stdin) != 0, ferror(stdin) != 0);
    return 0;
}
