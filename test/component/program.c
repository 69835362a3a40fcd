// SPDX-License-Identifier: Apache-2.0
/* Makes the tally compute a weighted sum. WRONG selects an error in the descriptor; without it, the
   program is correct. */
#include "firmware/drivers/command_queue.h"
#include "firmware/drivers/descriptor.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"
#include "test/component/regs.h"

enum { count = 40 };
static struct levee_tally_operation operation __attribute__((aligned(8)));
static struct levee_descriptor descriptor __attribute__((aligned(8)));

static bool reached(void* context)
{
    (void)context;
    return sync_reached();
}

/* The bytes of the operation beyond the descriptor are not changed. */
static void describe(void)
{
    descriptor_init(&descriptor, LEVEE_TALLY_WEIGH, 7);
    descriptor.version = LEVEE_DESCRIPTOR_V2;
    memcpy(descriptor.operation, &operation, LEVEE_DESCRIPTOR_INLINE_BYTES);
    uint64_t rest = bus_address((const char*)&operation + LEVEE_DESCRIPTOR_INLINE_BYTES);
    descriptor.continuation_bytes = sizeof operation - LEVEE_DESCRIPTOR_INLINE_BYTES;
#if WRONG == 1 /* No memory is mapped at this address. */
    rest = 0x7000000000000000u;
#elif WRONG == 2 /* The continuation is longer than the rest of the operation. */
    descriptor.continuation_bytes += 8;
#endif
    memcpy(descriptor.operation + LEVEE_DESCRIPTOR_INLINE_BYTES, &rest, sizeof rest);
    descriptor_signal(&descriptor, 0, 0);
}

int main(void)
{
    static int32_t values[count];
    int32_t result = 0;
    const struct levee_memory_info* memory = system_memory(LEVEE_ROLE_KV);
    const uint64_t to = memory->free_base + 4096;
    struct command_queue tally;
    sync_open();
    command_queue_open(&tally, LEVEE_BLOCK_TALLY, "tally");
    for (int32_t i = 0; i < count; ++i) {
        values[i] = i + 1;
        operation.weights[i] = 2;
    }
    copy_out(memory->free_base, values, sizeof values, "the values");
    operation.offset = memory->free_base - memory->base;
    operation.to = to;
    operation.count = count;
#if WRONG == 3 /* A weight beyond the last value must be 0; its field is in the continuation. */
    operation.weights[47] = 1;
#endif
    describe();
    sync_arm(0, 1);
    command_queue_submit(&tally, &descriptor, 1);
    irq_wait_until(reached, NULL);
    copy_in(&result, to, sizeof result, "the result");
    hostlink_metric_u64("tally.result", (uint32_t)result);
    hostlink_metric_u64("tally.weights", mmio_read32(tally.block->base + LEVEE_TALLY_WEIGHTS));
    return 0;
}
