// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"

namespace levee::expert_cache {

inline constexpr config::Key keys[] = {
    config::text("memory", "Name of the memory that holds the copies: a `dram` or an `sram`."),
    config::quantity("capacity", config::Dimension::Size,
                     "Bytes of that memory for copies; at least the size of the largest expert.",
                     {1}),
};

} // namespace levee::expert_cache
