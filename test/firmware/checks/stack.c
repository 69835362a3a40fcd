// SPDX-License-Identifier: Apache-2.0
/* A recursion that goes too deep for the stack. */
#include "test/firmware/checks/wrong.h"

int descend(volatile int* above, int depth);
int descend(volatile int* above, int depth)
{
    volatile int here[64];
    here[0] = depth;
    if (depth == 0)
        return *above;
    return descend(here, depth - 1) + here[0];
}

int main(void)
{
    volatile int start = 0;
    return descend(&start, 1000) == 0;
}
