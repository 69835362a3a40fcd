// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/numerics/numerics.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::test {

/// Converts FP32 values to FP16, rounding each once.
inline std::vector<std::uint16_t> halves_of(std::span<const float> values)
{
    std::vector<std::uint16_t> halves;
    for (const float value : values)
        halves.push_back(fp32_to_fp16(value));
    return halves;
}

inline std::vector<float> floats_of(std::span<const std::uint16_t> halves)
{
    std::vector<float> values;
    for (const std::uint16_t half : halves)
        values.push_back(fp16_to_fp32(half));
    return values;
}

/// Returns x times `factor`, or x unchanged if `factor` is 0.
inline std::vector<float> scaled(std::vector<float> x, float factor)
{
    for (float& element : x)
        element = factor != 0 ? canonical(element * factor) : element;
    return x;
}

} // namespace levee::test
