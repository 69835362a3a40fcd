// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/ports.hpp"
#include "ip/veda/beats.hpp"

namespace levee::veda {

/// Parameters of a design, named as in the RTL.
struct DesignParameters {
    std::uint32_t Rows, Cols, MulStages, TreeStages, RoundStages, PartialSums;
};

constexpr bool is_side(std::uint32_t lanes)
{
    return std::has_single_bit(lanes) && lanes >= 2 && lanes <= 64;
}

/// Returns the size of a design with these parameters.
template <DesignParameters design> consteval ArrayShape size_of()
{
    static_assert(is_side(design.Rows) && is_side(design.Cols),
                  "Rows, Cols: expected powers of two from 2 to 64");
    return {2,
            design.Rows,
            design.Cols,
            {design.MulStages, design.TreeStages, design.RoundStages},
            design.PartialSums};
}

using LaneWords = const std::uint32_t*;

#define LEVEE_VEDA_BEAT(PORT, ...)                                                                 \
    PORT(outer_i, Mode, configuration.mode, 1)                                                     \
    PORT(split_i, bool, configuration.split, 1)                                                    \
    PORT(narrow_i, bool, configuration.narrow, 1)                                                  \
    PORT(en_i, std::uint32_t, enabled, 2)                                                          \
    PORT(first_i, std::uint32_t, first, 2)                                                         \
    PORT(last_i, std::uint32_t, last, 2)                                                           \
    PORT(odd_i, std::uint32_t, odd, 2)                                                             \
    PORT(merge_i, std::uint32_t, merge, 2)                                                         \
    PORT(lane_i, std::vector<std::uint8_t>, lane, each(1, size.lanes()))                           \
    PORT(a_i, std::vector<std::uint16_t>, a, each(16, size.lanes()))                               \
    PORT(b_i, std::vector<std::uint16_t>, b, each(16, size.lanes()))
LEVEE_PORTS_IN(Beat, LEVEE_VEDA_BEAT)

#define LEVEE_VEDA_INPUTS(PORT, OFFER, ...)                                                        \
    OFFER(valid_i, Beat, beat) /* Offered until it is taken. */                                    \
    PORT(ready_i, bool, take_result, 1)
// In outer mode, each lane has a result; in inner mode, only the first lane of an array. Joined
// arrays have results in all arrays in outer mode, but only in the first array in inner mode. Lanes
// are valid until the next clock edge; a lane without a result is 0.
#define LEVEE_VEDA_OUTPUTS(PORT, ...)                                                              \
    PORT(ready_o, bool, takes_beat, 1, "valid_i")                                                  \
    PORT(valid_o, bool, has_result, 1, "always")                                                   \
    PORT(outer_o, bool, outer, 1, "valid_o")                                                       \
    PORT(en_o, std::uint32_t, enabled, 2, "valid_o") /* Bit i: array i has results. */             \
    PORT(result_o, LaneWords, lane, each(32, size.lanes()), "valid_o")
LEVEE_BOUNDARY(ArrayShape, LEVEE_VEDA_INPUTS, LEVEE_VEDA_OUTPUTS)

} // namespace levee::veda
