// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/gguf/file.hpp"
#include "platform/input/model/tokenizer.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace levee::gguf {

/// Reads the tokenizer from the keys tokenizer.ggml.*: SentencePiece ("llama", "t5") or byte-level
/// BPE ("gpt2"), with exactly `vocab` tokens. If the file has no tokenizer, texts are token ids
/// (number_tokenizer). If a byte-level tokenizer names no rules, it gets the rules of
/// `architecture`. Throws ModelError that names the key.
Tokenizer read_tokenizer(const File& file, const std::string& architecture, std::uint32_t vocab,
                         std::vector<std::string>& notes);

/// Returns a tokenizer whose tokens have only ids and no text, except that the end token is known.
Tokenizer number_tokenizer(const File& file, std::uint32_t vocab);

/// Returns the value of header.chat for the file's tokenizer.chat_template. Adds notes as
/// chat_number() does.
std::uint32_t read_chat(const File& file, const Tokenizer& tokenizer,
                        std::vector<std::string>& notes);

/// Returns the tokens, in addition to `eos`, that end a text: the end of a turn or of a message.
std::vector<std::uint32_t> read_stops(const File& file, std::uint32_t eos, std::uint32_t vocab);

} // namespace levee::gguf
