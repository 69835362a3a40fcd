// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"

namespace levee::sram {

inline constexpr config::Key keys[] = {
    config::pages("size", "Bytes that it stores.", {4096, 0x2000'0000}),
    config::quantity("bandwidth", config::Dimension::Bandwidth,
                     "Rate of its port, which reads and writes share.", {1}),
    config::quantity("latency", config::Dimension::Time,
                     "Latency of a single access; a stream pays it once."),
    config::count32("ports", "Ports that make up the bandwidth; only prices depend on it.", {1, 64})
        .or_else("1"),
};

} // namespace levee::sram
