// SPDX-License-Identifier: Apache-2.0
// The tokenizer of a folder that Hugging Face's transformers wrote.
#pragma once

#include "platform/input/model/tokenizer.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace levee::hf {

/// Reads "tokenizer.json", or else "tokenizer.model" (SentencePiece), or else "vocab.json" and
/// "merges.txt"; without any of them tokens are numbers, with a note. vocab: the model's
/// vocabulary, whose last tokens may be unused. eos: from the model's config.json, otherwise the
/// tokenizer's. Throws ModelError with file and key, also for unsupported parts.
Tokenizer read_tokenizer(const std::filesystem::path& folder, std::uint32_t vocab,
                         std::optional<std::uint32_t> eos, std::vector<std::string>& notes);

} // namespace levee::hf
