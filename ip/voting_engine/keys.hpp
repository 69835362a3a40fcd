// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"

namespace levee::voting_engine {

inline constexpr config::Key keys[] = {
    clock_key,
    config::count32("capacity",
                    "Elements of the FIFO and slots of the vote buffer; longer caches are refused.",
                    {1, 1u << 20})
        .from("VEDA, table I: 4096"),
    rtl_key,
    assertions_key,
};

} // namespace levee::voting_engine
