// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"

namespace levee::sfu {

inline constexpr config::Key keys[] = {
    clock_key,
    config::count32("lanes", "Elements that it takes per cycle.", {1, 65536}),
    config::count32("pipeline_cycles",
                    "Latency from an element to its result, paid once per operation."),
};

} // namespace levee::sfu
