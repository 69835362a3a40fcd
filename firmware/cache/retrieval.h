// SPDX-License-Identifier: Apache-2.0
/* A cache that keeps everything and of which a decode step reads the nearest: arriving keys leave a
 * proxy in an associative memory, a search lists for each KV head the slots that its queries are
 * nearest to, and attention runs over these, exactly. Passes of several tokens attend to all. */
#pragma once

#include "firmware/cache/hooks.h"

extern const struct cache_hooks retrieval_hooks;
