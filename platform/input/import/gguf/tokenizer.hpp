// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/gguf/file.hpp"
#include "platform/input/model/tokenizer.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace levee::gguf {

/// The tokenizer of the keys tokenizer.ggml.*: of SentencePiece's pieces ("llama") or byte-level
/// BPE ("gpt2"), with exactly `vocab` tokens; numbers where the file has none. architecture: whose
/// rules a byte-level one has that does not name them. Throws ModelError naming the key.
Tokenizer read_tokenizer(const File& file, const std::string& architecture, std::uint32_t vocab,
                         std::vector<std::string>& notes);

/// The same without texts: token ids alone, and the token that ends a text.
Tokenizer number_tokenizer(const File& file, std::uint32_t vocab);

/// Tokens in addition to `eos` that end a text: end of a turn or of a message.
std::vector<std::uint32_t> read_stops(const File& file, std::uint32_t eos, std::uint32_t vocab);

} // namespace levee::gguf
