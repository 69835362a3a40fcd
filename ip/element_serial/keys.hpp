// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"

namespace levee::element_serial {

inline constexpr config::Key keys[] = {
    clock_key,
    config::count32("tile", "Elements of the FIFO, after which a sum is joined to the vector's.",
                    {2, 1024})
        .from("VEDA, table I: 32"),
    rtl_key,
    assertions_key,
};

} // namespace levee::element_serial
