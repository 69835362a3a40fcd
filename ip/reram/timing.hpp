// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/clock.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace levee::reram {

/// Times of a crossbar.
struct TimingConfig {
    Picoseconds pulse = 0;      ///< inputs driven, currents settled and held
    Picoseconds conversion = 0; ///< time of one ADC
    std::uint32_t adcs = 1;     ///< ADCs of a crossbar (of a pair, Mapping::Differential)
    Picoseconds vector = 0; ///< time of a product with a vector, whatever its bits; 0: it follows
                            ///< from the times above
    Picoseconds write = 0;  ///< Time to program a bit line.

    /// A product with a vector, t_c: a cycle for each bit. The held currents of one are converted
    /// while the next is driven.
    [[nodiscard]] Picoseconds product(std::uint32_t bits, std::uint32_t lines) const
    {
        if (vector != 0)
            return vector;
        const Picoseconds conversions = divide_up(lines, adcs) * conversion;
        return bits * std::max(pulse, conversions);
    }
};

/// The passage of vectors through one stage.
struct StageTime {
    /// Vectors that pass one after another, in the crossbars that get the most.
    std::uint64_t vectors = 0;
    Picoseconds product = 0; ///< time of a product with a vector
    [[nodiscard]] Picoseconds whole() const { return vectors * product; }
};

/// Vectors through stages: n t_c a stage, one stage after another; or (n + s - 1) t_c if a vector
/// enters a stage as soon as it has left the previous one (ReTransformer, section III-B).
inline Picoseconds time_of(std::span<const StageTime> stages, bool pipelined)
{
    Picoseconds sum = 0, longest = 0, first = 0, its_first = 0;
    for (const StageTime& stage : stages) {
        sum += stage.whole();
        first += stage.product;
        if (stage.whole() > longest) {
            longest = stage.whole();
            its_first = stage.product;
        }
    }
    return pipelined ? longest + first - its_first : sum;
}

} // namespace levee::reram
