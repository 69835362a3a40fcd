// SPDX-License-Identifier: Apache-2.0
// Compares the chat template in a model's own files with the templates of workload.chat.
#pragma once

#include "platform/input/model/tokenizer.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace levee {

struct OwnChat {
    std::string text;  ///< Jinja source, as in the file
    std::string place; ///< "tokenizer_config.json: chat_template"
    /// Texts of the special tokens by transformers' names, which are variables of the template:
    /// "bos_token". Tokens that the model does not have are absent.
    std::map<std::string, std::string> tokens{};
    /// additional_special_tokens; nothing if the file's format does not name them.
    std::optional<std::vector<std::string>> additional{};

    /// Returns the BOS token, with which the template may begin a text.
    [[nodiscard]] std::optional<std::string> bos() const
    {
        const auto found = tokens.find("bos_token");
        return found != tokens.end() ? std::optional(found->second) : std::nullopt;
    }
};

/// Renders short conversations with the model's template, and with each built-in template whose
/// special tokens the tokenizer has. Returns the number, for header.chat, of the built-in template
/// that renders the same texts for all conversations that it accepts, possibly with an added system
/// message. Returns LEVEE_CHAT_OTHER if there is no such template. Returns 0 if the tokenizer has
/// no rules, or if the model has no template that can be evaluated. If the tokenizer has rules,
/// adds notes on the result and on differences from the nearest template.
std::uint32_t chat_number(const std::optional<OwnChat>& held, const Tokenizer& tokenizer,
                          std::vector<std::string>& notes);

} // namespace levee
