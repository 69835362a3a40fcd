// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/ports.hpp"
#include "ip/cim_macro/model.hpp"

#include <array>

namespace levee::cim_macro {

struct DesignParameters {
    std::uint32_t Inputs, Outputs;
};

template <DesignParameters design> consteval Shape size_of()
{
    static_assert(std::has_single_bit(design.Inputs) && design.Inputs <= most_inputs,
                  "Inputs: expected a power of two up to 256");
    static_assert(design.Outputs >= 1 && design.Outputs <= most_outputs,
                  "Outputs: expected 1 to 32");
    return {design.Inputs, design.Outputs};
}

using RowWeights = std::array<std::int8_t, most_outputs>;
using InputBytes = std::array<std::uint8_t, most_inputs>;
using OutputSums = std::array<std::int32_t, most_outputs>;

#define LEVEE_MACRO_ROW(PORT, ...)                                                                 \
    PORT(load_row_i, std::uint8_t, input, clog2(size.inputs))                                      \
    PORT(load_weights_i, RowWeights, weights, each(8, size.outputs))
/// Weights of one input, loaded in one cycle.
struct Row {
    LEVEE_MEMBERS(LEVEE_MACRO_ROW)
};
LEVEE_PORTS_IN(Row, LEVEE_MACRO_ROW)

#define LEVEE_MACRO_PASS(PORT, ...)                                                                \
    PORT(in_signed_i, bool, is_signed, 1)                                                          \
    PORT(in_last_i, bool, is_last, 1)                                                              \
    PORT(in_vector_i, InputBytes, bytes, each(pass_bits, size.inputs))
/// Eight bits of each input, taken in one pass.
struct Pass {
    LEVEE_MEMBERS(LEVEE_MACRO_PASS)
};
LEVEE_PORTS_IN(Pass, LEVEE_MACRO_PASS)

#define LEVEE_MACRO_INPUTS(PORT, OFFER, ...)                                                       \
    OFFER(load_valid_i, Row, row)                                                                  \
    OFFER(in_valid_i, Pass, pass)                                                                  \
    PORT(out_ready_i, bool, out_ready, 1)
#define LEVEE_MACRO_OUTPUTS(PORT, ...)                                                             \
    PORT(load_ready_o, bool, load_ready, 1, "always")                                              \
    PORT(in_ready_o, bool, in_ready, 1, "always")                                                  \
    PORT(out_valid_o, bool, out_valid, 1, "always")                                                \
    PORT(out_sums_o, OutputSums, sums, each(3 * pass_bits + clog2(size.inputs), size.outputs),     \
         "out_valid_o")
LEVEE_BOUNDARY(Shape, LEVEE_MACRO_INPUTS, LEVEE_MACRO_OUTPUTS)

} // namespace levee::cim_macro
