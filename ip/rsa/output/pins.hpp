// SPDX-License-Identifier: Apache-2.0
// The boundary of the output-stationary array's RTL (rtl/rsa_output/rsa_output.sv): its ports
// (core/rtl/ports.hpp). A design with these can replace it; the first is Kelle's size.
#pragma once

#include "core/rtl/ports.hpp"

#include <algorithm>
#include <array>

namespace levee::rsa::output {

/// Most rows, and most columns, of a design behind these pins.
inline constexpr std::uint32_t most_lanes = 32;

/// Width of a sum.
inline constexpr unsigned sum_bits = 48;

/// Shape of a design.
struct Shape {
    std::uint32_t rows = 0, columns = 0;

    [[nodiscard]] constexpr std::uint32_t lanes() const { return columns; }
    friend bool operator==(const Shape&, const Shape&) = default;
};

/// Parameters of a design, named as in the RTL.
struct DesignParameters {
    std::uint32_t Rows, Cols;
};

/// The size of a design with these parameters.
template <DesignParameters design> consteval Shape size_of()
{
    static_assert(std::min(design.Rows, design.Cols) >= 2 &&
                      std::max(design.Rows, design.Cols) <= most_lanes,
                  "Rows, Cols: expected 2 to 32");
    return {design.Rows, design.Cols};
}

using LaneBytes = std::array<std::uint8_t, most_lanes>;
using LaneSums = std::array<std::int64_t, most_lanes>;

#define LEVEE_RSA_OUTPUT_LOAD(PORT, ...)                                                           \
    PORT(load_signed_i, bool, is_signed, 1)                                                        \
    PORT(load_nibbles_i, bool, has_nibbles, 1)                                                     \
    PORT(load_data_i, LaneBytes, bytes, each(8, size.columns))
/// B's bytes of a k: of each column's element one, or packed elements of four bits.
struct ColumnBytes {
    LEVEE_MEMBERS(LEVEE_RSA_OUTPUT_LOAD)
};
LEVEE_PORTS_IN(ColumnBytes, LEVEE_RSA_OUTPUT_LOAD)

// A wave that leaves has complete sums: of so many rows, the lowest, and lanes, the first.
#define LEVEE_RSA_OUTPUT_WAVE(PORT, ...)                                                           \
    PORT(in_next_i, bool, is_next, else_default(1)) /* the last of the column bytes it meets */    \
    PORT(in_signed_i, bool, is_signed, 1)                                                          \
    PORT(in_data_i, LaneBytes, bytes, each(8, size.rows))                                          \
    PORT(in_shift_i, std::uint8_t, shift, 2) /* shift of its products, in bytes */                 \
    PORT(in_first_i, bool, begins, 1)        /* sums */                                            \
    PORT(in_leave_i, bool, leaves, else_default(1))                                                \
    PORT(in_rows_i, std::uint8_t, rows, clog2(size.rows + 1))                                      \
    PORT(in_lanes_i, std::uint8_t, lanes, clog2(size.columns + 1))
/// A's bytes of a k, of each row of the array: 0 where the fold has none.
struct Wave {
    LEVEE_MEMBERS(LEVEE_RSA_OUTPUT_WAVE)
};
LEVEE_PORTS_IN(Wave, LEVEE_RSA_OUTPUT_WAVE)

#define LEVEE_RSA_OUTPUT_INPUTS(PORT, OFFER, ...)                                                  \
    OFFER(load_valid_i, ColumnBytes, load)                                                         \
    OFFER(in_valid_i, Wave, wave)                                                                  \
    PORT(out_ready_i, bool, out_ready, 1)
#define LEVEE_RSA_OUTPUT_OUTPUTS(PORT, ...)                                                        \
    PORT(load_ready_o, bool, load_ready, 1, "always")                                              \
    PORT(in_ready_o, bool, in_ready, 1, "always")                                                  \
    PORT(out_valid_o, std::uint32_t, lanes, size.columns, "always") /* a bit for each */           \
    PORT(out_sums_o, LaneSums, sums, each(sum_bits, size.columns), "out_valid_o")
LEVEE_BOUNDARY(Shape, LEVEE_RSA_OUTPUT_INPUTS, LEVEE_RSA_OUTPUT_OUTPUTS)

} // namespace levee::rsa::output
