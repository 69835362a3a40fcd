// SPDX-License-Identifier: Apache-2.0
// What the other files of a tokenizer say about it.
#pragma once

#include "platform/input/import/huggingface/json_view.hpp"
#include "platform/input/model/tokenizer_rules.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace levee::hf {

/// A token that a file lists in addition to the vocabulary.
struct ListedToken {
    AddedToken token;
    std::string place; ///< Place in that file: "tokenizer_config.json: added_tokens_decoder.32000".

    /// Throws ModelError: "<place>: <id> for '<text>', expected <expected>".
    [[noreturn]] void fail(const std::string& expected) const;
};

struct TokenizerSettings {
    std::uint32_t vocab = 0; ///< the model's
    std::optional<std::uint32_t> eos{};
    std::string tokenizer_class{};
    std::optional<JsonView> add_bos{}; ///< a flag
    bool add_prefix_space = false;
    std::optional<std::string> bos_token{}, eos_token{}, unknown_token{};
    std::vector<ListedToken> added{};          ///< Tokens for a tokenizer whose own files list
                                               ///< none.
    std::vector<std::string>* notes = nullptr; ///< Receives notes on ignored parts; null: not
                                               ///< reported.
};

/// Tokens of a list, as tokenizer.json has it.
std::vector<ListedToken> tokens_of_list(const JsonView& list);
/// Tokens by number: "added_tokens_decoder".
std::vector<ListedToken> tokens_of_decoder(const JsonView& decoder);
/// Numbers by token, as added_tokens.json of earlier versions of transformers has them. special:
/// those that have a role.
std::vector<ListedToken> tokens_of_encoder(const JsonView& encoder,
                                           const std::set<std::string>& special);
/// Tokens for which the model has rows. Published folders may list a padding token beyond
/// vocab_size that only training used; notes name it.
std::vector<ListedToken> within_vocabulary(std::vector<ListedToken> listed,
                                           const TokenizerSettings& settings);

} // namespace levee::hf
