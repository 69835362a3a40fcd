// SPDX-License-Identifier: Apache-2.0
/* Two tasks. One runs tiles of weights through the array. While it waits, the other counts
 * primes. */
#include "scheduler.h"
#include "tiles.h"

static volatile unsigned primes;

static void wait_for(uint32_t counter, uint32_t value)
{
    sync_arm(counter, value);
    task_wait_until(reached, NULL);
}

static void multiply(void* finished)
{
    for (int tile = 0; tile < TILES; ++tile) {
        describe_load(tile, 0);
        command_queue_submit(&dma, &loads[tile], 1);
        wait_for(LOADED, tile + 1);
        describe_product(tile, 0);
        command_queue_submit(&rsa, &products[tile], 1);
        wait_for(MULTIPLIED, tile + 1);
    }
    *(volatile bool*)finished = true;
}

static void count_primes(void* context)
{
    (void)context;
    for (unsigned number = 2;; ++number) {
        unsigned factor = 2;
        while (factor * factor <= number && number % factor != 0)
            ++factor;
        primes += factor * factor > number;
    }
}

static bool is_true(void* flag)
{
    return *(volatile bool*)flag;
}

int main(void)
{
    static bool finished;
    tiles_open();
    const uint64_t begun = timer_cycles();
    task_create(multiply, &finished, 2);
    task_create(count_primes, NULL, 1);
    scheduler_run(is_true, &finished);
    printf("%u primes\n", primes);
    return tiles_close(begun);
}
