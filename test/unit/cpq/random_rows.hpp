// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/numerics/numerics.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::cpq {

/// Returns random numbers in [-1, 1), with a scale and an offset per channel.
inline std::vector<float> random_rows(std::uint32_t seed, std::size_t rows, std::size_t channels)
{
    std::vector<float> values(rows * channels);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t channel = i % channels;
        const float magnitude = static_cast<float>(1u << (channel % 5));
        const float offset = channel % 7 == 3 ? 20.0f : 0.0f;
        values[i] = (2 * unit_interval(random_word(seed, 1, i)) - 1) * magnitude + offset;
    }
    return values;
}

} // namespace levee::cpq
