// SPDX-License-Identifier: Apache-2.0
/* Prints the order of calls. Constructors run first, by priority, then main. Functions of atexit()
 * follow in reverse order, and destructors come last. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void plain(void)
{
    printf("plain ");
}

__attribute__((constructor(201))) static void second(void)
{
    printf("201 ");
}

__attribute__((constructor(101))) static void first(void)
{
    printf("101 ");
}

__attribute__((destructor)) static void last(void)
{
    puts("destructor");
}

static void one(void)
{
    printf("one ");
}

static void two(void)
{
    printf("two ");
}

int main(void)
{
    atexit(one);
    atexit(two);
    printf("main ");
    return 0;
}
