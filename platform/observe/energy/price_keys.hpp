// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "core/config/keys.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace levee::energy {

/// Key for a price that reads and writes have in common.
inline constexpr const char* access_key = "access";
/// Key for the number of components in a machine, next to the keys for their
/// parameters.
inline constexpr const char* number_key = "number";

inline constexpr std::uint64_t most_reference_bytes = std::uint64_t{1} << 44;
inline constexpr config::Key reference_key =
    config::quantity("reference", config::Dimension::Size, "Size of the memory that was priced.",
                     {1, most_reference_bytes});
inline constexpr config::Key ports_key =
    config::count("ports", "Ports of the memory that was priced.", {1, 64}).or_else("1");
inline constexpr config::Key scale_source_key =
    config::text("source", "Origin of the rule.").filled().or_else("assumed");

/// Words of the rules that scale a price with a memory's size: for energies; for powers and areas.
inline constexpr config::Word root_words[] = {{"sqrt", 0}}, linear_words[] = {{"linear", 0}};
inline constexpr config::Key root_scale_keys[] = {
    config::word("rule", root_words, "Proportional to the size's square root, and to the ports."),
    reference_key, ports_key, scale_source_key};
inline constexpr config::Key linear_scale_keys[] = {
    config::word("rule", linear_words,
                 "By the size, times the ports; of an area: times their square."),
    reference_key.or_else_is("the price's `per`"), ports_key, scale_source_key};

inline constexpr config::Key source_key =
    config::text("source", "Origin of the price.").filled().or_else_is("the type's `source`");
/// Value of `unpriced` that cancels a reason inherited from the list in `extends`.
inline constexpr const char* no_reason = "none";
inline constexpr config::Key unpriced_key =
    config::text("unpriced",
                 "Reason why there is no price; `none` cancels one inherited through `extends`.")
        .filled()
        .alone()
        .or_else(no_reason);

inline constexpr config::Key energy_key =
    config::quantity("energy", config::Dimension::Energy, "Price of the event.");
inline constexpr config::Key power_key =
    config::quantity("power", config::Dimension::Power, "Power that the list charges.");
[[nodiscard]] constexpr config::Key low_key(config::Dimension dimension)
{
    return config::quantity("low", dimension, "Lower bound of the price.").or_else_is("the price");
}
[[nodiscard]] constexpr config::Key high_key(config::Dimension dimension)
{
    return config::quantity("high", dimension, "Upper bound of the price.").or_else_is("the price");
}

/// Named units of `per:` for events that are counted in bytes. `row` is allowed only if the event
/// has a row size.
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

// In each of these lists, `scale` is last, since only memories have it.
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
[[nodiscard]] constexpr config::Key parameter_key(const char* name)
{
    return config::one_of(name, parameter_forms, "a number above 0, with its unit",
                          "Value of the parameter that the price covers.")
        .optional();
}
inline constexpr config::Key parameter_keys[] = {parameter_key(config::any_name.data())};
using ShareForms = std::array<config::Key, 3>;
[[nodiscard]] constexpr ShareForms share_forms_of(std::span<const config::Key> parameters)
{
    return {config::quantity("per", config::Dimension::Size,
                             "Size of a memory for which the price is stated.", {1}),
            config::quantity("per", config::Dimension::Area, "Area for which the power is stated.",
                             {1}),
            config::map("per", parameters, "Parameter values for which the price is stated.")};
}
inline constexpr ShareForms share_forms = share_forms_of(parameter_keys);
[[nodiscard]] constexpr config::Key share_key(const ShareForms& forms)
{
    return config::one_of("per", forms, "a size, an area, or a map of parameters and numbers",
                          "Size, area or parameters for which the price is stated.")
        .or_else_is("each component");
}
inline constexpr config::Key within_key =
    config::text("within", "Type of component whose share of the chip includes this component.")
        .optional();
using StaticKeys = std::array<config::Key, 8>;
[[nodiscard]] constexpr StaticKeys static_keys_with(const ShareForms& forms)
{
    return {unpriced_key,
            power_key,
            low_key(config::Dimension::Power),
            high_key(config::Dimension::Power),
            share_key(forms),
            within_key,
            source_key,
            power_scale_key};
}
using AreaKeys = std::array<config::Key, 5>;
[[nodiscard]] constexpr AreaKeys area_keys_with(const ShareForms& forms)
{
    return {config::quantity("area", config::Dimension::Area, "The component's area."),
            share_key(forms), within_key, source_key, power_scale_key};
}
inline constexpr StaticKeys static_keys = static_keys_with(share_forms);
inline constexpr AreaKeys area_keys = area_keys_with(share_forms);

/// Returns `keys` for a memory. For other components, returns `keys` without the last one,
/// `scale`.
[[nodiscard]] constexpr std::span<const config::Key> fitting(std::span<const config::Key> keys,
                                                             bool is_memory)
{
    return is_memory ? keys : keys.first(keys.size() - 1);
}

