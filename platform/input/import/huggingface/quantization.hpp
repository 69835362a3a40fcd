// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/huggingface/json_view.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace levee::hf {

/// Storage format of a checkpoint's matrices, as quantization_config states it.
enum class Packing { none, awq, gptq, fp8, mxfp4 };

struct Quantization {
    Packing packing = Packing::none;
    std::uint64_t group = 0;      ///< number of inputs that share a scale; 0: all
    bool zeros_less_one = false;  ///< stored zero points of GPTQ are reduced by 1
    bool needs_order = false;     ///< the tensor g_idx is required: it lists GPTQ's groups
    std::uint64_t block_rows = 0; ///< size of FP8's blocks that share a scale; 0: no blocks
    std::uint64_t block_cols = 0;
};

/// Reads the settings of AWQ ("gemm"), GPTQ (4 bits), FP8 (E4M3) and MXFP4 (experts of gpt-oss).
/// Throws ModelError with the key for any other format, and for options that are not supported.
/// Ignored options are added to `notes`.
Quantization read_quantization(const JsonView& config, std::vector<std::string>& notes);

} // namespace levee::hf
