// SPDX-License-Identifier: Apache-2.0
// Keys of a price list (docs/energy.md).
#pragma once

#include "core/command/declaration.hpp"
#include "core/config/keys.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace levee::energy {

/// Key that states one price for both reads and writes.
inline constexpr const char* access_key = "access";
/// Key of a model that is not one of its parameters: the number of its components in a machine.
inline constexpr const char* number_key = "number";

inline constexpr std::uint64_t most_reference_bytes = std::uint64_t{1} << 44;
inline constexpr config::Key reference_key =
    config::quantity("reference", config::Dimension::Size, "Size of the memory that was priced.",
                     {1, most_reference_bytes});
inline constexpr config::Key ports_key =
    config::count("ports", "Ports of that memory.", {1, 64}).or_else("1");
inline constexpr config::Key scale_source_key =
    config::text("source", "Origin of the rule.").filled().or_else("assumed");

/// Rules for scaling with the size: one for energies, one for powers and areas.
inline constexpr config::Word root_words[] = {{"sqrt", 0}}, linear_words[] = {{"linear", 0}};
inline constexpr config::Key root_scale_keys[] = {
    config::word("rule", root_words, "By the square root of the size, times the ports."),
    reference_key, ports_key, scale_source_key};
inline constexpr config::Key linear_scale_keys[] = {
    config::word("rule", linear_words,
                 "By the size, times the ports; of an area: times their square."),
    reference_key.or_else_is("the price's `per`"), ports_key, scale_source_key};

inline constexpr config::Key source_key =
    config::text("source", "Origin of the price.").filled().or_else_is("the type's `source`");
/// Value that removes the reason that an extended list states.
inline constexpr const char* no_reason = "none";
inline constexpr config::Key unpriced_key =
    config::text("unpriced",
                 "Reason why there is no price; `none` withdraws the reason of an extended list.")
        .filled()
        .alone()
        .or_else(no_reason);

inline constexpr config::Key energy_key =
    config::quantity("energy", config::Dimension::Energy, "Price of the event.");
inline constexpr config::Key power_key =
    config::quantity("power", config::Dimension::Power, "Price of the time.");
[[nodiscard]] constexpr config::Key low_key(config::Dimension dimension)
{
    return config::quantity("low", dimension, "Lower bound of the price.").or_else_is("the price");
}
[[nodiscard]] constexpr config::Key high_key(config::Dimension dimension)
{
    return config::quantity("high", dimension, "Upper bound of the price.").or_else_is("the price");
}

/// Named units of bytes. The last one is for events whose rows have a size.
enum class PerUnit { Bit, Byte, Row };
inline constexpr config::Word per_words[] = {{"bit", static_cast<std::int64_t>(PerUnit::Bit)},
                                             {"byte", static_cast<std::int64_t>(PerUnit::Byte)},
                                             {"row", static_cast<std::int64_t>(PerUnit::Row)}};
inline constexpr config::Key per_size =
    config::quantity("per", config::Dimension::Size, "A size.", {1});
inline constexpr config::Key per_forms[] =
    {config::word("per", std::span(per_words).first(std::size(per_words) - 1), "A unit."),
     per_size},
                             row_per_forms[] = {config::word("per", per_words, "A unit."),
                                                per_size};

inline constexpr config::Key energy_scale_key =
    config::map("scale", root_scale_keys, "Rule for memories of other sizes.").optional();
inline constexpr config::Key power_scale_key =
    config::map("scale", linear_scale_keys, "Rule for memories of other sizes.").optional();

// Only memories have `scale`, the last key of each.
inline constexpr config::Key counted_keys[] = {energy_key,
                                               low_key(config::Dimension::Energy),
                                               high_key(config::Dimension::Energy),
                                               source_key,
                                               unpriced_key,
                                               energy_scale_key};
