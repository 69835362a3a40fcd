// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/price_scope.hpp"

#include "core/config/reader.hpp"
#include "platform/observe/energy/price_keys.hpp"

#include <algorithm>

namespace levee::energy {

namespace {

using config::Error;
using config::Node;

/// Returns whether `a`, a value in a list, matches a component's value `b`. It matches as equal
/// text, as a prefix before `*`, or as an equal number with a unit.
bool same(const std::string& a, const std::string& b)
{
    if (a == b || (a.ends_with('*') && b.starts_with(a.substr(0, a.size() - 1))))
        return true;
    const std::optional<Quantity> left = quantity_in(a), right = quantity_in(b);
    return left && right && left->dimension == right->dimension && left->value == right->value;
}

std::string joined(const std::vector<std::string>& values)
{
    std::string text;
    for (const std::string& value : values)
        text += (text.empty() ? "" : " or ") + value;
    return text;
}

/// Returns whether a parameter's value can begin with this text.
bool may_begin_with(const config::Key& value, std::string_view text)
{
    if (value.kind == config::Key::Kind::Word)
        return std::ranges::any_of(value.words, [text](const config::Word& word) {
            return std::string_view(word.text).starts_with(text);
        });
    return value.kind != config::Key::Kind::Boolean && text.find('*') == text.npos &&
           (text.empty() || (text.front() >= '0' && text.front() <= '9'));
}

/// Returns the end of a message, which says what may be before `*`.
std::string expected_beginning(const config::Key& value, const std::string& text)
{
    if (value.kind == config::Key::Kind::Boolean)
        return "; expected true or false";
    if (value.kind != config::Key::Kind::Word)
        return "; expected digits before '*'";
    std::vector<std::string> words;
    for (const config::Word& word : value.words)
        words.emplace_back(word.text);
    return config::suggestion(text, words);
}

/// Reads one value of a parameter in the same way as the component, and returns it as the component
/// shows it.
std::string read_value(const Node& node, const std::string& path, const std::string& name,
                       const Declaration& type)
{
    if (!node.is_scalar())
        throw Error(node.place, "'" + path + "." + name + "' is " + std::string(node.kind_name()) +
                                    "; expected a value, or a list of values");
    const config::Key* const value = model_value_of(type, name);
    if (value == nullptr)
        return node.scalar;
    if (node.scalar.ends_with('*')) {
        const std::string begin = node.scalar.substr(0, node.scalar.size() - 1);
        if (!may_begin_with(*value, begin))
            throw Error(node.place, "'" + path + "." + name + "' is '" + node.scalar +
                                        "', but no value begins in this way" +
                                        expected_beginning(*value, begin));
        return node.scalar;
    }
    Node map;
    map.kind = Node::Kind::Map;
    map.place = node.place;
    map.entries.push_back({name, node.place, node});
    config::MapReader reader(map, path, std::span(value, 1));
    switch (value->kind) {
    case config::Key::Kind::Boolean:
        (void)reader.boolean(name);
        break;
    case config::Key::Kind::Word:
        (void)reader.word<std::int64_t>(name);
        break;
    case config::Key::Kind::Real:
        (void)reader.real(name);
        break;
    default:
        (void)reader.quantity(name);
    }
    return reader.shown().front().second;
}

void need_map(const Node& node, const std::string& path)
{
    if (!node.is_map())
        throw Error(node.place, "'" + path + "' is " + std::string(node.kind_name()) +
                                    "; expected a map, as in {TYPE: {rows: 32, columns: 32}}");
}

} // namespace

PriceScope::PriceScope(const Node& node, const std::string& path, Types types)
{
    need_map(node, path);
    for (const Node::Entry& entry : node.entries) {
        const std::string at = path + "." + entry.key;
        const Declaration& type = type_called(types, entry, at);
        std::vector<Model>& models = models_[entry.key];
        if (!entry.value.is_list())
            models.push_back(read_model(entry.value, at, type));
        else if (entry.value.items.empty())
            throw Error(entry.value.place,
                        "'" + at +
                            "' is empty; expected a map, or a list of maps for several models");
        else
            for (std::size_t i = 0; i < entry.value.items.size(); ++i)
                models.push_back(
                    read_model(entry.value.items[i], at + "." + std::to_string(i), type));
    }
}

void PriceScope::replace(const std::string& type, const PriceScope& other)
{
    models_.erase(type);
    if (const auto found = other.models_.find(type); found != other.models_.end())
        models_.insert(*found);
}

PriceScope::Model PriceScope::read_model(const Node& node, const std::string& path,
                                         const Declaration& type)
{
    need_map(node, path);
    config::MapReader reader(node, path, model_keys_of(type));
    Model model;
    model.number = reader.quantity(number_key);
    for (const Node::Entry& entry : node.entries) {
        if (entry.key == number_key)
            continue;
        check_parameter(type, model_keys_of(type), entry, path);
        Key key{entry.place, path + "." + entry.key, entry.key, {}};
        if (!entry.value.is_list())
            key.values.push_back(read_value(entry.value, path, entry.key, type));
        else if (entry.value.items.empty())
            throw Error(entry.value.place,
                        "'" + key.path + "' is empty; expected a value, or a list of values");
        for (const Node& item : entry.value.items)
            key.values.push_back(read_value(item, path, entry.key, type));
        model.keys.push_back(std::move(key));
    }
    return model;
}

/// Returns the differences between a component and a model of components for which the prices hold.
/// `number` is the component's position among the components of this model, from 1.
std::vector<std::string> PriceScope::differences(const Consumer& component, const Model& model,
                                                 std::uint64_t number)
{
    std::vector<std::string> found;
    for (const Key& key : model.keys) {
        const std::string& value = component.parameter(key.name, key.place, key.path);
        if (std::ranges::none_of(key.values,
                                 [&](const std::string& one) { return same(one, value); }))
            found.push_back(component.name + "." + key.name + " is " + value + ", not " +
                            joined(key.values));
    }
    if (found.empty() && model.number != 0 && number > model.number)
        found.push_back(component.name + " is one component too many (the prices are for at most " +
                        std::to_string(model.number) + " like it)");
    return found;
}

std::vector<std::string> PriceScope::outside(std::span<const Consumer> all) const
{
    std::vector<std::string> found;
    std::map<const Model*, std::uint64_t> numbers;
    for (const Consumer& component : all) {
        const auto models = models_.find(component.type);
        if (models == models_.end() || models->second.empty() || !component.has_units)
            continue;
        const Model* nearest = nullptr;
        std::vector<std::string> least;
        for (const Model& model : models->second) {
            std::vector<std::string> here = differences(component, model, numbers[&model] + 1);
            if (nearest == nullptr || here.size() < least.size()) {
                nearest = &model;
                least = std::move(here);
            }
        }
        if (least.empty())
            ++numbers[nearest];
        found.insert(found.end(), least.begin(), least.end());
    }
    return found;
}

} // namespace levee::energy
