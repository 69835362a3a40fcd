// SPDX-License-Identifier: Apache-2.0
/* Makes the argmax unit find the greatest of 1000 elements. */
#include "firmware/drivers/command_queue.h"
#include "firmware/drivers/descriptor.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"
#include "regs.h"

#include <stdio.h>

enum { count = 1000, greatest = 123 };
static float elements[count];
static struct argmax_result result;
static struct levee_descriptor work __attribute__((aligned(8)));

static bool reached(void* context)
{
    (void)context;
    return sync_reached();
}

int main(void)
{
    struct command_queue unit;
    sync_open();
    command_queue_open(&unit, BLOCK_ARGMAX, "argmax");
    printf("%lu lanes\n", (unsigned long)mmio_read32(unit.block->base + ARGMAX_LANES));
    for (int i = 0; i < count; ++i)
        elements[i] = i % 17;
    elements[greatest] = 99;

    descriptor_init(&work, ARGMAX_FIND, 7);
    const struct argmax_operation find = {bus_address(elements), bus_address(&result), count, 0};
    memcpy(work.operation, &find, sizeof find);
    descriptor_signal(&work, 0, 0); /* Adds 1 to counter 0 at the end. */
    sync_arm(0, 1);
    command_queue_submit(&unit, &work, 1);
    irq_wait_until(reached, NULL);

    printf("element %lu is the greatest: %d\n", (unsigned long)result.index, (int)result.value);
    hostlink_metric_u64("argmax.index", result.index);
    return result.index == greatest ? 0 : 1;
}
