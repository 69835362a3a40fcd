// SPDX-License-Identifier: Apache-2.0
/* The smallest program. It prints a line, and counts its own instructions. */
#include "firmware/hal/hostlink.h"
#include "firmware/hal/system.h"
#include "firmware/hal/timer.h"

#include <stdio.h>

int main(void)
{
    uint64_t instructions = timer_instructions();
    uint64_t cycles = timer_cycles();
    const struct levee_boot_info* info = system_info();

    printf("Hello from the core, at %lu MHz, with %lu blocks and %lu memories:\n",
           (unsigned long)(info->core_hz / 1000000u), (unsigned long)info->block_count,
           (unsigned long)info->memory_count);
    for (uint32_t i = 0; i < info->block_count; ++i)
        printf("  block %s at 0x%08lx\n", info->blocks[i].name,
               (unsigned long)info->blocks[i].base);
    for (uint32_t i = 0; i < info->memory_count; ++i)
        printf("  memory %s, %lu KiB\n", info->memories[i].name,
               (unsigned long)(info->memories[i].size >> 10));

    instructions = timer_instructions() - instructions;
    cycles = timer_cycles() - cycles;
    printf("That took %lu instructions, %lu cycles.\n", (unsigned long)instructions,
           (unsigned long)cycles);
    hostlink_metric_u64("hello.instructions", instructions);
    hostlink_metric_u64("hello.cycles", cycles);
    return 0;
}
