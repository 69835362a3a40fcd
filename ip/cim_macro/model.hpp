// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::cim_macro {

/// Shape of a macro with INT8 weights. A pass takes 8 bits of each input.
struct Shape {
    std::uint32_t inputs = 0, outputs = 0;

    friend bool operator==(const Shape&, const Shape&) = default;
};
inline constexpr unsigned pass_bits = 8;
/// Largest size of a design with these pins.
inline constexpr std::uint32_t most_inputs = 256, most_outputs = 32;

/// Types of inputs. A pass processes its inputs bit by bit.
enum class InputType { Int8, Uint8, Int16 };
/// Number of passes for one vector. 16-bit inputs take two passes: the signed high byte, then the
/// low byte.
[[nodiscard]] constexpr unsigned passes(InputType type)
{
    return type == InputType::Int16 ? 2 : 1;
}

/// Largest number of 16-bit inputs for which all sums fit in INT32: 511 * 2^15 * 2^7 < 2^31. With
/// 8-bit inputs, no macro is large enough to overflow.
inline constexpr std::uint32_t most_wide_inputs = 511;

/// sums[o] = sum over i of inputs[i] * weights[i][o]. `weights` is [input][output]. The sums must
/// fit in INT32 (most_wide_inputs).
[[nodiscard]] std::vector<std::int32_t> multiply(const Shape& shape,
                                                 std::span<const std::int8_t> weights,
                                                 std::span<const std::int16_t> inputs);

/// The sums of multiply(), computed as the macro does: bit by bit from the highest, with one sum of
/// weights for each bit. Only the bits of the input type are used.
[[nodiscard]] std::vector<std::int32_t> multiply_by_bits(const Shape& shape,
                                                         std::span<const std::int8_t> weights,
                                                         std::span<const std::int16_t> inputs,
                                                         InputType type);

/// Cycles from taking a vector to its sums: one for each pass, and one for each bit.
[[nodiscard]] constexpr std::uint64_t vector_cycles(InputType type)
{
    return passes(type) * (std::uint64_t{pass_bits} + 1);
}

} // namespace levee::cim_macro
