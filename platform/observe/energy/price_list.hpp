// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/reader.hpp"
#include "platform/observe/energy/amount.hpp"
#include "platform/observe/energy/consumer.hpp"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace levee::energy {

/// Square micrometres, as a rational: areas are divided as powers are.
using Area = Rate;

/// A technology file of scenarios/tech/energy: what events cost, powers that always flow, areas
/// (docs/energy.md). Holds no count; every system may use every list.
class PriceList {
public:
    /// `path`: the list's name in messages. Throws config::Error, also for a price without a
    /// `source`.
    PriceList(const config::Node& node, const std::string& path, Types types);

    [[nodiscard]] const std::string& name() const { return name_; }

    /// What one unit of `event` costs; nothing where the list says that it has no price and why.
    /// Throws config::Error, naming both, where it says neither.
    [[nodiscard]] Rate rate(const Consumer& component, const std::string& event) const;

    /// Attojoules per picosecond that `component` takes all the time, as one of `all`. Throws as
    /// rate().
    [[nodiscard]] Rate power(const Consumer& component, std::span<const Consumer> all) const;
    /// What is stated for the chip and stands for no component of `all`.
    [[nodiscard]] Rate rest_of_power(std::span<const Consumer> all) const;

    /// Nothing where the list has none.
    [[nodiscard]] std::optional<Area> area(const Consumer& component,
                                           std::span<const Consumer> all) const;
    [[nodiscard]] Area rest_of_area(std::span<const Consumer> all) const;

private:
    /// Of a power or an area: one for each component, or for so many bytes of a memory.
    struct Stated {
        Rate amount;
        std::uint64_t per_bytes = 0; ///< 0: for each component
        std::string within;          ///< the type whose part of the chip's it lies in; empty: none
    };
    struct TypePrices {
        config::Place place;
        std::map<std::string, Rate> events;
        std::set<std::string> without_price; ///< events that the list says have none
        bool nothing_else = false;           ///< what is not listed has none either
        std::optional<Stated> power, area;

        [[nodiscard]] bool knows(const std::string& event) const
        {
            return events.contains(event) || without_price.contains(event);
        }
    };
    /// A power or an area of the whole chip, divided in percents by type.
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
};

} // namespace levee::energy
