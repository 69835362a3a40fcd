// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"

namespace levee::tally {

inline constexpr config::Key keys[] = {
    clock_key,
    config::quantity("size", config::Dimension::Size, "Bytes that it stores.", {4096, 0x1000'0000}),
    config::quantity("bandwidth", config::Dimension::Bandwidth,
                     "Rate of its rows, whoever reads them."),
    config::quantity("latency", config::Dimension::Time, "Time of an access."),
    config::quantity("scrub", config::Dimension::Time, "Time in which each row is scrubbed once.",
                     {1}),
};

} // namespace levee::tally
