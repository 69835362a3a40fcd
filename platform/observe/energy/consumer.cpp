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
                                   "' has no parameter of this name; expected one that `levee "
                                   "describe` displays" +
                                   config::suggestion(name_of_it, known));
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
