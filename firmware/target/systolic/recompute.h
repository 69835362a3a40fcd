// SPDX-License-Identifier: Apache-2.0
/* `recompute: hidden`: the number of an entry's stored inputs from which keys and values can be
 * recomputed without a longer pass. */
#pragma once

#include "firmware/llm/model.h"

#include <stdint.h>

/* Rows for each of `batch` entries; 0: nothing hides. What a machine is asked for is the least that
 * a stored input saves, and all that it costs one after another. */
uint32_t recompute_hidden_rows(const struct model* model, uint32_t batch);
