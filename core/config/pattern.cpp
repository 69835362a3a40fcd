// SPDX-License-Identifier: Apache-2.0
#include "core/config/pattern.hpp"

#include <map>
#include <regex>

namespace levee::config {

std::vector<Match> matches(const std::string& text, const std::string& pattern)
{
    // Patterns are constants of the sources: each is compiled once.
    static thread_local std::map<std::string, std::regex> compiled;
    const std::regex& expression = compiled.try_emplace(pattern, pattern).first->second;
    std::vector<Match> found;
    for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) {
        found.push_back({static_cast<std::size_t>(at->position()), {}});
        for (const auto& group : *at)
            found.back().groups.push_back(group.str());
    }
    return found;
}

} // namespace levee::config
