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
/// "merges.txt". If none of them exists, tokens are numbers, and a note says so. `vocab` is the
/// size of the model's vocabulary; its last tokens may be unused. `eos` is the end token of the
/// model's config.json; without one, the tokenizer's is used. Throws ModelError with file and key,
/// also for unsupported parts.
Tokenizer read_tokenizer(const std::filesystem::path& folder, std::uint32_t vocab,
                         std::optional<std::uint32_t> eos, std::vector<std::string>& notes);

/// Returns header.chat for the folder's chat template, from chat_template.jinja, chat_template.json
/// or tokenizer_config.json. Adds notes as chat_number() does.
std::uint32_t read_chat(const std::filesystem::path& folder, const Tokenizer& tokenizer,
                        std::vector<std::string>& notes);

} // namespace levee::hf
