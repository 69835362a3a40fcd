// SPDX-License-Identifier: Apache-2.0
#include "core/config/pattern.hpp"

#include <algorithm>
#include <map>
#include <regex>
#include <string_view>

namespace levee::config {

namespace {

constexpr std::size_t longest_line = 4096; // std::regex recurses along the matched text.

} // namespace

std::vector<Match> matches(const std::string& text, const std::string& pattern)
{
    // Patterns are constants in the sources, so each is compiled only once.
    static thread_local std::map<std::string, std::regex> compiled;
    const std::regex& expression = compiled.try_emplace(pattern, pattern).first->second;
    std::vector<Match> found;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line =
            std::string_view(text).substr(begin, std::min(end - begin, longest_line));
        for (std::cregex_iterator at(line.data(), line.data() + line.size(), expression), none;
             at != none; ++at) {
            found.push_back({begin + static_cast<std::size_t>(at->position()), {}});
            for (const auto& group : *at)
                found.back().groups.push_back(group.str());
        }
        begin = end + 1;
    }
    return found;
}

} // namespace levee::config
