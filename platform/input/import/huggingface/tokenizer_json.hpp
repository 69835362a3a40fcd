// SPDX-License-Identifier: Apache-2.0
// Reads tokenizer.json, or the two files of GPT-2's tokenizer.
#pragma once

#include "platform/input/import/huggingface/tokenizer_settings.hpp"
#include "platform/input/model/tokenizer.hpp"

#include <filesystem>

namespace levee::hf {

/// All functions throw ModelError with file and key.
Tokenizer read_tokenizer_json(const std::filesystem::path& file, const TokenizerSettings& settings);
Tokenizer read_vocabulary_and_merges(const std::filesystem::path& vocabulary,
                                     const std::filesystem::path& merges,
                                     const TokenizerSettings& settings);

} // namespace levee::hf
