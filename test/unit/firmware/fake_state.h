// SPDX-License-Identifier: Apache-2.0
/* State that the parts of the fake platform share during a run. */
#pragma once

#include "core/abi/boot_info.h"
#include "firmware/drivers/command_queue.h"
#include "test/unit/firmware/fake_platform.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMAGE_BYTES 65536u
#define TOKENS_BYTES 65536u
#define STUCK 99
#define ENTRY_BYTES 32u /* Bytes for each entry of an eDRAM's register file. */
#define SRAM_BASE 0x20000000ull
#define EDRAM_BASE 0x30000000ull
#define MORE_KV_BASE(i) (EDRAM_BASE + 0x1000000ull * ((i) + 1))

/* The queue of a unit as its block sees it. */
struct fake_queue {
    const struct levee_descriptor* pending[1024];
    uint32_t head, tail;
};

struct fake_state {
    jmp_buf end;
    struct fake_outcome* outcome;
    struct levee_boot_info info;
    uint8_t* backing; /* The image, then token ids and sequences. */
    uint8_t* heap;
    size_t heap_bytes, heap_used;
    struct fake_queue queues[FAKE_UNITS];
    struct command_queue* drivers[FAKE_UNITS];
    uint32_t counters[FAKE_UNITS];
    uint8_t unit_of_counter[FAKE_UNITS]; /* Units in the order in which their queues are opened. */
    uint32_t opened;
    uint32_t armed_counter, armed_value;
    bool armed, reached, interrupt, rsa_first;
    uint32_t voting_capacity, cam_rows, queue_depth, input_rows_used, input_rows_grow,
        activation_edram, first_kv_undivided, passes, flash_ns, flash_fetch_ns;
    bool plain;       /* true: the eDRAM with the role kv is not divided.  */
    uint32_t divided; /* Bit i is for more_kv[i]. */
    struct levee_block_info controllers[FAKE_EDRAMS];
    uint64_t sz_bytes;
    uint64_t load_bytes_per_second;
    uint64_t elements_per_second;
    int32_t step, recorded_from;
};

extern struct fake_state fake;

/* Fills in the memories and blocks of boot_info. */
void fake_describe_memories(const struct fake_job* job);
void fake_describe_blocks(const struct fake_job* job);
