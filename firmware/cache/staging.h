// SPDX-License-Identifier: Apache-2.0
/* Arriving keys and values that stay outside the cache until they have been used, if a target
 * asks for it. Readers find them through a redirection table; afterwards they are written to
 * their slots. */
#pragma once

#include "firmware/cache/hooks.h"

extern const struct cache_hooks staging_hooks;