[[nodiscard]] constexpr std::array<config::Key, 7> keys_of_bytes(std::span<const config::Key> forms,
                                                                 const char* form)
{
    return {energy_key,
            low_key(config::Dimension::Energy),
            high_key(config::Dimension::Energy),
            config::one_of("per", forms, form, "Amount of data that the price covers."),
            source_key,
            unpriced_key,
            energy_scale_key};
}
inline constexpr auto byte_keys =
                          keys_of_bytes(per_forms, "`bit`, `byte` or a size such as `16 B`"),
                      row_keys = keys_of_bytes(row_per_forms,
                                               "`bit`, `byte`, `row` or a size such as `16 B`");
inline constexpr config::Key time_keys[] = {power_key,
                                            low_key(config::Dimension::Power),
                                            high_key(config::Dimension::Power),
                                            source_key,
                                            unpriced_key,
                                            energy_scale_key};

inline constexpr config::Key parameter_forms[] = {
    config::count("", "A number.", {1}),
    config::quantity("", config::Dimension::Size, "A size.", {1}),
    config::quantity("", config::Dimension::Bandwidth, "A bandwidth.", {1}),
    config::quantity("", config::Dimension::Frequency, "A frequency.", {1}),
    config::quantity("", config::Dimension::Time, "A time.", {1})};
inline constexpr config::Key parameter_keys[] = {
    config::one_of(config::any_name.data(), parameter_forms, "a number above 0, with its unit",
                   "Value of the parameter that the price covers.")
        .optional()};
inline constexpr config::Key share_forms[] = {
    config::quantity("per", config::Dimension::Size, "Of a memory's size.", {1}),
    config::quantity("per", config::Dimension::Area, "Of a power's area.", {1}),
    config::map("per", parameter_keys, "Parameters of the component.")};
inline constexpr config::Key share_key =
    config::one_of("per", share_forms, "a size, an area, or a map of parameters and numbers",
                   "Unit that the price covers.")
        .or_else_is("each component");
inline constexpr config::Key within_key =
    config::text("within", "Type of component whose share of the chip includes it.").optional();
inline constexpr config::Key static_keys[] = {unpriced_key,
                                              power_key,
                                              low_key(config::Dimension::Power),
                                              high_key(config::Dimension::Power),
                                              share_key,
                                              within_key,
                                              source_key,
                                              power_scale_key};
inline constexpr config::Key area_keys[] = {
    config::quantity("area", config::Dimension::Area, "The component's area."), share_key,
    within_key, source_key, power_scale_key};

/// The keys of a memory; for other components, the same keys without `scale`.
[[nodiscard]] constexpr std::span<const config::Key> fitting(std::span<const config::Key> keys,
                                                             bool is_memory)
{
    return is_memory ? keys : keys.first(keys.size() - 1);
}

/// Keys for the power of a part, which cannot state a reason for having none.
[[nodiscard]] constexpr std::span<const config::Key>
without_reason(std::span<const config::Key> keys_of_power)
{
    return keys_of_power.subspan(1);
}

/// A price of a component, or prices of its parts.
using Forms = std::array<config::Key, 2>;
[[nodiscard]] constexpr Forms forms_of(std::span<const config::Key> keys,
                                       std::span<const config::Key> keys_of_part)
{
    return {config::map("", keys, "Of the component."),
            config::maps("", keys_of_part, "Of its parts.").filled()};
}
[[nodiscard]] constexpr Forms static_forms_of(bool is_memory)
{
    const std::span<const config::Key> keys = fitting(static_keys, is_memory);
    return forms_of(keys, without_reason(keys));
}
[[nodiscard]] constexpr Forms area_forms_of(bool is_memory)
{
    return forms_of(fitting(area_keys, is_memory), fitting(area_keys, is_memory));
}
inline constexpr Forms static_forms = static_forms_of(true), area_forms = area_forms_of(true),
                       static_forms_of_blocks = static_forms_of(false),
                       area_forms_of_blocks = area_forms_of(false);
