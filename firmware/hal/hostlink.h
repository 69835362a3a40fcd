// SPDX-License-Identifier: Apache-2.0
/* Reports to the platform: phases, tokens, parts of the work, metrics, and the end
 * (ip/hostlink/regs.h). */
#pragma once

#include "ip/hostlink/regs.h"

#include <stddef.h>
#include <stdint.h>

_Noreturn void hostlink_exit(int code);
void hostlink_phase(enum levee_phase phase);
void hostlink_token(uint32_t sequence, uint32_t token);

/* A part of the work: the unit of the progress bar and of sampling. It ends when the next one
 * begins, or at this call. */
void hostlink_begin(enum levee_mark kind, uint32_t index);
/* Sets the weight of the next part, in 1/LEVEE_MARK_ONCE; the default is once. */
void hostlink_times(int32_t times);
/* Ends a part; no effect if none is open. Takes as long as a begin, so that a part's time does
 * not depend on whether another one follows at once. */
void hostlink_end(void);

/* number: the request's, or the entries of a step. */
void hostlink_request(enum levee_request_event event, uint32_t number);

/* Declares [bottom, bottom + bytes) as a stack in addition to the program's first one, for
 * --check stack, which finds stacks in separate objects by itself. */
void hostlink_stack(void* bottom, size_t bytes);

/* name: [a-z0-9_.], at most 63 characters. */
void hostlink_metric_u64(const char* name, uint64_t value);
void hostlink_metric_f64(const char* name, double value);
