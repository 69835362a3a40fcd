// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/veda/pins.hpp"

#include <span>

namespace levee::veda {

using Design = RtlChoice<Ports>;

/// Designs that can replace the arrays, as listed in CMakeLists.txt.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::veda
