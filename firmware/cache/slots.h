// SPDX-License-Identifier: Apache-2.0
/* A cache of limited size whose slots a policy gives out: an arriving token takes the spare slot of
 * its slice, and EVICT says whose slot the next one takes. A prefill goes into a cache of its own;
 * SELECT then says which tokens each head keeps, and they are gathered into their slots. */
#pragma once

#include "firmware/cache/hooks.h"

extern const struct cache_hooks slots_hooks;
