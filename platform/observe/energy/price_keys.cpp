// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/price_keys.hpp"

#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace levee::energy {

namespace {

using config::Key;

Key event_key(const Declaration& type, const EnergyEvent& event, const char* meaning)
{
    return config::map(event.name, event_keys_of(type, event), meaning).optional();
}

/// Returns the form of the values that a component can show for this key; nothing if any text is
/// possible. If the default is computed, it may be outside the key's bounds, which then do not
/// apply.
std::optional<Key> value_of(const Key& key)
{
    const bool is_bounded = key.otherwise_is == nullptr;
    switch (key.kind) {
    case Key::Kind::Quantity:
    case Key::Kind::Pages:
        return config::quantity(key.name, key.dimension, "Value of the parameter.",
                                is_bounded ? key.limits : config::Limits{});
    case Key::Kind::Real:
        return is_bounded ? config::real(key.name, key.least, key.most, "Value of the parameter.")
                          : config::real(key.name, -1e300, 1e300, "Value of the parameter.");
    case Key::Kind::Boolean:
        return config::flag(key.name, "Value of the parameter.");
    case Key::Kind::Word:
        return config::word(key.name, key.words, "Value of the parameter.");
    default:
        return std::nullopt;
    }
}

/// Returns a regular expression for "<beginning of a value>*".
std::string beginnings_of(const Key& value)
{
    if (value.kind != Key::Kind::Word)
        return "^([0-9][^*]*)?\\*$";
    std::string words;
    for (const config::Word& word : value.words) {
        std::string letters, ends;
        for (const char letter : std::string_view(word.text)) {
            letters += std::string("(") + letter;
            ends += ")?";
        }
        words += (words.empty() ? "" : "|") + letters + ends;
    }
    return "^(" + words + ")\\*$";
}

/// The forms in which `for:` may state a parameter's values.
struct ValueForms {
    explicit ValueForms(const Key& its_value)
        : value(its_value), beginnings(beginnings_of(its_value)), one{value}
    {
        if (value.kind != Key::Kind::Boolean)
            one.push_back(config::text("", "Beginning of the value, before `*`.")
                              .matching(beginnings.c_str()));
        all = one;
        all.push_back(
            config::list("", one, "values", "Permitted values of the parameter.").filled());
    }
    ValueForms(const ValueForms&) = delete;
    ValueForms& operator=(const ValueForms&) = delete;

    Key value;
    std::string beginnings;
    std::vector<Key> one, all;
};

/// A type's keys, with the names of its own events and parameters. Members refer to earlier
/// members, so an object must not move.
struct TypeKeys {
    explicit TypeKeys(const Declaration& type)
        : stores(type.stores), parameters(named_parameters(type)),
          share_forms(share_forms_of(parameters)), statics(static_keys_with(share_forms)),
          areas(area_keys_with(share_forms)),
          static_forms(forms_of(own_statics(), without_reason(own_statics()))),
          area_forms(forms_of(own_areas(), own_areas())), models(model_keys(type)),
          model_forms(model_forms_of(models)),
          scope(scope_key(type.type, model_forms)), prices{type_source_key, type_unpriced_key,
                                                           static_key(static_forms),
                                                           area_key(area_forms)}
    {
        for (const EnergyEvent& event : type.events)
            prices.push_back(event_key(type, event, "Price of the event."));
        if (type.stores) {
            prices.push_back(event_key(type, read_event, "Price of both reads and writes."));
            prices.back().name = access_key;
        }
        if (type.datasheet != nullptr)
            prices.push_back(*type.datasheet);
    }
    TypeKeys(const TypeKeys&) = delete;
    TypeKeys& operator=(const TypeKeys&) = delete;

    [[nodiscard]] std::span<const Key> own_statics() const { return fitting(statics, stores); }
    [[nodiscard]] std::span<const Key> own_areas() const { return fitting(areas, stores); }

    bool stores;
    std::vector<Key> parameters;
    ShareForms share_forms;
    StaticKeys statics;
    AreaKeys areas;
    Forms static_forms, area_forms;
    std::list<ValueForms> values;
    std::vector<Key> models;
    Forms model_forms;
    Key scope;
    std::vector<Key> prices;

private:
    /// Returns the names of the type's parameters. If the type declares none, any name is accepted.
    static std::vector<const char*> names_of(const Declaration& type)
    {
        const std::vector<const char*> names = parameter_names(type);
        return names.empty() ? std::vector<const char*>{config::any_name.data()} : names;
    }
    static std::vector<Key> named_parameters(const Declaration& type)
    {
        std::vector<Key> keys;
        for (const char* const name : names_of(type))
            keys.push_back(parameter_key(name));
        return keys;
    }
    std::vector<Key> model_keys(const Declaration& type)
    {
        std::vector<Key> keys{model_number_key};
        for (const char* const name : names_of(type)) {
            const Key* const declared = config::find_key(type.parameters, name);
            const std::optional<Key> value =
                declared != nullptr ? value_of(*declared) : std::nullopt;
            keys.push_back(value ? model_parameter_key(name, values.emplace_back(*value).all)
                                 : model_parameter_key(name));
        }
        return keys;
    }
};

const TypeKeys& keys_of_type(const Declaration& type)
{
    static std::map<const Declaration*, TypeKeys> known;
    return known.try_emplace(&type, type).first->second;
}

} // namespace

std::span<const Key> price_keys_of(const Declaration& type)
{
    return keys_of_type(type).prices;
}

std::span<const Key> event_keys_of(const Declaration& type, const EnergyEvent& event)
{
    switch (event.unit) {
    case EnergyEvent::Unit::Byte:
        return fitting(event.row_bytes != 0 ? row_keys : byte_keys, type.stores);
    case EnergyEvent::Unit::Picosecond:
        return fitting(time_keys, type.stores);
    case EnergyEvent::Unit::Each:
        break;
    }
    return fitting(counted_keys, type.stores);
}

std::span<const Key> static_keys_of(const Declaration& type)
{
    return keys_of_type(type).own_statics();
}

std::span<const Key> area_keys_of(const Declaration& type)
{
    return keys_of_type(type).own_areas();
}

const Key& scope_key_of(const Declaration& type)
{
    return keys_of_type(type).scope;
}

std::span<const Key> model_keys_of(const Declaration& type)
{
    return keys_of_type(type).models;
}

const Key* model_value_of(const Declaration& type, std::string_view name)
{
    for (const ValueForms& forms : keys_of_type(type).values)
        if (forms.value.name == name)
            return &forms.value;
    return nullptr;
}

std::span<const Key> parameter_keys_of(const Declaration& type)
{
    return keys_of_type(type).parameters;
}

} // namespace levee::energy
