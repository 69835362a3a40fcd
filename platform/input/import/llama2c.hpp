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
    WeightFormat weights{}; ///< INT8, INT4 or INT3 with or without groups, FP16 or FP32
    levee_tokenizer_kind tokenizer = LEVEE_TOKENIZER_BPE;
    std::string name{}; ///< at most 31 bytes; empty: the checkpoint's file name without extension
};

/// Opens a checkpoint of llama2.c and its tokenizer.bin. RMS epsilon 1e-5 and RoPE theta 10000 are
/// implied by the format. The versions are:
/// - 0: seven int32, then FP32 tensors; a negative vocab_size means that a separate classifier
///   follows;
/// - 1: a header of 256 bytes, then FP32 tensors in another order;
/// - 2: as 1, but matrices are INT8 in groups, and each is followed by its groups' FP32 scales.
/// Throws ModelError with the file, the field, the value found and the value expected.
ModelSource llama2c_source(const std::filesystem::path& model,
                           const std::filesystem::path& tokenizer, const Llama2cOptions& options);

/// Returns the checkpoint's image, in memory.
std::vector<std::uint8_t> import_llama2c(const std::filesystem::path& model,
                                         const std::filesystem::path& tokenizer,
                                         const Llama2cOptions& options);

} // namespace levee
