// SPDX-License-Identifier: Apache-2.0
/* A cache of limited size, in which votes assign the slots (VEDA, section III). Each token has one
 * vote count per layer. All heads share this count, and keep the same tokens in the same slots. An
 * arriving token takes the spare slot. Each token to which it hardly attends gets a vote. ELECT
 * chooses the slot for the next token. */
#pragma once

#include "firmware/cache/hooks.h"

extern const struct cache_hooks voting_hooks;
