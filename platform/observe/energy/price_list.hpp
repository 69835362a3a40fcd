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

/// An area in square micrometres. It can be a fraction, since the same arithmetic computes shares
/// of areas and of powers.
using Area = Rate;

/// The value of each price that a list uses: the stated value, its lower bound or its upper bound.
enum class Bound { Stated, Low, High };

/// A technology file of scenarios/tech/energy with prices of events, static powers and areas
/// (docs/energy.md). It contains no counts, so every system can use every list. A list may name
/// other lists to use for some types.
class PriceList {
public:
    /// `path` is the list's name in messages. `bound` applies to prices that have `low` and `high`.
    /// Throws config::Error, also for a price without `source`.
    PriceList(const config::Node& node, const std::string& path, Types types,
              Bound bound = Bound::Stated);

    [[nodiscard]] const std::string& name() const { return name_; }

    /// Returns the price of one unit of `event`; zero if the list gives a reason why there is no
    /// price. If the list has neither a price nor a reason, throws config::Error with the names of
    /// the component and the event.
    [[nodiscard]] Rate rate(const Consumer& component, const std::string& event) const;

    /// Returns whether a price for any of these components is uncertain.
    [[nodiscard]] bool is_uncertain(std::span<const Consumer> components) const;
    /// Returns two copies of this list: the first with the lower bounds of all prices, the second
    /// with the upper bounds. Empty if no price has bounds.
    [[nodiscard]] const std::vector<PriceList>& bounds() const { return bounds_; }
    void set_bounds(PriceList low, PriceList high) { bounds_ = {std::move(low), std::move(high)}; }

    /// Returns which of a component's datasheet prices are assumed, because they are not published;
    /// empty if none.
    [[nodiscard]] std::string assumed(const Consumer& component) const;

    /// Returns true if the list charges for a type's commands (EnergyEvent::by_command) instead of
    /// its bytes.
    [[nodiscard]] bool is_by_command(const std::string& type) const;
    /// Returns false for an event that the list does not charge. For each type, a list charges
    /// either for bytes or for commands.
    [[nodiscard]] bool charges(const std::string& type, const std::string& event) const;

    [[nodiscard]] const PriceScope& scope() const { return scope_; }

    /// Returns the static power of `component`, in attojoules per picosecond. `all` must contain
    /// `component`. Throws the same exceptions as rate().
    [[nodiscard]] Rate power(const Consumer& component, std::span<const Consumer> all) const;
    /// Returns the part of the chip's stated power that belongs to no component of `all`.
    [[nodiscard]] Rate rest_of_power(std::span<const Consumer> all) const;

    [[nodiscard]] std::optional<Area> area(const Consumer& component,
                                           std::span<const Consumer> all) const;
    /// Returns true if the list states an area for the whole chip, so that no area is missing.
    [[nodiscard]] bool states_chip_area() const { return chip_area_.has_value(); }
    [[nodiscard]] Area rest_of_area(std::span<const Consumer> all) const;

private:
    /// A power or area: of a component, or of one unit of some of its parameters.
    struct Stated {
        config::Place place;
        Rate amount;
        std::uint64_t per_bytes = 0;
        std::vector<std::pair<std::string, Quantity>> per_parameters; ///< the unit is the product
                                                                      ///< of these parameters
        std::uint64_t per_um2 = 0;
        std::optional<Scale> scale; ///< rule for other memory sizes
        std::string within; ///< another type, whose share of the chip includes this value; empty:
                            ///< none
        std::vector<Stated> others; ///< values of the component's other parts, which are added up
    };
    struct TypePrices {
        config::Place place;
        std::map<std::string, Rate> events;
        std::map<std::string, Scale> scales; ///< rules for memories of other sizes, by event
        std::set<std::string> without_price; ///< events for which the list gives a reason instead
                                             ///< of a price
        bool nothing_else = false;           ///< true: events that the list does not mention have
                                             ///< no price
        std::optional<Stated> power, area;
        std::optional<config::Node> datasheets; ///< source of each component's prices
        std::string datasheets_path;
        bool by_command = false;
        std::set<std::string> not_charged; ///< events without charge: bytes if the list charges for
                                           ///< commands, commands if it charges for bytes

        [[nodiscard]] bool knows(const std::string& event) const
        {
            return events.contains(event) || without_price.contains(event);
        }
    };
    /// The power or area of a whole chip, and the percentage of each type of component in
    /// it.
    struct Chip {
        Rate amount;
        std::map<std::string, std::uint64_t> percent;
    };
    struct Reader;

    [[nodiscard]] const TypePrices& prices_of(const Consumer& component,
                                              const std::string& event) const;
    [[nodiscard]] Rate by_datasheet(const TypePrices& prices, const Consumer& component,
                                    const std::string& event) const;
    /// Returns the component's datasheet prices; nothing if the list has no datasheet for its type.
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
    /// one_sized() computes the value of one part of a component, and sized() the sum for all its
    /// parts.
    [[nodiscard]] Rate one_sized(const Stated& stated, const Consumer& component,
                                 std::span<const Consumer> all) const;
    [[nodiscard]] Rate sized(const Stated& stated, const Consumer& component,
                             std::span<const Consumer> all) const;

    /// Returns the list that has the type's prices: this list, or one in `lists_`.
    [[nodiscard]] const PriceList& list_of(const std::string& type) const;

    std::string name_, path_;
    Bound bound_;
    bool has_interval_ = false; ///< some price has a `low` or a `high` that differs from the price
    std::vector<PriceList> bounds_;
    PriceScope scope_;
    config::Place place_;
    std::map<std::string, TypePrices> types_;
    std::map<std::string, PriceList> lists_; ///< other lists by type; these must not name further
                                             ///< lists
    std::optional<Chip> chip_power_, chip_area_;
};

} // namespace levee::energy
