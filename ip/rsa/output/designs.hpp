// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/rsa/output/pins.hpp"

#include <span>

namespace levee::rsa::output {

using Design = RtlChoice<Ports>;

/// Designs of the output-stationary array, as listed in CMakeLists.txt; the first is Kelle's size.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::rsa::output
