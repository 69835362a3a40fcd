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

/// Renders short conversations with the model's template, and with each template of the table whose
/// special tokens the tokenizer has. Returns the number, for header.chat, of the template that
/// renders the same texts for all conversations that it accepts. It may need a system message for
/// this. Returns LEVEE_CHAT_OTHER if no template does. Returns 0 if the tokenizer has no rules, or
/// the model has no template or one that cannot be evaluated here. With such rules, adds a note for
/// the result and for differences from the nearest template.
std::uint32_t chat_number(const std::optional<OwnChat>& held, const Tokenizer& tokenizer,
                          std::vector<std::string>& notes);

} // namespace levee
