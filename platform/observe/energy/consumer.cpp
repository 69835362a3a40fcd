// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/consumer.hpp"

namespace levee::energy {

using config::Dimension;

const std::string& Consumer::parameter(const std::string& name_of_it, const config::Place& place,
                                       const std::string& path) const
{
    std::vector<std::string> known;
    for (const Parameter& own : parameters) {
        if (own.first == name_of_it)
            return own.second;
        known.push_back(own.first);
    }
    throw config::Error(place, "'" + path + "' names '" + name_of_it + "', and '" + name +
                                   "' has no parameter of this name" +
                                   config::suggestion(name_of_it, known));
}

const Declaration& type_called(Types types, const config::Node::Entry& entry,
                               const std::string& path)
{
    std::vector<std::string> known;
    for (const Declaration* const type : types) {
        if (type->type == entry.key)
            return *type;
        known.emplace_back(type->type);
    }
    throw config::Error(entry.place, "'" + path + "': there is no type of component of this name" +
                                         config::suggestion(entry.key, known));
}

void check_parameter(const Declaration& type, std::span<const config::Key> keys,
                     const config::Node::Entry& entry, const std::string& path)
{
    if (config::find_key(keys, entry.key) != nullptr)
        return;
    std::vector<std::string> known;
    for (const config::Key& key : keys)
        known.emplace_back(key.name);
    throw config::Error(entry.place, "'" + path + "." + entry.key + "': the type '" + type.type +
                                         "' has no parameter of this name" +
                                         config::suggestion(entry.key, known));
}

std::optional<Quantity> quantity_in(const std::string& text)
{
    for (const Dimension dimension : {Dimension::Count, Dimension::Size, Dimension::Bandwidth,
                                      Dimension::Frequency, Dimension::Time})
        if (const config::QuantityResult number = config::parse_quantity(text, dimension);
            number.error.empty())
            return Quantity{dimension, number.value};
    return std::nullopt;
}

} // namespace levee::energy
