// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/cosim/pin_rules.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace levee::cosim {

namespace {

std::uint64_t number(const Bits& bits)
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bits.size() && i < 64; ++i)
        value |= std::uint64_t{bits[i]} << i;
    return value;
}

} // namespace

PinRules::PinRules(const std::vector<RtlPort>& ports)
{
    for (const RtlPort& port : ports) {
        if (port.is_input)
            continue;
        std::vector<Condition>& conditions = rules_[port.name];
        std::istringstream words(port.counts);
        for (std::string word; words >> word;) {
            if (word == "always")
                continue;
            Condition condition;
            const std::size_t equals = word.find('='), at = word.find('@');
            if (equals != std::string::npos)
                condition.value = std::stoull(word.substr(equals + 1));
            condition.pin = word.substr(0, std::min(equals, at));
            if (at != std::string::npos)
                condition.channel = word.substr(at + 1, equals - at - 1);
            conditions.push_back(condition);
        }
    }
}

Bits PinRules::counts(const std::string& output, const PinValues& pins) const
{
    const auto rule = rules_.find(output);
    if (rule == rules_.end())
        throw std::runtime_error("the RTL has an unknown output " + output +
                                 "; expected a line for this output in the block's pins.hpp");
    Bits counts(pins.at(output).size(), true);
    for (const Condition& condition : rule->second) {
        if (!condition.channel.empty()) {
            const auto last = transferred_.find(condition.pin + "@" + condition.channel);
            if (last == transferred_.end() || last->second != condition.value)
                counts.assign(counts.size(), false);
            continue;
        }
        const Bits& bits = pins.at(condition.pin);
        if (condition.value && number(bits) != *condition.value)
            counts.assign(counts.size(), false);
        for (std::size_t i = 0; !condition.value && i < counts.size(); ++i)
            counts[i] = counts[i] && bits[i * bits.size() / counts.size()];
    }
    return counts;
}

void PinRules::edge(const PinValues& pins)
{
    for (const auto& [output, conditions] : rules_)
        for (const Condition& condition : conditions) {
            if (condition.channel.empty())
                continue;
            if (pins.at(condition.channel + "_valid_i")[0] &&
                pins.at(condition.channel + "_ready_o")[0])
                transferred_[condition.pin + "@" + condition.channel] =
                    number(pins.at(condition.pin));
        }
}

} // namespace levee::cosim
