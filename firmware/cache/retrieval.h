// SPDX-License-Identifier: Apache-2.0
/* A cache that keeps all tokens, although a decode step reads only the nearest ones. For each
 * arriving key, a proxy is stored in an associative memory. For each KV head, a search lists the
 * slots whose proxies are nearest to the head's queries. Attention over the listed slots is exact.
 * Passes with several tokens attend to all slots. */
#pragma once

#include "firmware/cache/hooks.h"

extern const struct cache_hooks retrieval_hooks;
