// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/huggingface/json_view.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace levee::hf {

/// Storage format of a checkpoint's matrices, from its quantization_config.
enum class Packing { none, awq, gptq, fp8, mxfp4 };

struct Quantization {
    Packing packing = Packing::none;
    std::uint64_t group = 0;      ///< inputs that share a scale; 0: all
    bool zeros_less_one = false;  ///< GPTQ's zero points are stored less 1
    bool needs_order = false;     ///< GPTQ's groups are listed in g_idx, which is required.
    std::uint64_t block_rows = 0; ///< FP8's blocks that share a scale; 0: none
    std::uint64_t block_cols = 0;
};

/// Reads AWQ ("gemm"), GPTQ (4 bits), FP8 (E4M3) and MXFP4 (experts of gpt-oss). Throws ModelError
/// with the key for any other format and for unsupported options. Adds to `notes` ignored options.
Quantization read_quantization(const JsonView& config, std::vector<std::string>& notes);

} // namespace levee::hf
