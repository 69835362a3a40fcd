#include "platform/sampling/figures.hpp"

namespace levee::sampling {

void Figures::add(const std::string& component, const Stats& stats)
{
    std::size_t index = 0;
    for (const auto& [name, value] : stats.figures()) {
        const bool sum = stats.kind(index++) == FigureKind::Sum;
        (sum ? sums : levels)[component + "." + name] = value;
    }
}

} // namespace levee::sampling
