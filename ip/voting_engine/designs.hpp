// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/voting_engine/pins.hpp"

#include <span>

namespace levee::voting_engine {

using Design = RtlChoice<Ports>;

/// Designs that can replace the voting engine, as listed in CMakeLists.txt; the first is the
/// paper's size.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::voting_engine
