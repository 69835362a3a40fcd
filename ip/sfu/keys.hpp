// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"

namespace levee::sfu {

inline constexpr config::Key keys[] = {
    clock_key,
    config::count32("lanes", "Elements that the unit takes per cycle.", {1, 65536}),
    config::count32("pipeline_cycles",
                    "Cycles from an element to its result, counted once per operation."),
};

} // namespace levee::sfu
