// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/build/description.hpp"
#include "core/rtl/build/probe.hpp"

#include <map>
#include <string>

namespace levee::own_rtl {

/// A module with the boundary's pins that contains the user's module, connected as described.
struct Wrapper {
    static constexpr const char* name = "levee_boundary";
    std::string text;                ///< SystemVerilog
    std::map<int, Connection> lines; ///< Connection of a port, by line number.
};

/// Throws config::Error for a port or a pin that does not exist, has no line, or has the other
/// direction. Verilator itself checks the widths.
[[nodiscard]] Wrapper wrap(const Description& description, const Interface& user,
                           const Interface& boundary);

} // namespace levee::own_rtl