/// Returns the keys for the power of a component's part: all but the first, which gives a
/// reason.
[[nodiscard]] constexpr std::span<const config::Key>
without_reason(std::span<const config::Key> keys_of_power)
{
    return keys_of_power.subspan(1);
}

/// Two forms of a value: a map for the whole component, or a list of maps for its parts.
using Forms = std::array<config::Key, 2>;
[[nodiscard]] constexpr Forms forms_of(std::span<const config::Key> keys,
                                       std::span<const config::Key> keys_of_part)
{
    return {config::map("", keys, "Value for the component."),
            config::maps("", keys_of_part, "Values for the parts of the component.").filled()};
}
inline constexpr Forms static_forms = forms_of(static_keys, without_reason(static_keys)),
                       area_forms = forms_of(area_keys, area_keys);
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
    config::map(config::any_name.data(), row_keys, "Energy of an event that moves bytes."),
    config::map(config::any_name.data(), time_keys, "Power of an event that takes time.")};

inline constexpr config::Key type_source_key =
    config::text("source", "Default source of the type's prices.").filled().optional();
inline constexpr config::Key type_unpriced_key =
    config::text("unpriced", "Reason why all other events have no price; `none` cancels one "
                             "inherited through `extends`.")
        .filled()
        .or_else(no_reason);

/// Keys for any type of component. price_keys_of() returns the keys of a given type, with the names
/// of its events.
inline constexpr config::Key type_keys[] = {
    type_source_key, type_unpriced_key, static_key(static_forms), area_key(area_forms),
    config::one_of(config::any_name.data(), event_forms, "a map", "Price of an event of the type.")
        .optional()};

/// Forms of a value for a parameter that has no declared values.
inline constexpr config::Key value_forms[] = {
    config::text("", "Value of the parameter, with its unit."),
    config::texts("", "Permitted values of the parameter.").filled()};
inline constexpr config::Key model_number_key =
    config::count(number_key, "Maximum number of such components.", {1, 1U << 16})
        .or_else_is("any number");
[[nodiscard]] constexpr config::Key
model_parameter_key(const char* name, std::span<const config::Key> forms = value_forms)
{
    return config::one_of(name, forms, "a value, or a list of values",
                          "A parameter of the component.")
        .optional();
}
inline constexpr config::Key model_keys[] = {model_number_key,
                                             model_parameter_key(config::any_name.data())};
[[nodiscard]] constexpr Forms model_forms_of(std::span<const config::Key> keys)
{
    return {config::map("", keys, "One model."),
            config::maps("", keys, "Permitted models.").filled()};
}
inline constexpr Forms model_forms = model_forms_of(model_keys);
[[nodiscard]] constexpr config::Key scope_key(const char* type, const Forms& forms)
{
    return config::one_of(type, forms, "a map, or a list of maps for several models",
                          "Components of a type, by their parameters.")
        .optional();
}
inline constexpr config::Key scope_keys[] = {scope_key(config::any_name.data(), model_forms)};

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

/// Keys of a price list's file.
inline constexpr config::Key price_list_keys[] = {
    config::text("name", "Name in figures and files.").matching("^[a-z0-9_]+$"),
    config::map("for", scope_keys, "Machines for which the prices hold.")
        .or_else_is("all machines"),
    config::named("prices", type_keys, "Prices by type of component."),
    config::map("lists", lists_keys, "Lists for single types.").optional(),
    config::map("chip_power", chip_power_keys, "Power of the whole chip.").optional(),
    config::map("chip_area", chip_area_keys, "Area of the whole chip.").optional(),
};

/// Returns type_keys with the type's own events. The returned span stays valid.
[[nodiscard]] std::span<const config::Key> price_keys_of(const Declaration& type);
/// Return the keys for a price of one of the type's events, for the type's power, and for its area.
[[nodiscard]] std::span<const config::Key> event_keys_of(const Declaration& type,
                                                         const EnergyEvent& event);
[[nodiscard]] std::span<const config::Key> static_keys_of(const Declaration& type);
[[nodiscard]] std::span<const config::Key> area_keys_of(const Declaration& type);
/// scope_key_of() returns the type's key in `for:`. model_keys_of() returns the keys of one map
/// under it. The map describes components of the type by their number and parameters. If the type
/// declares no parameters, any name is a key.
[[nodiscard]] const config::Key& scope_key_of(const Declaration& type);
[[nodiscard]] std::span<const config::Key> model_keys_of(const Declaration& type);
/// Returns the form of one value of a parameter in `for:`; null if a value may be any text.
[[nodiscard]] const config::Key* model_value_of(const Declaration& type, std::string_view name);
/// Returns the keys of `per:` in the type's power and area. If the type declares no parameters, any
/// name is a key.
[[nodiscard]] std::span<const config::Key> parameter_keys_of(const Declaration& type);

} // namespace levee::energy
