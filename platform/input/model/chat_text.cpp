// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/chat_text.hpp"

#include "platform/input/model/text_steps.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace levee {

using config::ChatMessage;
using config::ChatRole;
using config::ChatTemplate;
using config::Error;
using config::SystemMessage;

namespace {

/// Returns whether `c` is an information separator, which is white space to Python but not to
/// Unicode.
bool separates(char c)
{
    return c >= '\x1c' && c <= '\x1f';
}

} // namespace

std::string_view stripped(std::string_view text)
{
    for (std::size_t before = text.size() + 1; before != text.size();) {
        before = text.size();
        text.remove_prefix(leading_space(text));
        text.remove_suffix(trailing_space(text));
        if (!text.empty() && separates(text.front()))
            text.remove_prefix(1);
        if (!text.empty() && separates(text.back()))
            text.remove_suffix(1);
    }
    return text;
}

void check_chat_order(std::span<const ChatMessage> messages, bool is_first,
                      const ChatTemplate& chat)
{
    const std::string name = "'workload.template' " + std::string(chat.name);
    bool user_next = true;
    for (const ChatMessage& message : messages) {
        if (message.role == ChatRole::System) {
            if (chat.system == SystemMessage::refused)
                throw Error(message.place, name + " has no system messages; expected user or "
                                                  "assistant");
            if (chat.system == SystemMessage::first_user_turn &&
                (!is_first || &message != &messages.front()))
                throw Error(message.place,
                            name + " takes a system message only as the first message");
            continue;
        }
        if (chat.alternates && user_next != (message.role == ChatRole::User))
            throw Error(message.place, name + " takes user and assistant in turns; expected " +
                                           (user_next ? "user" : "assistant") + " here");
        user_next = message.role != ChatRole::User;
    }
    if (messages.back().role == ChatRole::Assistant)
        throw Error(
            messages.back().place,
            "the last message of 'workload.chat' is the assistant's, but the run generates the "
            "assistant's next one; expected a message of the user");
    if (chat.system == SystemMessage::first_user_turn && messages.back().role != ChatRole::User)
        throw Error(messages.back().place, name + " puts a system message into the user's turn; "
                                                  "expected a user message after it");
}

std::vector<TextPart> chat_text(std::span<const ChatMessage> messages, bool is_first,
                                const ChatTemplate& chat)
{
    std::vector<TextPart> parts;
    if (!is_first)
        parts.push_back({std::string(chat.end_of_turn) + chat.behind_turn});
    const auto begin_turn = [&](ChatRole role) {
        const char* const name = chat.roles[static_cast<std::size_t>(role)];
        parts.push_back({std::string(chat.before_role) + name + chat.behind_role});
    };
    std::string before;
    for (const ChatMessage& message : messages) {
        if (message.role == ChatRole::System && chat.system == SystemMessage::first_user_turn) {
            before = message.content + "\n\n";
            continue;
        }
        begin_turn(message.role);
        parts.push_back(
            {before + (chat.trims ? std::string(stripped(message.content)) : message.content),
             true});
        before.clear();
        parts.push_back({std::string(chat.end_of_turn) + chat.behind_turn});
    }
    begin_turn(ChatRole::Assistant);
    return parts;
}

} // namespace levee
