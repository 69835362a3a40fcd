// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/element_serial/pins.hpp"

#include <span>

namespace levee::element_serial {

using Design = RtlChoice<Ports>;

/// Designs that can replace the unit, as listed in CMakeLists.txt.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::element_serial
