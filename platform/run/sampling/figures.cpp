// SPDX-License-Identifier: Apache-2.0
#include "platform/run/sampling/figures.hpp"

namespace levee::sampling {

void Figures::add(const std::string& component, const Stats& stats)
{
    std::size_t index = 0;
    for (const auto& [name, value] : stats.figures()) {
        const FigureKind kind = stats.kind(index++);
        auto& list = kind == FigureKind::Sum ? sums : kind == FigureKind::Level ? levels : times;
        list[component + "." + name] = value;
    }
}

} // namespace levee::sampling
