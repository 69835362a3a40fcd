// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "test/twin/pins.hpp"

#include <span>

namespace levee::inverter {

using Design = RtlChoice<Ports>;

/// Designs of the inverter, as listed in CMakeLists.txt.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::inverter
