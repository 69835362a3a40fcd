// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/warning_tally.hpp"

#include "core/config/pattern.hpp"

namespace levee::sweep {

void WarningTally::add(const std::string& warning)
{
    // Only a number between spaces or punctuation counts. Digits in a name (kelle_8mb, 32x32) or in
    // a place in a file (demo.yaml:3) do not.
    constexpr const char* alone = R"(\b[0-9]+(\.[0-9]+)?\b(?![.]?\w))";
    std::vector<std::string> texts, numbers;
    std::size_t end = 0;
    for (const config::Match& match : config::matches(warning, alone)) {
        const std::size_t begin = match.position;
        const std::string& number = match.groups[0];
        if (begin > 0 && (warning[begin - 1] == ':' || warning[begin - 1] == '.'))
            continue;
        texts.push_back(warning.substr(end, begin - end));
        end = begin + number.size();
        numbers.push_back(number);
    }
    texts.push_back(warning.substr(end));

    Group& group = groups_[texts];
    ++group.count;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (group.numbers.size() == i)
            group.numbers.push_back({numbers[i], numbers[i]});
        Number& number = group.numbers[i];
        if (std::stod(numbers[i]) < std::stod(number.least))
            number.least = numbers[i];
        if (std::stod(numbers[i]) > std::stod(number.most))
            number.most = numbers[i];
    }
}

std::vector<std::string> WarningTally::lines(std::size_t runs) const
{
    std::vector<std::string> lines;
    for (const auto& [texts, group] : groups_) {
        std::string line =
            std::to_string(group.count) + " of " + std::to_string(runs) + " runs: " + texts[0];
        for (std::size_t i = 0; i < group.numbers.size(); ++i) {
            const Number& number = group.numbers[i];
            line += number.least + (number.least == number.most ? "" : " to " + number.most) +
                    texts[i + 1];
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

} // namespace levee::sweep
