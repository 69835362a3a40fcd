// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/phases.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::bottlenecks {

constexpr std::size_t phases = phase_names.size();

/// A number for each phase.
using ByPhase = std::array<std::uint64_t, phases>;

/// A table of sums of time, bytes or operations. It has a row for each sum and a cell for each
/// phase. The table only grows, and a cell's index never changes.
class TimeBook {
public:
    using Row = unsigned;

    /// Appends a row of zeros and returns its number.
    [[nodiscard]] Row row()
    {
        cells_.resize(cells_.size() + phases);
        return static_cast<Row>(cells_.size() / phases - 1);
    }
    void set_phase(levee_phase phase) { phase_ = phase; }
    [[nodiscard]] levee_phase phase() const { return phase_; }
    void add(Row row, std::uint64_t amount) { cells_[row * phases + phase_] += amount; }
    void add(Row row, const ByPhase& amounts)
    {
        for (std::size_t phase = 0; phase < phases; ++phase)
            cells_[row * phases + phase] += amounts[phase];
    }

    [[nodiscard]] const std::vector<std::uint64_t>& cells() const { return cells_; }
    /// Returns the row's value in `cells`, an earlier copy of this table; 0 if the row did not
    /// exist yet.
    [[nodiscard]] static std::uint64_t value(std::span<const std::uint64_t> cells, Row row,
                                             std::size_t phase)
    {
        const std::size_t at = row * phases + phase;
        return at < cells.size() ? cells[at] : 0;
    }

private:
    std::vector<std::uint64_t> cells_;
    levee_phase phase_ = LEVEE_PHASE_OTHER;
};

} // namespace levee::bottlenecks
