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

/// "tokenizer.json"; else "tokenizer.model" (SentencePiece); else "vocab.json" and "merges.txt";
/// else token numbers, with a note. vocab: the model's, of which a tokenizer may leave the last
/// ones unused. eos: by the model's config.json; without it the tokenizer's. Throws ModelError
/// naming file and key, for any part that is not supported, too.
Tokenizer read_tokenizer(const std::filesystem::path& folder, std::uint32_t vocab,
                         std::optional<std::uint32_t> eos, std::vector<std::string>& notes);

} // namespace levee::hf
