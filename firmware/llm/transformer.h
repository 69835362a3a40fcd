// SPDX-License-Identifier: Apache-2.0
/* The transformer as a program: lists of operations in the order in which the values are defined.
 * Any order that respects reads and writes gives the same numbers. */
#pragma once

#include "firmware/llm/operation.h"
#include "firmware/llm/pass.h"
#include "firmware/llm/policy.h"

#include <stddef.h>

#define TRANSFORMER_MAX_OPERATIONS 44 /* of one list, each once for all parts of the cache */

/* Each fills `list` and returns how many operations it holds. */
size_t transformer_begin(const struct model* model, struct operation* list);

/* From X to X plus what attention adds to it; from there to the next layer's X. */
size_t transformer_attention(const struct model* model, const struct policy* policy,
                             const struct pass_form* form, uint32_t layer, struct operation* list);
size_t transformer_feed_forward(const struct model* model, uint32_t layer, struct operation* list);

/* From the last layer's X to the picks. */
size_t transformer_end(const struct model* model, struct operation* list);
