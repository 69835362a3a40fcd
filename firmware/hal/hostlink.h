// SPDX-License-Identifier: Apache-2.0
/* Reports to the platform: phases, tokens, parts of the work, metrics, and the end of the run
 * (ip/hostlink/regs.h). */
#pragma once

#include "ip/hostlink/regs.h"

#include <stddef.h>
#include <stdint.h>

_Noreturn void hostlink_exit(int code);
void hostlink_phase(enum levee_phase phase);
void hostlink_token(uint32_t sequence, uint32_t token);

/* Begins a part of the work. Parts are the units of the progress bar and of sampling. A part ends
 * when the next one begins, or at hostlink_end(). */
void hostlink_begin(enum levee_mark kind, uint32_t index);
/* Sets the weight of the next part, in units of 1/LEVEE_MARK_ONCE. The default is LEVEE_MARK_ONCE,
 * a weight of 1. */
void hostlink_times(int32_t times);
/* Ends a part. If none is open, this has no effect. It takes as long as hostlink_begin(), so a
 * part's time does not depend on whether the next part follows at once. */
void hostlink_end(void);

/* Reports an event of a request. `number` is the number of the request or, for a step, the number
 * of entries. */
void hostlink_request(enum levee_request_event event, uint32_t number);

/* Declares [bottom, bottom + bytes) as an additional stack for --check stack. A stack that is a
 * separate object needs no call, since the check finds it by itself. */
void hostlink_stack(void* bottom, size_t bytes);

/* name: [a-z0-9_.], at most 63 characters. */
void hostlink_metric_u64(const char* name, uint64_t value);
void hostlink_metric_f64(const char* name, double value);
