// SPDX-License-Identifier: Apache-2.0
/* What the platform is told: phases, tokens, parts of the work, metrics, and the end
 * (ip/hostlink/regs.h). */
#pragma once

#include "ip/hostlink/regs.h"

#include <stdint.h>

_Noreturn void hostlink_exit(int code);
void hostlink_phase(enum levee_phase phase);
void hostlink_token(uint32_t sequence, uint32_t token);

/* A part of the work: the progress bar's and sampling's unit. It ends when the next one begins, or
 * here. */
void hostlink_begin(enum levee_mark kind, uint32_t index);
/* Nothing if there is none. Takes as long as a begin, so that a part is as long whether another
 * follows at once or not. */
void hostlink_end(void);

/* name: [a-z0-9_.], at most 63 characters. */
void hostlink_metric_u64(const char* name, uint64_t value);
void hostlink_metric_f64(const char* name, double value);
