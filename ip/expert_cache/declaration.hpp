// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "ip/expert_cache/keys.hpp"

namespace levee::expert_cache {

/// A directory lookup for one matrix of one expert.
inline constexpr EnergyEvent lookup_event{"lookup"};
inline constexpr EnergyEvent events[] = {lookup_event};

inline constexpr Declaration declaration{
    .type = "expert_cache", .stores = true, .events = events, .parameters = keys};

} // namespace levee::expert_cache
