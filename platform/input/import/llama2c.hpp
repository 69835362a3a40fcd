// SPDX-License-Identifier: Apache-2.0
// Import of llama2.c checkpoints.
#pragma once

#include "platform/input/model/model_source.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace levee {

struct Llama2cOptions {
    WeightFormat weights{}; ///< INT8, INT4 or INT3, maybe in groups, FP16 or FP32
    levee_tokenizer_kind tokenizer = LEVEE_TOKENIZER_BPE;
    std::string
        name{}; ///< At most 31 bytes; empty: the checkpoint's file name without its extension.
};

/// A checkpoint of version 0 (seven int32, then FP32 tensors; a negative vocabulary means that a
/// classifier of its own follows), 1 (a header of 256 bytes, then FP32 tensors in another order) or
/// 2 (likewise, its matrices in INT8 groups, each tensor followed by its groups' FP32 scales), and
/// its tokenizer.bin. RMS epsilon 1e-5 and RoPE theta 10000, which the format implies. Throws
/// ModelError naming file, field, found and expected.
ModelSource llama2c_source(const std::filesystem::path& model,
                           const std::filesystem::path& tokenizer, const Llama2cOptions& options);

/// The checkpoint's image, in memory.
std::vector<std::uint8_t> import_llama2c(const std::filesystem::path& model,
                                         const std::filesystem::path& tokenizer,
                                         const Llama2cOptions& options);

} // namespace levee
