// SPDX-License-Identifier: Apache-2.0
/* A cache of limited size whose slots are assigned by votes (VEDA, section III). Each token has
 * one vote count in a layer, common to all heads, which keep the same tokens in the same slots.
 * An arriving token takes the spare slot; tokens that it hardly attends to get a vote, and ELECT
 * chooses the slot for the next one. */
#pragma once

#include "firmware/cache/hooks.h"

extern const struct cache_hooks voting_hooks;
