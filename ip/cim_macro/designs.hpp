// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/cim_macro/pins.hpp"

#include <span>

namespace levee::cim_macro {

using Design = RtlChoice<Ports>;

/// Designs of the macro, as listed in CMakeLists.txt; the first is Titanus's size.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::cim_macro
