// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "core/component/event_price.hpp"
#include "core/component/parameter.hpp"
#include "core/config/quantity.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace levee::energy {

/// Types of components that a price list may name, each with its events.
using Types = std::span<const Declaration* const>;

/// An energy consumer of a system.
struct Consumer {
    std::string name;
    std::string type;
    bool on_chip = true;
    std::uint64_t size_bytes = 0; ///< size of its data
    /// False for a second queue of a block: prices of the type are not applied to it again.
    bool has_units = true;
    std::uint64_t ports = 1;             ///< ports of a memory
    std::vector<Parameter> parameters{}; ///< Parameters as `describe` displays them.
    CommandPricing price_commands{}; ///< null: no price list can charge its commands by a datasheet

    /// Text of a parameter. Throws config::Error at `place` if the component has no parameter of
    /// this name; `path` is the key in the price list for its type.
    [[nodiscard]] const std::string& parameter(const std::string& name, const config::Place& place,
                                               const std::string& path) const;
};

/// A number with its unit.
struct Quantity {
    config::Dimension dimension;
    std::uint64_t value;
};

/// Number in the text of a parameter; nothing if it is not a number.
[[nodiscard]] std::optional<Quantity> quantity_in(const std::string& text);

/// The rest of a chip: the part of its stated power or area that no component accounts for.
inline constexpr const char* chip_other = "chip_other";

} // namespace levee::energy
