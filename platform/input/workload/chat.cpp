// SPDX-License-Identifier: Apache-2.0
#include "platform/input/workload/chat.hpp"

#include "platform/input/model/text_steps.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace levee {

namespace {

using config::ChatMessage;
using config::ChatRole;
using config::ChatTemplate;
using config::Error;
using config::SystemMessage;
using config::WorkloadConfig;

bool fits(const ChatTemplate& chat, const Tokenizer& tokenizer)
{
    const auto has = [&](std::string_view token) { return tokenizer.added(token).has_value(); };
    return std::ranges::all_of(chat.has, [&](auto token) { return token.empty() || has(token); }) &&
           std::ranges::none_of(chat.lacks, [&](auto token) { return has(token); });
}

/// The special tokens of all templates: "chatml (<|im_start|>, <|im_end|>), ...".
std::string all_signs()
{
    std::string text;
    for (const ChatTemplate& chat : config::chat_templates) {
        text += (text.empty() ? "" : ", ") + std::string(chat.name) + " (";
        for (const std::string_view token : chat.has)
            text += (token == chat.has.front() || token.empty() ? "" : ", ") + std::string(token);
        text += ")";
    }
    return text;
}

const ChatTemplate& template_of(const WorkloadConfig& config, const Tokenizer& tokenizer)
{
    if (config.chat_template)
        return config::chat_templates[*config.chat_template];
    const ChatTemplate* found = nullptr;
    std::string names;
    for (const ChatTemplate& chat : config::chat_templates)
        if (fits(chat, tokenizer)) {
            found = &chat;
            names += (names.empty() ? "" : ", ") + std::string(chat.name);
        }
    if (found == nullptr)
        throw Error(config.text_place,
                    "'workload.chat' needs a template, and this model's tokenizer has the special "
                    "tokens of none: looked for " +
                        all_signs() + "; expected another model, or 'workload.template'");
    if (names != found->name)
        throw Error(config.text_place, "'workload.chat' needs a template, and this model's "
                                       "tokenizer has the special tokens of " +
                                           names + "; expected one of them as 'workload.template'");
    return *found;
}

/// Refuses the conversations that the model's own template refuses.
void check_order(std::span<const ChatMessage> messages, bool is_first, const ChatTemplate& chat)
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
                throw Error(message.place, name + " has a system message only as the first");
            continue;
        }
        if (chat.alternates && user_next != (message.role == ChatRole::User))
            throw Error(message.place, name + " takes user and assistant in turns; expected " +
                                           (user_next ? "user" : "assistant") + " here");
        user_next = message.role != ChatRole::User;
    }
    if (messages.back().role == ChatRole::Assistant)
        throw Error(messages.back().place,
                    "the last message of 'workload.chat' is the assistant's, whose next turn is "
                    "generated; expected the user's");
    if (chat.system == SystemMessage::first_user_turn && messages.back().role != ChatRole::User)
        throw Error(messages.back().place, name + " puts a system message into the user's turn; "
                                                  "expected one behind it");
}

std::string without_space(const std::string& text)
{
    const std::string_view all = text;
    const std::string_view rest = all.substr(leading_space(all));
    return std::string(rest.substr(0, rest.size() - trailing_space(rest)));
}

/// The text, in which contents are plain. A later turn's text begins with the end of the previous
/// turn.
std::vector<TextPart> text_of(std::span<const ChatMessage> messages, bool is_first,
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
            {before + (chat.trims ? without_space(message.content) : message.content), true});
        before.clear();
        parts.push_back({std::string(chat.end_of_turn) + chat.behind_turn});
    }
    begin_turn(ChatRole::Assistant);
    return parts;
}

/// A special token that the template is written with.
std::uint32_t marker(const WorkloadConfig& config, const Tokenizer& tokenizer,
                     const ChatTemplate& chat, std::string_view token)
{
    const auto id = tokenizer.added(token);
    if (!id)
        throw Error(config.text_place, "'workload.template' " + std::string(chat.name) +
                                           " has the special token " + std::string(token) +
                                           ", which this model's tokenizer has not");
    return *id;
}

/// Ids of all special tokens that the template is written with.
std::vector<std::uint32_t> markers_of(const WorkloadConfig& config, const Tokenizer& tokenizer,
                                      const ChatTemplate& chat)
{
    std::vector<std::uint32_t> ids;
    for (const std::string_view token : chat.has)
        if (!token.empty())
            ids.push_back(marker(config, tokenizer, chat, token));
    return ids;
}

std::uint32_t first_token(const WorkloadConfig& config, const Tokenizer& tokenizer,
                          const ChatTemplate& chat)
{
    return tokenizer.bos() != LEVEE_NO_TOKEN || chat.first == nullptr
               ? tokenizer.bos()
               : marker(config, tokenizer, chat, chat.first);
}

} // namespace

EncodedChat encode_turn_of_chat(const WorkloadConfig& config, std::span<const ChatMessage> messages,
                                bool is_first, const Tokenizer& tokenizer)
{
    if (tokenizer.kind() == LEVEE_TOKENIZER_NONE)
        throw Error(config.text_place, "'workload.chat': the model's image has no text tokenizer; "
                                       "expected another model, or token ids in "
                                       "'workload.prompt_ids'");
    const ChatTemplate& chat = template_of(config, tokenizer);
    check_order(messages, is_first, chat);
    const std::vector<std::uint32_t> markers = markers_of(config, tokenizer, chat);
    EncodedChat encoded;
    encoded.end_of_turn = marker(config, tokenizer, chat, chat.end_of_turn);
    const std::uint32_t first = first_token(config, tokenizer, chat);
    if (is_first && first != LEVEE_NO_TOKEN)
        encoded.tokens.push_back(first);
    try {
        const auto ids = tokenizer.encode(text_of(messages, is_first, chat), markers);
        const auto before = std::ranges::find(ids, encoded.end_of_turn); // End token of the
                                                                         // previous turn.
        encoded.tokens.insert(encoded.tokens.end(), is_first ? ids.begin() : before + 1, ids.end());
    } catch (const ModelError& error) {
        throw Error(config.text_place, std::string("the chat cannot be encoded: ") + error.what());
    }
    return encoded;
}

EncodedChat encode_chat(const WorkloadConfig& config, const Tokenizer& tokenizer)
{
    return encode_turn_of_chat(config, config.chat, true, tokenizer);
}

} // namespace levee
