// SPDX-License-Identifier: Apache-2.0
#include "platform/input/workload/chat.hpp"

#include "platform/input/model/chat_text.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace levee {

namespace {

using config::ChatMessage;
using config::ChatTemplate;
using config::Error;
using config::WorkloadConfig;

bool fits(const ChatTemplate& chat, const Tokenizer& tokenizer)
{
    const auto has = [&](std::string_view token) { return tokenizer.added(token).has_value(); };
    return std::ranges::all_of(chat.has, [&](auto token) { return token.empty() || has(token); }) &&
           std::ranges::none_of(chat.lacks, [&](auto token) { return has(token); });
}

/// Returns the special tokens of all templates: "chatml (<|im_start|>, <|im_end|>), ...".
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

std::string all_names()
{
    std::string text;
    for (const ChatTemplate& chat : config::chat_templates)
        text += (text.empty() ? "" : ", ") + std::string(chat.name);
    return text;
}

const ChatTemplate& template_of(const WorkloadConfig& config, const Tokenizer& tokenizer,
                                std::uint32_t own)
{
    if (config.chat_template)
        return config::chat_templates[*config.chat_template];
    if (own == LEVEE_CHAT_OTHER)
        throw Error(
            config.text_place,
            "'workload.chat' needs a template, but the template in this model's files "
            "matches none of " +
                all_names() +
                "; expected another model, or the most similar of these as 'workload.template'");
    if (own != 0)
        return config::chat_templates[own - 1];
    const ChatTemplate* found = nullptr;
    std::string names;
    for (const ChatTemplate& chat : config::chat_templates)
        if (fits(chat, tokenizer)) {
            found = &chat;
            names += (names.empty() ? "" : ", ") + std::string(chat.name);
        }
    if (found == nullptr)
        throw Error(config.text_place,
                    "'workload.chat' needs a template, but no built-in template fits the special "
                    "tokens of this model's tokenizer: looked for " +
                        all_signs() + "; expected another model, or 'workload.template'");
    if (names != found->name)
        throw Error(config.text_place, "'workload.chat' needs a template, but this model's "
                                       "tokenizer has the special tokens of " +
                                           names + "; expected one of them as 'workload.template'");
    return *found;
}

/// Returns the id of a special token in the template's text.
std::uint32_t marker(const WorkloadConfig& config, const Tokenizer& tokenizer,
                     const ChatTemplate& chat, std::string_view token)
{
    const auto id = tokenizer.added(token);
    if (!id)
        throw Error(config.text_place, "'workload.template' " + std::string(chat.name) +
                                           " has the special token " + std::string(token) +
                                           ", which this model's tokenizer does not have");
    return *id;
}

/// Returns the ids of all special tokens in the template's text.
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
                                bool is_first, const Tokenizer& tokenizer, std::uint32_t own)
{
    if (tokenizer.kind() == LEVEE_TOKENIZER_NONE)
        throw Error(config.text_place, "'workload.chat': the model's image has no text tokenizer; "
                                       "expected another model, or token ids in "
                                       "'workload.prompt_ids'");
    const ChatTemplate& chat = template_of(config, tokenizer, own);
    check_chat_order(messages, is_first, chat);
    const std::vector<std::uint32_t> markers = markers_of(config, tokenizer, chat);
    EncodedChat encoded;
    encoded.end_of_turn = marker(config, tokenizer, chat, chat.end_of_turn);
    const std::uint32_t first = first_token(config, tokenizer, chat);
    if (is_first && first != LEVEE_NO_TOKEN)
        encoded.tokens.push_back(first);
    try {
        const auto ids = tokenizer.encode(chat_text(messages, is_first, chat), markers);
        const auto before = std::ranges::find(ids, encoded.end_of_turn); // End token of the
                                                                         // previous turn.
        encoded.tokens.insert(encoded.tokens.end(), is_first ? ids.begin() : before + 1, ids.end());
    } catch (const ModelError& error) {
        throw Error(config.text_place, std::string("the chat cannot be encoded: ") + error.what());
    }
    return encoded;
}

EncodedChat encode_chat(const WorkloadConfig& config, const Tokenizer& tokenizer, std::uint32_t own)
{
    return encode_turn_of_chat(config, config.chat, true, tokenizer, own);
}

} // namespace levee
