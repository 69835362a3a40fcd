// SPDX-License-Identifier: Apache-2.0
/* A cache of limited size whose slots are given out by votes (VEDA, section III): one vote count
 * for a token and layer, common to all heads, which all keep the same tokens in the same slots. An
 * arriving token takes the spare slot; the tokens that it attends to too little get a vote, and
 * ELECT says whose slot the next one takes. */
#pragma once

#include "firmware/cache/hooks.h"

extern const struct cache_hooks voting_hooks;
