// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"

namespace levee::element_serial {

inline constexpr config::Key keys[] = {
    clock_key,
    config::count32("tile",
                    "Elements of a tile; the FIFO holds one tile, and each tile has its own sum.",
                    {2, 1024})
        .from("VEDA, table I: 32"),
    rtl_key,
    assertions_key,
};

} // namespace levee::element_serial
