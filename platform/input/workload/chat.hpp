// SPDX-License-Identifier: Apache-2.0
// The messages of a chat as a model's template has them.
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/input/model/tokenizer.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee {

struct EncodedChat {
    std::vector<std::uint32_t> tokens; ///< Tokens up to the start of the assistant's turn.
    std::uint32_t end_of_turn = LEVEE_NO_TOKEN;
};

/// Encodes by the template that the workload names, or by the one whose special tokens the
/// tokenizer has. Special tokens in contents are treated as text. Throws config::Error at the key,
/// and if no template fits or several do.
[[nodiscard]] EncodedChat encode_chat(const config::WorkloadConfig& config,
                                      const Tokenizer& tokenizer);

/// Encodes one turn of a conversation, which the assistant answers. A later turn begins with the
/// template's text after the token that ended the previous answer.
[[nodiscard]] EncodedChat encode_turn_of_chat(const config::WorkloadConfig& config,
                                              std::span<const config::ChatMessage> messages,
                                              bool is_first, const Tokenizer& tokenizer);

} // namespace levee
