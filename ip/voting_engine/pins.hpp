// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/ports.hpp"

namespace levee::voting_engine {

struct DesignParameters {
    std::uint32_t Capacity;
};

template <DesignParameters design> consteval std::uint32_t size_of()
{
    static_assert(design.Capacity >= 4 && design.Capacity <= 32768, "a capacity of 4 to 32768");
    return design.Capacity;
}

#define LEVEE_VOTING_INPUTS(PORT, ...)                                                             \
    PORT(cmd_valid_i, bool, cmd_valid, 1)                                                          \
    PORT(cmd_elect_i, bool, cmd_elect, 1)                                                          \
    PORT(cmd_length_i, std::uint16_t, cmd_length, clog2(size + 1))                                 \
    PORT(cmd_first_i, bool, cmd_first, 1)                                                          \
    PORT(cmd_last_i, bool, cmd_last, 1)                                                            \
    PORT(cmd_slots_i, std::uint16_t, cmd_slots, clog2(size + 1))                                   \
    PORT(cmd_mean_factor_i, float, cmd_mean_factor, 31)                                            \
    PORT(cmd_deviation_factor_i, float, cmd_deviation_factor, 31)                                  \
    PORT(cmd_protect_i, std::uint32_t, cmd_protect, 32)                                            \
    PORT(slot_valid_i, bool, slot_valid, 1)                                                        \
    PORT(slot_position_i, std::uint32_t, slot_position, 32)                                        \
    PORT(element_valid_i, bool, element_valid, 1)                                                  \
    PORT(element_i, std::uint16_t, element, 16)                                                    \
    PORT(count_valid_i, bool, count_valid, 1)                                                      \
    PORT(count_i, std::uint16_t, count, 16)                                                        \
    PORT(store_ready_i, bool, store_ready, 1)                                                      \
    PORT(result_ready_i, bool, result_ready, 1)
#define LEVEE_VOTING_OUTPUTS(PORT, ...)                                                            \
    PORT(cmd_ready_o, bool, cmd_ready, 1, "always")                                                \
    PORT(slot_ready_o, bool, slot_ready, 1, "always")                                              \
    PORT(element_ready_o, bool, element_ready, 1, "always")                                        \
    PORT(count_ready_o, bool, count_ready, 1, "always")                                            \
    PORT(store_valid_o, bool, store_valid, 1, "always")                                            \
    PORT(store_o, std::uint16_t, store, 16, "store_valid_o")                                       \
    PORT(store_last_o, bool, store_last, 1, "store_valid_o")                                       \
    PORT(result_valid_o, bool, result_valid, 1, "always")                                          \
    PORT(result_found_o, bool, result_found, 1, "result_valid_o")                                  \
    PORT(result_index_o, std::uint16_t, result_index, clog2(size), "result_valid_o result_found_o")
LEVEE_BOUNDARY(std::uint32_t, LEVEE_VOTING_INPUTS, LEVEE_VOTING_OUTPUTS)

} // namespace levee::voting_engine
