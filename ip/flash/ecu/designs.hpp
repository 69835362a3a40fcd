// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/ecu/pins.hpp"

#include <span>

namespace levee::flash::ecu {

using Design = RtlChoice<Ports>;

/// Designs that can replace the error correction unit, as listed in CMakeLists.txt.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::flash::ecu
