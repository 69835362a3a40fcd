// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/systolic_evictor/pins.hpp"

#include <span>

namespace levee::systolic_evictor {

using Design = RtlChoice<Ports>;

/// Designs that can replace the evictor, as listed in CMakeLists.txt; the first is the block's own.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::systolic_evictor
