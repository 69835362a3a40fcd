// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/systolic_evictor/pins.hpp"

#include <span>

namespace levee::systolic_evictor {

using Design = RtlChoice<Ports>;

/// The designs that can be in the evictor's place, as CMakeLists.txt lists them; the first is the
/// block's own.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::systolic_evictor
