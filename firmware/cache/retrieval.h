// SPDX-License-Identifier: Apache-2.0
/* A cache that keeps everything, while a decode step reads only the nearest tokens. Each
 * arriving key leaves a proxy in an associative memory. A search lists, for each KV head, the
 * slots nearest to its queries, and attention is computed exactly over these. Passes of several
 * tokens attend to all. */
#pragma once

#include "firmware/cache/hooks.h"

extern const struct cache_hooks retrieval_hooks;
