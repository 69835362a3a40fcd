/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of a block, and what its registers say about submitted descriptors. */
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
    uint32_t done;    /* LEVEE_CMD_DONE_COUNT before the submission. */
    uint32_t first;   /* Descriptors that the queue had taken before the submission. */
    bool first_known; /* whether `first` is known */
    bool is_occupied; /* An operation that takes too long to wait for is running. */
    bool was_aborted; /* Some of its errors might not have been seen. */
    uint32_t first_tag, count;
    uint32_t completed, refused; /* numbers of descriptors since the start */
    uint32_t accepted[RANDOM_OPCODES];
};

enum answer { ANSWER_DONE, ANSWER_REFUSED, ANSWER_WAITS };

struct outcome {
    enum answer answer;
    uint32_t completed; /* number of submitted descriptors that have completed */
    uint32_t code, field;
};

/* Counts of the run. Each finding is printed and counted. */
struct counts {
    uint32_t submitted, completed, refused, dropped, waits, findings;
};
extern struct counts counts;

void station_open(struct station* station, const struct levee_block_info* block,
                  const struct random_type* type);
/* Rings the doorbell for `count` descriptors at the address. The first descriptor has the given
 * tag. */
void station_submit(struct station* station, uint64_t address, uint32_t count, uint32_t tag);
/* Waits until the queue is empty or has stopped. After a long wait it resets the queue.
 * `may_wait` means that descriptors may legitimately wait forever or take long. */
struct outcome station_wait(struct station* station, bool may_wait);
/* Resets the queue at once. */
void station_abort(struct station* station);
/* Returns how many descriptors have been executed since the start. */
uint32_t station_executed(const struct station* station);

void finding(const struct station* station, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
