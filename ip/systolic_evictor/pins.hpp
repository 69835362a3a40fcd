// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/ports.hpp"

#include <array>

namespace levee::systolic_evictor {

/// Largest number of rows of a design.
inline constexpr std::size_t most_rows = 64;

struct DesignParameters {
    std::uint32_t Rows;
};

template <DesignParameters design> consteval std::size_t size_of()
{
    static_assert(design.Rows >= 3 && design.Rows <= most_rows, "Rows: expected 3 to 64");
    return design.Rows;
}

using RowScores = std::array<std::uint16_t, most_rows>;

#define LEVEE_EVICTOR_INPUTS(PORT, ...)                                                            \
    PORT(cmd_valid_i, bool, cmd_valid, 1)                                                          \
    PORT(cmd_rows_i, std::uint8_t, cmd_rows, clog2(size + 1))                                      \
    PORT(cmd_stream_i, bool, cmd_stream, 1)                                                        \
    PORT(cmd_base_i, std::uint16_t, cmd_base, 16)                                                  \
    PORT(cmd_signed_i, bool, cmd_signed, 1)                                                        \
    PORT(cmd_chain_i, bool, cmd_chain, 1)                                                          \
    PORT(cmd_found_i, bool, cmd_found, 1)                                                          \
    PORT(cmd_min_i, std::uint16_t, cmd_min, 16)                                                    \
    PORT(cmd_index_i, std::uint16_t, cmd_index, 16)                                                \
    PORT(load_valid_i, bool, load_valid, 1)                                                        \
    PORT(load_score_i, std::uint16_t, load_score, 16)                                              \
    PORT(load_protected_i, bool, load_protected, 1)                                                \
    PORT(score_valid_i, bool, score_valid, 1)                                                      \
    PORT(score_i, std::uint16_t, score, 16)                                                        \
    PORT(wave_valid_i, bool, wave_valid, 1)                                                        \
    PORT(wave_last_i, bool, wave_last, 1)                                                          \
    PORT(row_score_i, RowScores, row_score, each(16, size))                                        \
    PORT(result_ready_i, bool, result_ready, 1)                                                    \
    PORT(update_ready_i, bool, update_ready, 1)
#define LEVEE_EVICTOR_OUTPUTS(PORT, ...)                                                           \
    PORT(cmd_ready_o, bool, cmd_ready, 1, "always")                                                \
    PORT(load_ready_o, bool, load_ready, 1, "always")                                              \
    PORT(score_ready_o, bool, score_ready, 1, "always")                                            \
    PORT(wave_ready_o, bool, wave_ready, 1, "always")                                              \
    PORT(result_valid_o, bool, result_valid, 1, "always")                                          \
    PORT(result_found_o, bool, result_found, 1, "result_valid_o")                                  \
    PORT(result_min_o, std::uint16_t, result_min, 16, "result_valid_o result_found_o")             \
    PORT(result_index_o, std::uint16_t, result_index, 16, "result_valid_o result_found_o")         \
    PORT(update_valid_o, bool, update_valid, 1, "always")                                          \
    PORT(update_score_o, std::uint16_t, update_score, 16, "update_valid_o")                        \
    PORT(update_last_o, bool, update_last, 1, "update_valid_o")
LEVEE_BOUNDARY(std::size_t, LEVEE_EVICTOR_INPUTS, LEVEE_EVICTOR_OUTPUTS)

} // namespace levee::systolic_evictor
