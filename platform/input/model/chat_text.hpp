// SPDX-License-Identifier: Apache-2.0
// Makes the text of a chat by one of the templates in the table.
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/input/model/tokenizer_rules.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace levee {

/// Returns a text without the white space around it, as Python's str.strip() would.
[[nodiscard]] std::string_view stripped(std::string_view text);

/// Throws config::Error at the first message that the model's own template would refuse, and at a
/// last message of the assistant. `is_first` states that the messages begin the conversation.
void check_chat_order(std::span<const config::ChatMessage> messages, bool is_first,
                      const config::ChatTemplate& chat);

/// Returns the text up to the start of the assistant's turn. The messages' contents are plain
/// parts. The text of a later turn begins with the end of the previous turn.
[[nodiscard]] std::vector<TextPart> chat_text(std::span<const config::ChatMessage> messages,
                                              bool is_first, const config::ChatTemplate& chat);

} // namespace levee
