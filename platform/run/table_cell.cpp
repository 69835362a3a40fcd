// SPDX-License-Identifier: Apache-2.0
#include "platform/run/table_cell.hpp"

#include <array>
#include <cstdio>

namespace levee {

std::string table_cell(std::optional<double> value)
{
    std::array<char, 32> text{};
    if (value)
        std::snprintf(text.data(), text.size(), "%.9g", *value);
    return "," + std::string(text.data());
}

} // namespace levee
