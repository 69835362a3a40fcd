// SPDX-License-Identifier: Apache-2.0
/* Host link: a program reports its exit, phases, tokens and measurements to the platform. All
 * registers are 32 bits wide and write-only. */
#pragma once

#define LEVEE_HOSTLINK_EXIT 0x00u /* ends the run with this exit code (0 = success) */
/* A value of enum levee_phase: starts this phase and ends the previous one. */
#define LEVEE_HOSTLINK_PHASE 0x04u
#define LEVEE_HOSTLINK_SEQUENCE 0x08u    /* sequence of the next TOKEN */
#define LEVEE_HOSTLINK_TOKEN 0x0Cu       /* a generated token id */
#define LEVEE_HOSTLINK_METRIC_NAME 0x10u /* address of a name: 1 to 63 of [a-z0-9_.], then 0 */
#define LEVEE_HOSTLINK_VALUE_LO 0x14u
#define LEVEE_HOSTLINK_VALUE_HI 0x18u
#define LEVEE_HOSTLINK_METRIC 0x1Cu /* enum levee_metric_kind: records name = value */
/* Parts of the work, for progress and sampling; a run has many of them. MARK = 1 begins the part
 * given by MARK_KIND and MARK_INDEX and ends the previous one. MARK = 0 only ends the previous
 * one. */
#define LEVEE_HOSTLINK_MARK_KIND 0x20u /* enum levee_mark */
#define LEVEE_HOSTLINK_MARK_INDEX                                                                  \
    0x24u /* index among the parts of this kind; enum levee_mark states its meaning */
#define LEVEE_HOSTLINK_MARK 0x28u
/* Weight, in a sampled run, of the part that the next MARK = 1 begins: a signed number in units of
 * 1/LEVEE_MARK_ONCE. Reset and every MARK = 1 set this register to LEVEE_MARK_ONCE. A part that
 * covers only some of the layers is run several times, with weights that add up to LEVEE_MARK_ONCE.
 * A part with weight 0 runs before the parts with weights, and only checks their extrapolation. */
#define LEVEE_HOSTLINK_MARK_TIMES 0x34u
#define LEVEE_MARK_ONCE 840 /* divisible by every number from 1 to 8 */
/* Registers that declare an additional stack of the program, for --check stack. */
#define LEVEE_HOSTLINK_STACK_BOTTOM 0x2Cu /* address of the stack's lowest byte */
#define LEVEE_HOSTLINK_STACK_TOP 0x30u    /* address after its last byte; declares the stack */

/* Events of requests in a queue. A write to REQUEST_EVENT reports an event of the request whose
 * number was last written to REQUEST. */
#define LEVEE_HOSTLINK_REQUEST 0x38u
#define LEVEE_HOSTLINK_REQUEST_EVENT 0x3Cu /* enum levee_request_event */

enum levee_request_event {
    LEVEE_REQUEST_TAKEN = 1,   /* Taken from the queue. */
    LEVEE_REQUEST_PREFILL = 2, /* The prompt of the request is now processed. */
    LEVEE_REQUEST_STEP = 3,    /* A step of all requests in the batch begins. REQUEST is then the
                                * number of entries in the step. */
    LEVEE_REQUEST_LEFT = 4,    /* The answer is complete. */
    LEVEE_REQUEST_COPY = 5,    /* Copying of cached tokens to the entry of the next prompt, from
                                * another entry, begins. REQUEST is then the number of tokens. */
    LEVEE_REQUEST_SHARED = 6,  /* REQUEST is the number of tokens of that prompt that the model does
                                * not process, including copied ones. */
    /* Events of conversations: saving of cached tokens begins; copying them back begins; the
     * copy has ended. REQUEST is the number of tokens. */
    LEVEE_REQUEST_SAVE = 7,
    LEVEE_REQUEST_RESUME = 8,
    LEVEE_REQUEST_MOVED = 9,
    /* Events of speculative decoding with a draft model: the draft begins, or has ended. REQUEST is
     * the number of tokens that the draft model guesses; 0: it reads a prompt. */
    LEVEE_REQUEST_DRAFT = 10,
    LEVEE_REQUEST_DRAFTED = 11
};

enum levee_mark {
    LEVEE_MARK_PREFILL_CHUNK = 1, /* A chunk of one entry's prompt; index: number of the chunk,
                                     counted through all entries of the batch. */
    LEVEE_MARK_SELECTION =
        2, /* The choice of the tokens to keep, after one entry's prefill; index: the entry. */
    LEVEE_MARK_DECODE_STEP = 3, /* A step of the whole batch; index: the step. */
    LEVEE_MARK_LEFT_OUT = 4     /* Represents other work that the sampled run omits. */
};

enum levee_phase {
    LEVEE_PHASE_OTHER = 0, /* Counts as neither prefill nor decoding. */
    LEVEE_PHASE_PREFILL = 1,
    LEVEE_PHASE_DECODE = 2
};

/* Type of a metric's value: uint64, int64, or the bits of a double. */
enum levee_metric_kind { LEVEE_METRIC_U64 = 1, LEVEE_METRIC_I64 = 2, LEVEE_METRIC_F64 = 3 };
