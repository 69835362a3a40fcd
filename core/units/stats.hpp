// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/time.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace levee {

/// How a metric of the whole run is computed from measurements of parts of the run.
enum class FigureKind {
    Sum,   ///< The whole run's figure is the sum over its parts.
    Level, ///< A level or maximum, which is the same for the whole run.
    Time   ///< Proportional to simulated time.
};

/// Metrics that a block reports at the end of a run or on request. They have dotted names and SI
/// units, and keep the order in which they were reported.
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
    return static_cast<double>(picoseconds) / static_cast<double>(ps_per_second);
}

} // namespace levee
