// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/reader.hpp"
#include "platform/input/config/scenario.hpp"
#include "platform/observe/energy/amount.hpp"
#include "platform/observe/energy/consumer.hpp"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace levee::energy {

/// Area in square micrometres, as a rational, since areas are divided as powers are.
using Area = Rate;

/// A technology file of scenarios/tech/energy: prices of events, static powers and areas
/// (docs/energy.md). It holds no count; every system may use every list.
class PriceList {
public:
    /// `path` names the list in messages. Throws config::Error, also for a price without a
    /// `source`.
    PriceList(const config::Node& node, const std::string& path, Types types);

    [[nodiscard]] const std::string& name() const { return name_; }

    /// Price of one unit of `event`; nothing where the list states that it has no price and why.
    /// Throws config::Error, naming both, where the list states neither.
    [[nodiscard]] Rate rate(const Consumer& component, const std::string& event) const;

    /// Static power of `component`, one of `all`, in attojoules per picosecond. Throws as rate().
    [[nodiscard]] Rate power(const Consumer& component, std::span<const Consumer> all) const;
    /// Power stated for the chip that belongs to no component of `all`.
    [[nodiscard]] Rate rest_of_power(std::span<const Consumer> all) const;

    /// Area of `component`; nothing where the list states none.
    [[nodiscard]] std::optional<Area> area(const Consumer& component,
                                           std::span<const Consumer> all) const;
    [[nodiscard]] Area rest_of_area(std::span<const Consumer> all) const;

    /// What the list says of a machine other than those it is for (`for:`), a text for each
    /// component's key that is another's: "rsa.rows is 64, not 32 or 24".
    [[nodiscard]] std::vector<std::string>
    outside(std::span<const config::Component> components) const;

private:
    /// A key of a type of component, and the values that the prices are for.
    struct Scope {
        std::string type, key;
        std::vector<std::string> values;
    };
    /// Unit of a power or an area: one component, or a number of a memory's bytes.
    struct Stated {
        Rate amount;
        std::uint64_t per_bytes = 0; ///< 0: for each component
        std::string within;          ///< type whose share of the chip includes it; empty: none
    };
    struct TypePrices {
        config::Place place;
        std::map<std::string, Rate> events;
        std::set<std::string> without_price; ///< events listed as having no price
        bool nothing_else = false;           ///< events that are not listed have no price either
        std::optional<Stated> power, area;

        [[nodiscard]] bool knows(const std::string& event) const
        {
            return events.contains(event) || without_price.contains(event);
        }
    };
    /// A power or an area of the whole chip, divided among types in percent.
    struct Chip {
        Rate amount;
        std::map<std::string, std::uint64_t> percent;
    };
    struct Reader;

    [[nodiscard]] const TypePrices& prices_of(const Consumer& component,
                                              const std::string& event) const;
    [[nodiscard]] Rate of_chip(const std::optional<Chip>& chip,
                               std::optional<Stated> TypePrices::*stated, const Consumer& component,
                               std::span<const Consumer> all) const;
    [[nodiscard]] Rate rest(const std::optional<Chip>& chip, std::span<const Consumer> all) const;
    [[nodiscard]] bool shares(const std::optional<Chip>& chip, const std::string& type) const
    {
        return chip && chip->percent.contains(type);
    }

    std::string name_, path_;
    config::Place place_;
    std::map<std::string, TypePrices> types_;
    std::optional<Chip> chip_power_, chip_area_;
    std::vector<Scope> scopes_;
};

} // namespace levee::energy
