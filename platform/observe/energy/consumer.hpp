// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/declaration.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace levee::energy {

/// The types of component that a price list may name, each with its events.
using Types = std::span<const Declaration* const>;

/// Something in a system that takes energy.
struct Consumer {
    std::string name;
    std::string type;
    bool on_chip = true;
    std::uint64_t size_bytes = 0; ///< of what it stores
    /// What is stated for its type is for it, too: not for a second queue of a block.
    bool has_units = true;
};

/// The part of a chip whose power or area is stated as a whole and that no component stands for.
inline constexpr const char* chip_other = "chip_other";

} // namespace levee::energy
