// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/build/description.hpp"
#include "core/rtl/build/probe.hpp"

#include <map>
#include <string>

namespace levee::own_rtl {

/// A module with the boundary's pins. It contains the user's module, connected as described.
struct Wrapper {
    static constexpr const char* name = "levee_boundary";
    std::string text;                ///< SystemVerilog source of the wrapper.
    std::map<int, Connection> lines; ///< Connection of a port, by line number.
};

/// Writes the wrapper. Throws config::Error if a port or pin does not exist, is not connected, or
/// has the wrong direction. The same holds for a pin that is both absent and connected. Verilator
/// itself checks the widths.
[[nodiscard]] Wrapper wrap(const Description& description, const Interface& user,
                           const Interface& boundary);

} // namespace levee::own_rtl
