// SPDX-License-Identifier: Apache-2.0
/* The draft of speculative decoding: a second, smaller model that guesses a text's next tokens.
 * Its session runs on the target's units, between the target's passes. It has the target's policy,
 * its image lies behind the target's, and its keys and values behind the target's. */
#pragma once

#include "firmware/session/session.h"

#include <stdint.h>

/* Opens the draft, if the workload has one; NULL: it has none. Ends the run if the draft cannot be
 * run next to the target. After session_open(target). */
struct session* draft_model_open(struct session* target);

/* Puts the tokens of the target's prompt through the draft, as far as it has not seen them. */
void draft_model_hear(struct session* draft, const struct session* target);

/* Guesses the next `count` tokens of the target's text, at least one, and puts them behind it. */
void draft_model_guess(struct session* draft, const struct session* target, uint32_t count);
