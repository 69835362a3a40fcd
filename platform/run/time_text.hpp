// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/quantity.hpp"
#include "core/units/clock.hpp"

#include <string>

namespace levee {

/// Returns a simulated time for a message, such as "12.5 us".
[[nodiscard]] inline std::string time_text(Picoseconds ps)
{
    return config::format_quantity(ps, config::Dimension::Time);
}

} // namespace levee