[[nodiscard]] constexpr config::Key static_key(const Forms& forms)
{
    return config::one_of("static", forms, "a map, or a list of maps for its parts",
                          "Power while the machine is on.")
        .optional();
}
[[nodiscard]] constexpr config::Key area_key(const Forms& forms)
{
    return config::one_of("area", forms, "a map, or a list of maps for its parts", "Area.")
        .optional();
}
inline constexpr config::Key event_forms[] = {
    config::map(config::any_name.data(), counted_keys, "Energy of an event that is counted."),
    config::map(config::any_name.data(), row_keys, "Of bytes."),
    config::map(config::any_name.data(), time_keys, "Of time.")};

inline constexpr config::Key type_source_key =
    config::text("source", "Default source of the type's prices.").filled().optional();
inline constexpr config::Key type_unpriced_key =
    config::text("unpriced", "Reason why all other events have no price; `none` withdraws the "
                             "reason of an extended list.")
        .filled()
        .or_else(no_reason);

/// Keys of a type of component. Those of a known type have the names of its events: price_keys_of.
inline constexpr config::Key type_keys[] = {
    type_source_key, type_unpriced_key, static_key(static_forms), area_key(area_forms),
    config::one_of(config::any_name.data(), event_forms, "a map", "Price of an event of the type.")
        .optional()};

inline constexpr config::Key value_forms[] = {config::text("", "Its value, with its unit."),
                                              config::texts("", "One of these.")};
inline constexpr config::Key model_keys[] = {
    config::count(number_key, "Components of this kind at most.", {1, 1U << 16})
        .or_else_is("any number"),
    config::one_of(config::any_name.data(), value_forms, "a value, or a list of values",
                   "A parameter of the component.")
        .optional()};
inline constexpr config::Key model_forms[] = {config::map("", model_keys, "One model."),
                                              config::maps("", model_keys, "One of several.")};
inline constexpr config::Key scope_keys[] = {
    config::one_of(config::any_name.data(), model_forms, "a map, or a list of maps for several",
                   "Components of a type, by their parameters.")
        .optional()};

inline constexpr config::Key percent_keys[] = {
    config::count(config::any_name.data(), "The type's share in percent.", {0, 100}).optional()};
inline constexpr config::Key percent_key =
    config::map("percent", percent_keys, "Shares of types of components.");
inline constexpr config::Key chip_source_key =
    config::text("source", "Origin of the figure.").filled();
inline constexpr config::Key chip_power_keys[] = {power_key, low_key(config::Dimension::Power),
                                                  high_key(config::Dimension::Power), percent_key,
                                                  chip_source_key};
inline constexpr config::Key chip_area_keys[] = {
    config::quantity("area", config::Dimension::Area, "The chip's area."), percent_key,
    chip_source_key};

inline constexpr config::Key lists_keys[] = {
    config::any(config::any_name.data(), "a price list: a map, or a file of `tech/energy`",
                "The type's prices, in place of those of this list.")
        .optional()};

/// Keys of the file.
inline constexpr config::Key price_list_keys[] = {
    config::text("name", "Name in figures and files.").matching("^[a-z0-9_]+$"),
    config::map("for", scope_keys, "Machines for which the prices hold.")
        .or_else_is("all machines"),
    config::named("prices", type_keys, "Prices by type of component."),
    config::map("lists", lists_keys, "Lists for single types.").optional(),
    config::map("chip_power", chip_power_keys, "Power of the whole chip.").optional(),
    config::map("chip_area", chip_area_keys, "Area of the whole chip.").optional(),
};

/// Keys of the type's prices: type_keys with its own events. The span stays valid.
[[nodiscard]] std::span<const config::Key> price_keys_of(const Declaration& type);
/// Keys of a price of one of its events, of its power and of its area.
[[nodiscard]] std::span<const config::Key> event_keys_of(const Declaration& type,
                                                         const EnergyEvent& event);
[[nodiscard]] std::span<const config::Key> static_keys_of(const Declaration& type);
[[nodiscard]] std::span<const config::Key> area_keys_of(const Declaration& type);

} // namespace levee::energy
