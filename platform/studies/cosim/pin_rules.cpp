// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/cosim/pin_rules.hpp"

#include <algorithm>
#include <fstream>
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

PinRules::PinRules(const std::filesystem::path& file) : file_(file)
{
    std::ifstream lines(file);
    if (!lines)
        throw std::runtime_error(file.string() + ": no such file; expected, for each output of the "
                                                 "boundary, when its value counts");
    int count = 0;
    for (std::string line; std::getline(lines, line);) {
        ++count;
        if (!line.empty() && line[0] != '#')
            read_line(line, file.string() + ":" + std::to_string(count));
    }
}

void PinRules::read_line(const std::string& line, const std::string& place)
{
    std::istringstream words(line);
    std::string output, word;
    words >> output;
    std::vector<Condition>& conditions = rules_[output];
    bool has_condition = false;
    for (; words >> word; has_condition = true) {
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
    if (!has_condition)
        throw std::runtime_error(place + ": '" + output +
                                 "' has no condition; expected 'always' or pins");
}

void PinRules::check(const std::vector<std::string>& outputs) const
{
    for (const std::string& output : outputs)
        if (!rules_.contains(output))
            throw std::runtime_error(file_.string() + ": has no line for the output " + output);
    for (const auto& [output, conditions] : rules_)
        if (std::ranges::find(outputs, output) == outputs.end())
            throw std::runtime_error(file_.string() + ": the boundary has no output " + output);
}

Bits PinRules::counts(const std::string& output, const PinValues& pins) const
{
    Bits counts(pins.at(output).size(), true);
    for (const Condition& condition : rules_.at(output)) {
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
