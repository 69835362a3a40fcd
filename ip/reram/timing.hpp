// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/clock.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace levee::reram {

struct TimingConfig {
    Picoseconds pulse = 0;      ///< Time to drive inputs and to sample currents.
    Picoseconds conversion = 0; ///< Time of one conversion.
    std::uint32_t adcs = 1;     ///< ADCs of a crossbar; with Mapping::Differential, of a pair.
    Picoseconds vector = 0;     ///< Time of a product with a vector, regardless of its bits; 0:
                                ///< computed from the times above.
    Picoseconds write = 0;      ///< Time to program a bit line.

    /// Time of a product with a vector, t_c: one cycle for each bit. The currents that are held in
    /// one cycle are converted during the next cycle.
    [[nodiscard]] Picoseconds product(std::uint32_t bits, std::uint32_t lines) const
    {
        if (vector != 0)
            return vector;
        const Picoseconds conversions = divide_up(lines, adcs) * conversion;
        return bits * std::max(pulse, conversions);
    }
};

/// How vectors pass through one stage.
struct StageTime {
    /// Number of vectors that pass one after another through the crossbars with the most vectors.
    std::uint64_t vectors = 0;
    Picoseconds product = 0; ///< Time of a product with a vector.
    [[nodiscard]] Picoseconds whole() const { return vectors * product; }
};

/// Time of n vectors through s stages. Without pipelining: n t_c for each stage, one stage after
/// another. With pipelining, a vector enters a stage as soon as it has left the previous stage: (n
/// + s - 1) t_c (ReTransformer, section III-B).
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
