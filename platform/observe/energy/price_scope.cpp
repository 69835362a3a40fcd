// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/price_scope.hpp"

#include "core/config/reader.hpp"
#include "platform/observe/energy/price_keys.hpp"

#include <algorithm>

namespace levee::energy {

namespace {

using config::Error;
using config::Node;

/// Whether a list's value `a` matches a component's: as text, as a prefix before a `*`, or as a
/// number with its unit.
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
    std::vector<std::string> known;
    for (const Declaration* type : types)
        known.emplace_back(type->type);
    for (const Node::Entry& type : node.entries) {
        const std::string at = path + "." + type.key;
        if (std::ranges::find(known, type.key) == known.end())
            throw Error(type.place, "'" + at + "': there is no type of component of this name" +
                                        config::suggestion(type.key, known));
        std::vector<Model>& models = models_[type.key];
        if (!type.value.is_list())
            models.push_back(read_model(type.value, at));
        else
            for (std::size_t i = 0; i < type.value.items.size(); ++i)
                models.push_back(read_model(type.value.items[i], at + "." + std::to_string(i)));
    }
}

void PriceScope::replace(const std::string& type, const PriceScope& other)
{
    models_.erase(type);
    if (const auto found = other.models_.find(type); found != other.models_.end())
        models_.insert(*found);
}

PriceScope::Model PriceScope::read_model(const Node& node, const std::string& path)
{
    need_map(node, path);
    config::MapReader reader(node, path, model_keys);
    Model model;
    model.number = reader.quantity(number_key);
    for (const Node::Entry& entry : node.entries) {
        if (entry.key == number_key)
            continue;
        Key key{entry.place, path + "." + entry.key, entry.key, {}};
        if (entry.value.is_scalar())
            key.values.push_back(reader.string(entry.key));
        else
            key.values = reader.strings(entry.key);
        model.keys.push_back(std::move(key));
    }
    return model;
}

/// The differences between the model and a component that is the `number`th like it.
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
        found.push_back("the number of such as " + component.name + " is " +
                        std::to_string(number) + ", not " + std::to_string(model.number));
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
