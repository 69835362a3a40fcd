// SPDX-License-Identifier: Apache-2.0
/* Operations of a cache of compressed rows (cache/compressed.h), as descriptors of a compression
 * block: for the table of every machine that has one and keeps keys and values as INT16 vectors
 * with a scale each. */
#pragma once

#include "firmware/target/placement.h"
#include "firmware/target/target.h"

/* Whether the policy compresses; for unit_class.is_used. */
bool cpq_is_used(const struct target* target, const struct lowering* lowering);

/* Ends the run if the block's scale-zero buffer has no room for the tables of all layers. */
void cpq_check(const struct cache* cache);

/* Keys or values of a pass's entries, by the operation's kind. */
lower_operation cpq_lower_expand, cpq_lower_compress, cpq_lower_prefill, cpq_lower_reset;
