// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace levee {

/// Rule by which a figure of a part of a run is extended to the whole run.
enum class FigureKind {
    Sum,   ///< the whole's is the sum of its parts'
    Level, ///< A level or maximum, which is the same for the whole run.
    Time   ///< proportional to simulated time alone
};

/// Figures that a block reports at the end of a run or on a query: dotted names, SI units, in the
/// order of reporting.
class Stats {
public:
    using Value = std::variant<std::uint64_t, double>;

    void add(std::string name, std::uint64_t value, FigureKind kind = FigureKind::Sum)
    {
        put(std::move(name), value, kind);
    }
    void add(std::string name, double value, FigureKind kind = FigureKind::Sum)
    {
        put(std::move(name), value, kind);
    }

    [[nodiscard]] const std::vector<std::pair<std::string, Value>>& figures() const
    {
        return figures_;
    }
    /// Kind of figures()[index].
    [[nodiscard]] FigureKind kind(std::size_t index) const { return kinds_[index]; }

private:
    void put(std::string name, Value value, FigureKind kind)
    {
        figures_.emplace_back(std::move(name), value);
        kinds_.push_back(kind);
    }
    std::vector<std::pair<std::string, Value>> figures_;
    std::vector<FigureKind> kinds_;
};

/// Picoseconds as seconds, for figures.
inline double seconds(std::uint64_t picoseconds)
{
    return static_cast<double>(picoseconds) / 1e12;
}

} // namespace levee
