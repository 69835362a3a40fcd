// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/sfu/regs.h"

#include <cstdint>
#include <optional>

namespace levee::sfu {

/// Passes of the lanes over one vector: those of the operation (the statistics first, where it has
/// any, then the function), and one more to quantise, for the largest magnitude. normalised: a norm
/// comes first, with statistics of its own. choices: passes of ROUTE's
/// choices and COMBINE's summands, one each. None for an
/// unknown opcode. The timing rule of ip/sfu/README.md.
[[nodiscard]] constexpr std::optional<std::uint32_t>
passes_of(std::uint8_t opcode, bool quantised, bool normalised = false, std::uint32_t choices = 0)
{
    const std::uint32_t quantise = quantised ? 1 : 0;
    switch (opcode) {
    case LEVEE_SFU_QUANTISE:
    case LEVEE_SFU_ROPE:
        return 1 + (normalised ? 1 : 0) + quantise;
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
        return 1 + choices;
    case LEVEE_SFU_COMBINE:
        return choices + quantise;
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
