// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"

namespace levee::cim_macro {

inline constexpr config::Key keys[] = {
    clock_key,
    config::count32("inputs", "Inputs of the macro, which are elements of a vector.", {2, 1u << 16})
        .from("Titanus: 256"),
    config::count32("outputs", "Outputs of the macro, which are sums for a vector.", {1, 1u << 16})
        .from("Titanus: 32"),
    rtl_key,
    assertions_key,
};

} // namespace levee::cim_macro
