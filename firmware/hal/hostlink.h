/* What the platform is told: phases, tokens, metrics, and the end (ip/hostlink/regs.h). */
#pragma once

#include "ip/hostlink/regs.h"

#include <stdint.h>

_Noreturn void hostlink_exit(int code);
void hostlink_phase(enum levee_phase phase);
void hostlink_token(uint32_t sequence, uint32_t token);

/* name: [a-z0-9_.], at most 63 characters. */
void hostlink_metric_u64(const char* name, uint64_t value);
void hostlink_metric_f64(const char* name, double value);
