// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/ports.hpp"
#include "ip/element_serial/model.hpp"

namespace levee::element_serial {

struct Shape {
    std::uint32_t tile = 0;
};

struct DesignParameters {
    std::uint32_t Tile;
};

template <DesignParameters design> consteval Shape size_of()
{
    static_assert(design.Tile >= 8, "Tile: expected 8 or more");
    return {design.Tile};
}

// Ports that are constant from an operation's first operand to its last result. Numbers are FP32
// bits. `param` is the scale for REDUCE, or epsilon for NORMALISE. `count` is a vector's number of
// elements, for NORMALISE of norms.
#define LEVEE_SERIAL_CONFIGURATION(PORT, ...)                                                      \
    PORT(normalise_i, bool, normalise, 1)                                                          \
    PORT(function_i, Function, function, 2)                                                        \
    PORT(half_i, bool, half, 1) /* REDUCE: x is FP16 */                                            \
    PORT(param_i, std::uint32_t, param, 32)                                                        \
    PORT(count_i, std::uint32_t, count, 32)
struct Configuration {
    LEVEE_MEMBERS(LEVEE_SERIAL_CONFIGURATION)
    friend bool operator==(const Configuration&, const Configuration&) = default;
};
LEVEE_PORTS_IN(Configuration, LEVEE_SERIAL_CONFIGURATION)

#define LEVEE_SERIAL_ELEMENT(PORT, ...)                                                            \
    PORT(in_x_i, std::uint32_t, x, 32)           /* FP32, or FP16 in the lower half. */            \
    PORT(in_gain_i, std::uint32_t, gain, 32)     /* FP32; NORMALISE of norms. */                   \
    PORT(in_addend_i, std::uint32_t, addend, 32) /* REDUCE: y, FP16. NORMALISE: bias, FP32. */
/// An element of a vector, with its operands.
struct Element {
    LEVEE_MEMBERS(LEVEE_SERIAL_ELEMENT)
};
LEVEE_PORTS_IN(Element, LEVEE_SERIAL_ELEMENT)

#define LEVEE_SERIAL_INPUTS(PORT, OFFER, PART, ...)                                                \
    PART(Configuration, configuration)                                                             \
    PORT(stats_valid_i, bool, stats_valid, 1)                                                      \
    PORT(stats_first_i, std::uint32_t, stats_first, 32)                                            \
    PORT(stats_second_i, std::uint32_t, stats_second, 32)                                          \
    PORT(in_valid_i, bool, in_valid, 1)                                                            \
    PART(Element, in)                                                                              \
    PORT(in_last_i, bool, in_last, 1)                                                              \
    PORT(out_ready_i, bool, out_ready, 1)                                                          \
    PORT(result_ready_i, bool, result_ready, 1)
#define LEVEE_SERIAL_OUTPUTS(PORT, ...)                                                            \
    PORT(stats_ready_o, bool, stats_ready, 1, "always")                                            \
    PORT(in_ready_o, bool, in_ready, 1, "always")                                                  \
    PORT(out_valid_o, bool, out_valid, 1, "always")                                                \
    PORT(out_data_o, std::uint16_t, out_data, 16, "out_valid_o")                                   \
    PORT(out_last_o, bool, out_last, 1, "out_valid_o")                                             \
    PORT(result_valid_o, bool, result_valid, 1, "always")                                          \
    PORT(result_first_o, std::uint32_t, result_first, 32, "result_valid_o")                        \
    PORT(result_second_o, std::uint32_t, result_second, 32, "result_valid_o")
LEVEE_BOUNDARY(Shape, LEVEE_SERIAL_INPUTS, LEVEE_SERIAL_OUTPUTS)

} // namespace levee::element_serial
