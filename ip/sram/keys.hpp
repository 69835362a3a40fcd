// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"

namespace levee::sram {

inline constexpr config::Key keys[] = {
    config::pages("size", "Capacity of the memory.", {4096, 0x2000'0000}),
    config::quantity("bandwidth", config::Dimension::Bandwidth,
                     "Rate of the memory, which reads and writes share.", {1}),
    config::quantity("latency", config::Dimension::Time,
                     "Latency of a single access; a stream has this latency once."),
    config::count32(
        "ports", "Number of ports that provide the bandwidth; only prices depend on it.", {1, 64})
        .or_else("1"),
};

} // namespace levee::sram
