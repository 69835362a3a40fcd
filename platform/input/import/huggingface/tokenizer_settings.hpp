// SPDX-License-Identifier: Apache-2.0
// Settings of a tokenizer that are in other files than its vocabulary.
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
    std::string place; ///< its place in that file: "tokenizer_config.json:
                       ///< added_tokens_decoder.32000"

    /// Throws ModelError: "<place>: <id> for '<text>', expected <expected>".
    [[noreturn]] void fail(const std::string& expected) const;
};

struct TokenizerSettings {
    std::uint32_t vocab = 0; ///< the model's vocabulary size
    std::optional<std::uint32_t> eos{};
    std::string tokenizer_class{};
    std::optional<JsonView> add_bos{}; ///< the flag add_bos_token
    bool add_prefix_space = false;
    std::optional<std::string> bos_token{}, eos_token{}, unknown_token{};
    std::vector<ListedToken> added{};          ///< tokens for a tokenizer whose own files list none
    std::vector<std::string>* notes = nullptr; ///< receives notes on ignored parts; null: they are
                                               ///< not reported
};

/// Reads tokens from a list in the form of tokenizer.json.
std::vector<ListedToken> tokens_of_list(const JsonView& list);
/// Reads tokens from "added_tokens_decoder", a map from ids to tokens.
std::vector<ListedToken> tokens_of_decoder(const JsonView& decoder);
/// Reads the tokens of added_tokens.json, which older versions of transformers wrote: a map from
/// text to id. `special` lists the tokens that have a role.
std::vector<ListedToken> tokens_of_encoder(const JsonView& encoder,
                                           const std::set<std::string>& special);
/// Keeps only tokens for which the model has rows. Published folders may list a padding token
/// beyond vocab_size that was used only in training; `notes` names such tokens.
std::vector<ListedToken> within_vocabulary(std::vector<ListedToken> listed,
                                           const TokenizerSettings& settings);

} // namespace levee::hf
