// SPDX-License-Identifier: Apache-2.0
/* The draft of speculative decoding: a second, smaller model that guesses a text's next tokens. Its
 * session runs on the units of the target (the main model), between the target's passes, with the
 * target's policy. In memory, its table of tensors is before the target's image; its tensors, keys
 * and values are after the target's. */
#pragma once

#include "firmware/session/session.h"

#include <stdint.h>

/* Opens the draft, after session_open(target). Returns NULL if the workload has no draft. Ends the
 * run if the draft cannot run together with the target. */
struct session* draft_model_open(struct session* target);

/* Processes the tokens of the target's prompt that the draft has not processed yet. */
void draft_model_hear(struct session* draft, const struct session* target);

/* Guesses the next `count` tokens (at least one) of the target's text, and appends them to the
 * text. */
void draft_model_guess(struct session* draft, const struct session* target, uint32_t count);
