/* SPDX-License-Identifier: Apache-2.0 */
/* A block's queue, and its registers' answers about what was submitted. */
#pragma once

#include "core/abi/boot_info.h"
#include "core/abi/command_regs.h"
#include "test/firmware/random/draw.h"

#include <stdbool.h>
#include <stdint.h>

struct station {
    const struct levee_block_info* block;
    const struct random_type* type;
    uint32_t depth;
    uint32_t done;    /* LEVEE_CMD_DONE_COUNT before the submission */
    uint32_t first;   /* descriptors that the queue had taken before it */
    bool first_known; /* it is known */
    bool is_occupied; /* by an operation that takes too long to wait for */
    bool was_aborted; /* so that some of its errors may not have been seen */
    uint32_t first_tag, count;
    uint32_t completed, refused; /* since the start */
    uint32_t accepted[RANDOM_OPCODES];
};

enum answer { ANSWER_DONE, ANSWER_REFUSED, ANSWER_WAITS };

struct outcome {
    enum answer answer;
    uint32_t completed; /* of those submitted */
    uint32_t code, field;
};

/* Numbers of the run. A finding is printed, and counted. */
struct counts {
    uint32_t submitted, completed, refused, dropped, waits, findings;
};
extern struct counts counts;

void station_open(struct station* station, const struct levee_block_info* block,
                  const struct random_type* type);
/* Rings the doorbell for `count` descriptors there, the first with that tag. */
void station_submit(struct station* station, uint64_t address, uint32_t count, uint32_t tag);
/* Waits until the queue is empty, has stopped, or has waited for long, and then resets it.
 * `may_wait`: descriptors may legitimately wait for ever or take long. */
struct outcome station_wait(struct station* station, bool may_wait);
/* Resets the queue at once. */
void station_abort(struct station* station);
/* Descriptors executed since the start. */
uint32_t station_executed(const struct station* station);

void finding(const struct station* station, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
