// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"

namespace levee::sfu {

inline constexpr config::Key keys[] = {
    clock_key,
    config::count32("lanes", "Elements it takes a cycle.", {1, 65536}),
    config::count32("pipeline_cycles",
                    "Cycles from an element in to its result out, once an operation."),
};

} // namespace levee::sfu
