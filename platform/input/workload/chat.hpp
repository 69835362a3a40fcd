// SPDX-License-Identifier: Apache-2.0
// Encodes the messages of a chat with a model's template.
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

/// Encodes a chat by a template: the one that the workload names, otherwise the model's own
/// (ModelImage::chat()). If the model's own is not known, it uses the one whose special tokens the
/// tokenizer has. Special tokens in contents are treated as text. Throws config::Error at the key,
/// also if no template fits or if several do.
[[nodiscard]] EncodedChat encode_chat(const config::WorkloadConfig& config,
                                      const Tokenizer& tokenizer, std::uint32_t own = 0);

/// Encodes one turn of a conversation, to which the assistant replies. A later turn begins with the
/// template's text that follows the end token of the previous answer.
[[nodiscard]] EncodedChat encode_turn_of_chat(const config::WorkloadConfig& config,
                                              std::span<const config::ChatMessage> messages,
                                              bool is_first, const Tokenizer& tokenizer,
                                              std::uint32_t own = 0);

} // namespace levee
