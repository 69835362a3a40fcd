// SPDX-License-Identifier: Apache-2.0
/* `recompute: hidden`: the number of an entry's stored inputs from which keys and values can be
 * recomputed without a longer pass. */
#pragma once

#include "firmware/llm/model.h"

#include <stdint.h>

/* Rows for each of `batch` entries; 0: nothing can be hidden. The estimate compares the least
 * saving of a stored input with all its costs added up. */
uint32_t recompute_hidden_rows(const struct model* model, uint32_t batch);
