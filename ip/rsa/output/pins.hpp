// SPDX-License-Identifier: Apache-2.0
// The boundary of the output-stationary array's RTL (rtl/rsa_output/rsa_output.sv): its ports
// (core/rtl/ports.hpp). A design with these ports can replace the array. The first design in
// CMakeLists.txt has Kelle's size.
#pragma once

#include "core/rtl/ports.hpp"
#include "ip/rsa/lanes.hpp"

#include <algorithm>
#include <array>

namespace levee::rsa::output {

/// Width of a sum.
inline constexpr unsigned sum_bits = 48;

struct Shape {
    std::uint32_t rows = 0, columns = 0;

    [[nodiscard]] constexpr std::uint32_t lanes() const { return columns; }
    friend bool operator==(const Shape&, const Shape&) = default;
};

struct DesignParameters {
    std::uint32_t Rows, Cols;
};

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
/// Bytes of B for one k: one byte of each column's element, or four-bit elements.
struct ColumnBytes {
    LEVEE_MEMBERS(LEVEE_RSA_OUTPUT_LOAD)
};
LEVEE_PORTS_IN(ColumnBytes, LEVEE_RSA_OUTPUT_LOAD)

// The wave that completes the sums of a fold or group makes the sums leave. The wave states how
// many rows have sums (the lowest rows), and how many lanes output them (the first lanes).
#define LEVEE_RSA_OUTPUT_WAVE(PORT, ...)                                                           \
    PORT(in_next_i, bool, is_next, else_default(1)) /* last wave for these bytes */                \
    PORT(in_signed_i, bool, is_signed, 1)                                                          \
    PORT(in_data_i, LaneBytes, bytes, each(8, size.rows))                                          \
    PORT(in_shift_i, std::uint8_t, shift, 2) /* Left shift of its products, in bytes. */           \
    PORT(in_first_i, bool, begins, 1)        /* The wave begins new sums. */                       \
    PORT(in_leave_i, bool, leaves, else_default(1))                                                \
    PORT(in_rows_i, std::uint8_t, rows, clog2(size.rows + 1))                                      \
    PORT(in_lanes_i, std::uint8_t, lanes, clog2(size.columns + 1))
/// Bytes of A for one k, for each row of the array; 0 in unused rows.
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
    PORT(out_valid_o, std::uint32_t, lanes, size.columns, "always") /* One bit per lane. */        \
    PORT(out_sums_o, LaneSums, sums, each(sum_bits, size.columns), "out_valid_o")
LEVEE_BOUNDARY(Shape, LEVEE_RSA_OUTPUT_INPUTS, LEVEE_RSA_OUTPUT_OUTPUTS)

} // namespace levee::rsa::output
