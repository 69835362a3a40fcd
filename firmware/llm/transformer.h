// SPDX-License-Identifier: Apache-2.0
/* The transformer as lists of operations, in an order in which each value is written before it is
 * read. Any other order that respects reads and writes gives the same numbers. */
#pragma once

#include "firmware/llm/operation.h"

#include <stdbool.h>

/* Greatest number of operations in one of the lists below. */
#define TRANSFORMER_MAX_OPERATIONS 20u

/* Functions that append operations of a layer, or of the model as a whole, to `list`.
 * transformer_begin reads the embeddings into X. */
void transformer_begin(struct operation_list* list);

/* Appends attention, whose output is added to X. `separate` requests three products for Q, K and V
 * instead of one. transformer_feed_forward appends the feed-forward network, whose output is also
 * added. The result is the next layer's X. */
void transformer_attention(const struct model* model, uint32_t layer, bool separate,
                           struct operation_list* list);
void transformer_feed_forward(const struct model* model, uint32_t layer,
                              struct operation_list* list);

/* Appends the end of a pass: the operations from the last layer's X to the picked tokens. */
void transformer_end(const struct model* model, struct operation_list* list);
