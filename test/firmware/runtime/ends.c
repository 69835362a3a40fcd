// SPDX-License-Identifier: Apache-2.0
/* Tests the ways in which a program can end. */
#undef NDEBUG
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void farewell(void)
{
    puts("farewell");
}

static void caught(int number)
{
    printf("signal %d\n", number);
}

#if CASE == 7
__attribute__((constructor)) static void early(void)
{
    exit(8);
}
#endif

__attribute__((noinline)) static void end(int number)
{
    switch (number) {
    case 1:
        exit(3);
    case 2:
        _exit(4);
    case 3:
        abort();
    case 4:
        assert(number == 5);
        break;
    case 5:
        signal(SIGTERM, caught);
        raise(SIGTERM);
        exit(6);
    case 6:
        raise(SIGTERM);
        break;
    default:
        puts("main");
    }
}

int main(void)
{
    atexit(farewell);
    end(CASE);
    return 0;
}
