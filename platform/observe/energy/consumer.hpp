// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "core/component/event_price.hpp"
#include "core/component/parameter.hpp"
#include "core/config/node.hpp"
#include "core/config/quantity.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace levee::energy {

/// The types of components that a price list may name, with their events.
using Types = std::span<const Declaration* const>;

/// A part of a system that consumes energy.
struct Consumer {
    std::string name;
    std::string type;
    bool on_chip = true;
    std::uint64_t size_bytes = 0; ///< size of the component's memory
    /// False for the second and further queues of a block, so that prices per component are charged
    /// once.
    bool has_units = true;
    std::uint64_t ports = 1;
    std::vector<Parameter> parameters{}; ///< the parameters that `describe` shows
    CommandPricing price_commands{};     ///< null: its commands have no price from a
                                         ///< datasheet

    /// Returns the value of a parameter as text. If the component does not have the parameter,
    /// throws config::Error at `place`; `path` is the price list's key that names it.
    [[nodiscard]] const std::string& parameter(const std::string& name, const config::Place& place,
                                               const std::string& path) const;
};

/// Returns the type with the entry's name. `path` is the entry's path. For an unknown name, throws
/// config::Error at the entry, with the known types.
[[nodiscard]] const Declaration& type_called(Types types, const config::Node::Entry& entry,
                                             const std::string& path);

/// Throws config::Error at the entry unless it names a parameter of the type. `keys` are the keys
/// that the map at `path` may have.
void check_parameter(const Declaration& type, std::span<const config::Key> keys,
                     const config::Node::Entry& entry, const std::string& path);

/// A number with its unit.
struct Quantity {
    config::Dimension dimension;
    std::uint64_t value;
};

/// Returns the number in a parameter's text; nothing if the text is not a number.
[[nodiscard]] std::optional<Quantity> quantity_in(const std::string& text);

/// Name of the type for the rest of a chip: the part of the chip's stated power or area that
/// belongs to no component.
inline constexpr const char* chip_other = "chip_other";

} // namespace levee::energy
