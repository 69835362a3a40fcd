// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/reader.hpp"
#include "platform/observe/energy/amount.hpp"
#include "platform/observe/energy/consumer.hpp"
#include "platform/observe/energy/price_scope.hpp"
#include "platform/observe/energy/scale.hpp"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace levee::energy {

/// Area in square micrometres, as a rational, since areas are divided as powers are.
using Area = Rate;

/// Selects a price's value: the stated one, its lower bound or its upper bound.
enum class Bound { Stated, Low, High };

/// A technology file of scenarios/tech/energy: prices of events, static powers and areas
/// (docs/energy.md). It holds no counts; every system may use every list. For some types it may
/// name other lists, which are then used in its place.
class PriceList {
public:
    /// `path` names the list in messages; `bound` selects the value of prices with `low` and
    /// `high`. Throws config::Error, also for a price without a `source`.
    PriceList(const config::Node& node, const std::string& path, Types types,
              Bound bound = Bound::Stated);

    [[nodiscard]] const std::string& name() const { return name_; }

    /// Price of one unit of `event`; nothing if the list states why it has none. Throws
    /// config::Error with both names if the list states neither.
    [[nodiscard]] Rate rate(const Consumer& component, const std::string& event) const;

    /// Whether a price of the list is uncertain for some of these components.
    [[nodiscard]] bool is_uncertain(std::span<const Consumer> components) const;
    /// The same list with all prices at their lower bounds, then at their upper bounds; empty if no
    /// price has bounds.
    [[nodiscard]] const std::vector<PriceList>& bounds() const { return bounds_; }
    void set_bounds(PriceList low, PriceList high) { bounds_ = {std::move(low), std::move(high)}; }

    /// States which part of a component's datasheet prices is assumed because it is not published;
    /// empty: nothing is assumed.
    [[nodiscard]] std::string assumed(const Consumer& component) const;

    /// True if the list charges a type's commands (EnergyEvent::by_command) instead of its bytes.
    [[nodiscard]] bool is_by_command(const std::string& type) const;
    /// False for events of the type that another basis would charge: they are not part of a bill.
    [[nodiscard]] bool charges(const std::string& type, const std::string& event) const;

    /// The machines to which the prices apply.
    [[nodiscard]] const PriceScope& scope() const { return scope_; }

    /// Static power of `component`, one of `all`, in attojoules per picosecond. Throws as rate().
    [[nodiscard]] Rate power(const Consumer& component, std::span<const Consumer> all) const;
    /// Power stated for the chip that belongs to no component of `all`.
    [[nodiscard]] Rate rest_of_power(std::span<const Consumer> all) const;

    /// Area of `component`; nothing if the list states none.
    [[nodiscard]] std::optional<Area> area(const Consumer& component,
                                           std::span<const Consumer> all) const;
    /// True if the list has an area of the whole chip: nothing on it is missing then.
    [[nodiscard]] bool states_chip_area() const { return chip_area_.has_value(); }
    [[nodiscard]] Area rest_of_area(std::span<const Consumer> all) const;

private:
    /// Power or area of each component, or per unit of a parameter if one is given.
    struct Stated {
        config::Place place;
        Rate amount;
        std::uint64_t per_bytes = 0;
        std::vector<std::pair<std::string, Quantity>> per_parameters; ///< The unit is a product of
                                                                      ///< these parameters.
        std::uint64_t per_um2 = 0;
        std::optional<Scale> scale; ///< scale of a memory
        std::string within; ///< another type whose share of the chip includes this one; empty: none
        std::vector<Stated> others; ///< added prices of other parts of the same component
    };
    struct TypePrices {
        config::Place place;
        std::map<std::string, Rate> events;
        std::map<std::string, Scale> scales; ///< scales of some of the events
        std::set<std::string> without_price; ///< events listed as having no price
        bool nothing_else = false;           ///< events that are not listed have no price either
        std::optional<Stated> power, area;
        std::optional<config::Node> datasheets; ///< converted by each component itself
        std::string datasheets_path;
        bool by_command = false;
        std::set<std::string> not_charged; ///< events that the list does not charge because it
                                           ///< charges the other basis: bytes or commands

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
    [[nodiscard]] Rate by_datasheet(const TypePrices& prices, const Consumer& component,
                                    const std::string& event) const;
    /// The component's prices by the list's datasheets, if it has any of its type.
    [[nodiscard]] std::optional<CommandPrices> by_datasheets(const Consumer& component) const;
    [[nodiscard]] Rate of_chip(const std::optional<Chip>& chip,
                               std::optional<Stated> TypePrices::*stated, const Consumer& component,
                               std::span<const Consumer> all) const;
    [[nodiscard]] Rate rest(const std::optional<Chip>& chip, std::span<const Consumer> all) const;
    [[nodiscard]] bool shares(const std::optional<Chip>& chip, const std::string& type) const
    {
        return chip && chip->percent.contains(type);
    }

    [[nodiscard]] Rate by_parameters(const Stated& stated, const Consumer& component) const;
    /// The price of `stated` for `component`, its first part or all of them.
    [[nodiscard]] Rate one_sized(const Stated& stated, const Consumer& component,
                                 std::span<const Consumer> all) const;
    [[nodiscard]] Rate sized(const Stated& stated, const Consumer& component,
                             std::span<const Consumer> all) const;

    /// The list that prices the type: this one, or the one that it names for it.
    [[nodiscard]] const PriceList& list_of(const std::string& type) const;

    std::string name_, path_;
    Bound bound_;
    bool has_interval_ = false; ///< some price has a `low` or a `high`
    std::vector<PriceList> bounds_;
    PriceScope scope_;
    config::Place place_;
    std::map<std::string, TypePrices> types_;
    std::map<std::string, PriceList> lists_; ///< Lists by type; these lists have none themselves.
    std::optional<Chip> chip_power_, chip_area_;
};

} // namespace levee::energy
