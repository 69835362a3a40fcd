// SPDX-License-Identifier: Apache-2.0
/* The transformer as a program: lists of operations in the order in which the values are defined.
 * Any order that respects reads and writes gives the same numbers. */
#pragma once

#include "firmware/llm/operation.h"

#include <stdbool.h>

/* The most operations of one list below. */
#define TRANSFORMER_MAX_OPERATIONS 20u

/* Each function appends operations to `list`; they belong to the layer or to the model itself. */
void transformer_begin(struct operation_list* list);

/* Continues from X to X plus the output of attention, with Q, K and V from one product or
 * separate ones; then to the next layer's X. */
void transformer_attention(const struct model* model, uint32_t layer, bool separate,
                           struct operation_list* list);
void transformer_feed_forward(const struct model* model, uint32_t layer,
                              struct operation_list* list);

/* Continues from the last layer's X to the picks. */
void transformer_end(const struct model* model, struct operation_list* list);
