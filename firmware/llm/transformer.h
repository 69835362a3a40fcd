/* The transformer as a program: lists of operations in the order in which the values are defined.
 * Any order that respects reads and writes gives the same numbers. */
#pragma once

#include "firmware/llm/operation.h"

#include <stddef.h>

#define TRANSFORMER_MAX_OPERATIONS 18 /* of one list */

/* Each fills `list` and returns how many operations it holds. */
size_t transformer_begin(const struct model* model, struct operation* list);
size_t transformer_layer(const struct model* model, uint32_t layer, struct operation* list);
/* From the last layer's X to the picks. */
size_t transformer_end(const struct model* model, struct operation* list);
