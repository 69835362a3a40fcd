// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/sfu/regs.h"

#include <cstdint>
#include <optional>

namespace levee::sfu {

/// Returns the number of passes of the lanes over one vector, by the timing rule of
/// ip/sfu/README.md. An operation takes passes for its statistics, if it has any, and then for its
/// function. If results are quantised, one more pass finds the largest magnitude. `normalised`: a
/// norm, with its own statistics, comes first. `repeats`: number of additional passes, one for each
/// choice of ROUTE, summand of COMBINE, or stage of a Hadamard transform. Returns nothing for an
/// unknown opcode.
[[nodiscard]] constexpr std::optional<std::uint32_t>
passes_of(std::uint8_t opcode, bool quantised, bool normalised = false, std::uint32_t repeats = 0)
{
    const std::uint32_t quantise = quantised ? 1 : 0;
    switch (opcode) {
    case LEVEE_SFU_QUANTISE:
    case LEVEE_SFU_ROPE:
        return 1 + (normalised ? 1 : 0) + repeats + quantise;
    case LEVEE_SFU_SILU_MUL:
    case LEVEE_SFU_GELU:
    case LEVEE_SFU_GELU_MUL:
    case LEVEE_SFU_GELU_TANH:
    case LEVEE_SFU_GELU_TANH_MUL:
    case LEVEE_SFU_RELU:
    case LEVEE_SFU_RELU_MUL:
    case LEVEE_SFU_RELU_SQUARED:
    case LEVEE_SFU_CLAMPED_MUL:
    case LEVEE_SFU_ADD:
    case LEVEE_SFU_EMBED:
    case LEVEE_SFU_SOFTMAX_KNOWN:
        return 1 + quantise;
    case LEVEE_SFU_RMS_NORM:
    case LEVEE_SFU_LAYER_NORM:
    case LEVEE_SFU_SOFTMAX:
    case LEVEE_SFU_SOFTMAX_PART:
        return 2 + quantise;
    case LEVEE_SFU_ROUTE:
        return 1 + repeats;
    case LEVEE_SFU_COMBINE:
        return repeats + quantise;
    case LEVEE_SFU_ARGMAX:
    case LEVEE_SFU_LOG_PROB:
        return 1;
    case LEVEE_SFU_SAMPLE:
        return 2;
    default:
        return std::nullopt;
    }
}

} // namespace levee::sfu
