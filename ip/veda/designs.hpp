// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/veda/pins.hpp"

#include <span>

namespace levee::veda {

using Design = RtlChoice<Ports>;

/// The designs that can be in the arrays' place, as CMakeLists.txt lists them.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::veda
