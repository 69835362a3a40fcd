#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace levee {

/// Figures a block reports when a run ends: dotted names, SI units, in the order of reporting.
class Stats {
public:
    using Value = std::variant<std::uint64_t, double>;

    void add(std::string name, std::uint64_t value)
    {
        figures_.emplace_back(std::move(name), value);
    }
    void add(std::string name, double value) { figures_.emplace_back(std::move(name), value); }

    [[nodiscard]] const std::vector<std::pair<std::string, Value>>& figures() const
    {
        return figures_;
    }

private:
    std::vector<std::pair<std::string, Value>> figures_;
};

/// Picoseconds as seconds, for figures.
inline double seconds(std::uint64_t picoseconds)
{
    return static_cast<double>(picoseconds) / 1e12;
}

} // namespace levee
