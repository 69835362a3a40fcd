// SPDX-License-Identifier: Apache-2.0
// Reference of the digital compute-in-memory macro: exact sums, no addresses, no time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::cim_macro {

/// Shape of a macro with INT8 weights; a pass takes 8 bits of each input.
struct Shape {
    std::uint32_t inputs = 0, outputs = 0;

    friend bool operator==(const Shape&, const Shape&) = default;
};
inline constexpr unsigned pass_bits = 8;
/// Largest size of a design behind these pins.
inline constexpr std::uint32_t most_inputs = 256, most_outputs = 32;

/// Inputs as bit-serial passes take them.
enum class InputType { Int8, Uint8, Int16 };
/// Number of passes for one vector. A 16-bit vector takes two: the signed high byte, then the low
/// byte.
[[nodiscard]] constexpr unsigned passes(InputType type)
{
    return type == InputType::Int16 ? 2 : 1;
}

/// Largest number of 16-bit inputs for which all sums fit INT32: 511 * 2^15 * 2^7 < 2^31. Macros
/// have too few inputs for 8-bit sums to overflow.
inline constexpr std::uint32_t most_wide_inputs = 511;

/// sums[o] = sum over i of inputs[i] * weights[i][o]. `weights`: [input][output]. The sums must fit
/// INT32 (most_wide_inputs).
[[nodiscard]] std::vector<std::int32_t> multiply(const Shape& shape,
                                                 std::span<const std::int8_t> weights,
                                                 std::span<const std::int16_t> inputs);

/// The same, computed like the macro: bit by bit from the highest, with a sum of weights for each.
/// `inputs`: only the bits of their type count.
[[nodiscard]] std::vector<std::int32_t> multiply_by_bits(const Shape& shape,
                                                         std::span<const std::int8_t> weights,
                                                         std::span<const std::int16_t> inputs,
                                                         InputType type);

/// Cycles from taking a vector to its sums: one cycle to take each pass, and one for each bit.
[[nodiscard]] constexpr std::uint64_t vector_cycles(InputType type)
{
    return passes(type) * (std::uint64_t{pass_bits} + 1);
}

} // namespace levee::cim_macro
