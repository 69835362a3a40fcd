// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/rsa/pins.hpp"

#include <span>

namespace levee::rsa {

using Design = RtlChoice<Ports>;

/// Designs of the array, as listed in CMakeLists.txt; the first is Kelle's size.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::rsa
