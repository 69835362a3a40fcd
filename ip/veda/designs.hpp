// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/veda/pins.hpp"

#include <span>
#include <string>

namespace levee::veda {

/// A design that can be in the arrays' place.
struct Design {
    std::string name; ///< in scenarios: `rtl: NAME`
    ArrayShape shape;
    MakePins make;
};

/// rtl/veda in the sizes that are built: two arrays of 8 x 8, for speed; of 2 x 2, with assertions
/// and cover points.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::veda
