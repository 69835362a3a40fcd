// SPDX-License-Identifier: Apache-2.0
/* Arriving keys and values that are staged beside the cache until they have been used, as a target
 * may ask: readers find them through a redirection table, and afterwards they are written back to
 * their slots. */
#pragma once

#include "firmware/cache/hooks.h"

extern const struct cache_hooks staging_hooks;
