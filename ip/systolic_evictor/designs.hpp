// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/systolic_evictor/pins.hpp"

#include <memory>
#include <span>
#include <string>

namespace levee::systolic_evictor {

/// A design that can be in the evictor's place.
struct Design {
    std::string name; ///< in scenarios: `rtl: NAME`
    std::size_t rows;
    MakePins make;
    /// The same with assertions and cover points, for cosim; slower.
    MakePins make_checked;
};

/// The first is the block's own.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::systolic_evictor
