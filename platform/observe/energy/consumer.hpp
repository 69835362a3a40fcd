// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/declaration.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace levee::energy {

/// Types of components that a price list may name, each with its events.
using Types = std::span<const Declaration* const>;

/// An energy consumer of a system.
struct Consumer {
    std::string name;
    std::string type;
    bool on_chip = true;
    std::uint64_t size_bytes = 0; ///< of its data
    /// False for a second queue of a block: what is stated for the type is not stated for it again.
    bool has_units = true;
};

/// The rest of a chip: the power or area stated for the chip that no component accounts for.
inline constexpr const char* chip_other = "chip_other";

} // namespace levee::energy
