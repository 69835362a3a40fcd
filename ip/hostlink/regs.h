// SPDX-License-Identifier: Apache-2.0
/* Host link: reports from a program to the platform: its end, phases, tokens and measurements.
 * All registers are 32 bits wide and write-only. */
#pragma once

#define LEVEE_HOSTLINK_EXIT 0x00u /* ends the run with this exit code (0 = success) */
/* enum levee_phase: starts this phase and ends the previous one */
#define LEVEE_HOSTLINK_PHASE 0x04u
#define LEVEE_HOSTLINK_SEQUENCE 0x08u    /* sequence of the next TOKEN */
#define LEVEE_HOSTLINK_TOKEN 0x0Cu       /* a generated token id */
#define LEVEE_HOSTLINK_METRIC_NAME 0x10u /* address of a name: 1 to 63 of [a-z0-9_.], then 0 */
#define LEVEE_HOSTLINK_VALUE_LO 0x14u
#define LEVEE_HOSTLINK_VALUE_HI 0x18u
#define LEVEE_HOSTLINK_METRIC 0x1Cu /* enum levee_metric_kind: records name = value */
/* Parts of the work, of which a run has many; they serve progress and sampling. Writing MARK = 1
 * begins the part named by MARK_KIND and MARK_INDEX and ends the previous one; MARK = 0 only
 * ends it. */
#define LEVEE_HOSTLINK_MARK_KIND 0x20u /* enum levee_mark */
#define LEVEE_HOSTLINK_MARK_INDEX                                                                  \
    0x24u /* index among parts of its kind: from a workload.samples list, or counted */
#define LEVEE_HOSTLINK_MARK 0x28u
/* How often the part that the next MARK = 1 begins counts in a sampled run, a signed number of
 * 1/LEVEE_MARK_ONCE. After each MARK = 1 it is LEVEE_MARK_ONCE again, as at reset. A part whose
 * passes go through some of the layers is run several times, with times that add up to
 * LEVEE_MARK_ONCE. With 0 it is run to check the others' extrapolation, before them. */
#define LEVEE_HOSTLINK_MARK_TIMES 0x34u
#define LEVEE_MARK_ONCE 840 /* divisible by 1 to 8 */
/* A stack of the program besides its first one, for --check stack. */
#define LEVEE_HOSTLINK_STACK_BOTTOM 0x2Cu /* address of its lowest byte */
#define LEVEE_HOSTLINK_STACK_TOP 0x30u    /* one past its highest: the stack is known from now on */

/* Requests of a queue: writing an event reports it of the request whose number was written last. */
#define LEVEE_HOSTLINK_REQUEST 0x38u
#define LEVEE_HOSTLINK_REQUEST_EVENT 0x3Cu /* enum levee_request_event */

enum levee_request_event {
    LEVEE_REQUEST_TAKEN = 1,   /* Taken from the queue. */
    LEVEE_REQUEST_PREFILL = 2, /* From now on the prompt goes through the model. */
    LEVEE_REQUEST_STEP = 3,    /* From now on a step of all requests with a token runs; REQUEST
                                * is the number of entries in the step. */
    LEVEE_REQUEST_LEFT = 4,    /* The answer is complete. */
    LEVEE_REQUEST_COPY = 5,    /* From now on tokens are copied from another entry to the one
                                * whose prompt is next; REQUEST is their number. */
    LEVEE_REQUEST_SHARED = 6,  /* REQUEST is the number of that prompt's tokens, including copied
                                * ones, that need not go through the model. */
    /* In a conversation: from now on cached tokens are saved, or copied back; the copy has ended.
     * REQUEST is their number. */
    LEVEE_REQUEST_SAVE = 7,
    LEVEE_REQUEST_RESUME = 8,
    LEVEE_REQUEST_MOVED = 9,
    /* Speculative decoding with a draft: from now on the draft runs; it has ended. REQUEST is the
     * number of its guesses; 0: it reads a prompt. */
    LEVEE_REQUEST_DRAFT = 10,
    LEVEE_REQUEST_DRAFTED = 11
};

enum levee_mark {
    LEVEE_MARK_PREFILL_CHUNK = 1, /* one entry's; index: counted over the batch's entries */
    LEVEE_MARK_SELECTION =
        2, /* the choice of kept tokens after one entry's prefill; index: the entry */
    LEVEE_MARK_DECODE_STEP = 3, /* A step of the whole batch; index: the step. */
    LEVEE_MARK_LEFT_OUT = 4     /* replaces other work that is left out */
};

enum levee_phase {
    LEVEE_PHASE_OTHER = 0, /* Not counted in either phase. */
    LEVEE_PHASE_PREFILL = 1,
    LEVEE_PHASE_DECODE = 2
};

enum levee_metric_kind {
    LEVEE_METRIC_U64 = 1,
    LEVEE_METRIC_I64 = 2,
    LEVEE_METRIC_F64 = 3 /* the bits of a double */
};
