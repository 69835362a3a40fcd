// SPDX-License-Identifier: Apache-2.0
/* Stages arriving keys and values outside the cache, for targets that request it. Readers find the
 * staged vectors through a redirection table. After they have been read, the vectors are copied to
 * their slots. */
#pragma once

#include "firmware/cache/hooks.h"

extern const struct cache_hooks staging_hooks;
