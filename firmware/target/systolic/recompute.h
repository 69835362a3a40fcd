// SPDX-License-Identifier: Apache-2.0
/* For `recompute: hidden`: how many stored inputs of an entry can be converted to keys and values
 * without making the pass longer. */
#pragma once

#include "firmware/llm/model.h"

#include <stdint.h>

/* Returns the number of rows for each of `batch` entries; 0: no recomputation can be hidden. The
 * estimate compares the least possible saving of a stored input with the sum of its costs. */
uint32_t recompute_hidden_rows(const struct model* model, uint32_t batch);
