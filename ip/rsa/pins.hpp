// SPDX-License-Identifier: Apache-2.0
// The boundary of the array's RTL (rtl/rsa/rsa.sv): its ports (core/rtl/ports.hpp). A design with
// these ports can replace the array. The first design in CMakeLists.txt has Kelle's size.
#pragma once

#include "core/rtl/ports.hpp"
#include "ip/rsa/lanes.hpp"

#include <algorithm>
#include <array>

namespace levee::rsa {

struct Shape {
    std::uint32_t rows = 0, columns = 0;
    std::uint32_t sums = 0; ///< Accumulators per lane.

    [[nodiscard]] constexpr std::uint32_t lanes() const { return std::max(rows, columns); }
    friend bool operator==(const Shape&, const Shape&) = default;
};

struct DesignParameters {
    std::uint32_t Rows, Cols, Sums;
};

template <DesignParameters design> consteval Shape size_of()
{
    static_assert(std::min(design.Rows, design.Cols) >= 2 &&
                      std::max(design.Rows, design.Cols) <= most_lanes,
                  "Rows, Cols: expected 2 to 32");
    // A row of 16-bit elements takes four passes, and each needs a separate accumulator.
    static_assert(design.Sums >= 4, "Sums: expected 4 or more");
    return {design.Rows, design.Cols, design.Sums};
}

using LaneBytes = std::array<std::uint8_t, most_lanes>;
using LaneSums = std::array<std::int32_t, most_lanes>;

#define LEVEE_RSA_LOAD(PORT, ...)                                                                  \
    PORT(load_last_i, bool, is_last, 1) /* Last row of its fold. */                                \
    PORT(load_signed_i, bool, is_signed, 1)                                                        \
    PORT(load_nibbles_i, bool, has_nibbles, 1)                                                     \
    PORT(load_data_i, LaneBytes, bytes, each(8, size.columns))
/// A row of the stationary operand: one byte of each element, or packed four-bit elements.
struct StoredRow {
    LEVEE_MEMBERS(LEVEE_RSA_LOAD)
};
LEVEE_PORTS_IN(StoredRow, LEVEE_RSA_LOAD)

#define LEVEE_RSA_WAVE(PORT, ...)                                                                  \
    PORT(in_last_i, bool, is_last, else_default(1)) /* Last wave of its fold. */                   \
    PORT(in_transposed_i, bool, is_transposed, 1)                                                  \
    PORT(in_signed_i, bool, is_signed, 1)                                                          \
    PORT(in_data_i, LaneBytes, bytes, each(8, size.lanes()))                                       \
    PORT(in_sum_i, std::uint16_t, sum, clog2(size.sums)) /* Index of the accumulators. */          \
    PORT(in_add_i, bool, adds, 1)                        /* Adds to the accumulators. */           \
    PORT(in_leave_i, bool, leaves, 1)                    /* The wave has complete sums. */         \
    PORT(in_lanes_i, std::uint8_t, lanes, clog2(size.lanes() + 1)) /* Lanes with sums. */
/// One byte of each element in a row of A; 0 where the fold has no element.
struct Wave {
    LEVEE_MEMBERS(LEVEE_RSA_WAVE)
};
LEVEE_PORTS_IN(Wave, LEVEE_RSA_WAVE)

#define LEVEE_RSA_INPUTS(PORT, OFFER, ...)                                                         \
    OFFER(load_valid_i, StoredRow, load)                                                           \
    OFFER(in_valid_i, Wave, wave)                                                                  \
    PORT(out_ready_i, bool, out_ready, 1)
#define LEVEE_RSA_OUTPUTS(PORT, ...)                                                               \
    PORT(load_ready_o, bool, load_ready, 1, "always")                                              \
    PORT(in_ready_o, bool, in_ready, 1, "always")                                                  \
    PORT(out_valid_o, std::uint32_t, lanes, size.lanes(), "always") /* One bit per lane. */        \
    PORT(out_sums_o, LaneSums, sums, each(32, size.lanes()), "out_valid_o")
LEVEE_BOUNDARY(Shape, LEVEE_RSA_INPUTS, LEVEE_RSA_OUTPUTS)

} // namespace levee::rsa
