// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/cpq/pins.hpp"

#include <span>

namespace levee::cpq {

using Design = RtlChoice<Ports>;

/// Designs that can replace the pruning and quantisation units, as listed in CMakeLists.txt; the
/// first is the paper's size.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::cpq
