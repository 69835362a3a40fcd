// SPDX-License-Identifier: Apache-2.0
// tokenizer.json, and GPT-2's two files.
#pragma once

#include "platform/input/import/huggingface/json_view.hpp"
#include "platform/input/model/tokenizer.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace levee::hf {

/// What other files of the folder say of its tokenizer.
struct TokenizerSettings {
    std::uint32_t vocab = 0; ///< the model's
    std::optional<std::uint32_t> eos{};
    std::string tokenizer_class{};
    std::optional<bool> add_bos{};
    bool add_prefix_space = false;
    std::optional<std::string> bos_token{}, eos_token{}, unknown_token{};
    std::optional<JsonView> added_tokens{}; ///< "added_tokens_decoder"
};

/// All throw ModelError naming file and key.
Tokenizer read_tokenizer_json(const std::filesystem::path& file, const TokenizerSettings& settings);
Tokenizer read_vocabulary_and_merges(const std::filesystem::path& vocabulary,
                                     const std::filesystem::path& merges,
                                     const TokenizerSettings& settings);

} // namespace levee::hf
