// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/si.hpp"

#include <array>
#include <cstdio>
#include <utility>

namespace levee {

std::string si(double value, const char* unit)
{
    constexpr std::array<std::pair<double, const char*>, 8> prefixes{{{1e9, "G"},
                                                                      {1e6, "M"},
                                                                      {1e3, "k"},
                                                                      {1.0, ""},
                                                                      {1e-3, "m"},
                                                                      {1e-6, "u"},
                                                                      {1e-9, "n"},
                                                                      {1e-12, "p"}}};
    auto chosen = prefixes[3];
    for (const auto& prefix : prefixes)
        if (value >= prefix.first) {
            chosen = prefix;
            break;
        }
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.4g %s%s", value / chosen.first, chosen.second, unit);
    return text.data();
}

} // namespace levee
