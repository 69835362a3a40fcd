// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/own_chat.hpp"

#include "platform/input/config/chat_templates.hpp"
#include "platform/input/import/jinja/render.hpp"
#include "platform/input/model/chat_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>

namespace levee {

namespace {

using config::ChatMessage;
using config::ChatRole;
using config::ChatTemplate;
using config::SystemMessage;
using Messages = std::vector<ChatMessage>;

const std::string system_content = "Be S.";

/// Returns conversations for which templates differ: with and without a system message, with one or
/// many turns, and with white space around contents. Conversations with a system message other than
/// system_content come last.
std::vector<Messages> conversations()
{
    const Messages turns{{ChatRole::User, "Q?", {}},
                         {ChatRole::Assistant, " A.\n", {}},
                         {ChatRole::User, "\n R? ", {}}};
    Messages many = turns;
    for (const char* const number : {"1", "2"}) {
        many.push_back({ChatRole::Assistant, "B" + std::string(number), {}});
        many.push_back({ChatRole::User, "S" + std::string(number) + "?", {}});
    }
    const Messages one{turns.front()};
    const Messages spaced{{ChatRole::User, "\n T? ", {}}};
    const std::array without{one, turns, many, spaced};
    std::vector<Messages> all(without.begin(), without.end());
    for (const Messages& messages : without) {
        const bool is_spaced = &messages == &without.back();
        Messages with{
            {ChatRole::System, is_spaced ? " " + system_content + "\n" : system_content, {}}};
        with.insert(with.end(), messages.begin(), messages.end());
        all.push_back(std::move(with));
    }
    return all;
}

bool has_system(const Messages& messages)
{
    return messages.front().role == ChatRole::System;
}

/// Adds the variables of transformers' special_tokens_map. An empty list is omitted, as there.
void add_tokens(const OwnChat& own, jinja::Map& variables)
{
    for (const auto& [name, token] : own.tokens)
        variables.emplace_back(name, jinja::Value{token});
    const std::string name = "additional_special_tokens";
    if (!own.additional && own.text.find(name) != std::string::npos)
        throw jinja::Unable("'" + name + "' are not in the model's files");
    jinja::List list;
    for (const std::string& token : own.additional.value_or(std::vector<std::string>{}))
        list.push_back({token});
    if (!list.empty())
        variables.emplace_back(name, jinja::of_list(std::move(list)));
}

std::string rendered(const OwnChat& own, const Messages& messages)
{
    jinja::List list;
    for (const ChatMessage& message : messages) {
        const std::string role(
            config::chat_role_words[static_cast<std::size_t>(message.role)].text);
        list.push_back(jinja::of_map({{"role", {role}}, {"content", {message.content}}}));
    }
    jinja::Map variables{{"messages", jinja::of_list(std::move(list))},
                         {"add_generation_prompt", {true}},
                         {"tools", {jinja::None{}}},
                         {"documents", {jinja::None{}}}};
    add_tokens(own, variables);
    return jinja::render(own.text, variables);
}

std::string text_of(const Messages& messages, const ChatTemplate& chat)
{
    std::string text;
    for (const TextPart& part : chat_text(messages, true, chat))
        text += part.text;
    return text;
}

bool takes(const ChatTemplate& chat, const Messages& messages)
{
    return !has_system(messages) || chat.system != SystemMessage::refused;
}

/// Returns whether the template removes the white space around a system message.
bool trims_system(const ChatTemplate& chat)
{
    return chat.trims && chat.system != SystemMessage::first_user_turn;
}

/// The text that the model's own template makes of a conversation.
struct Rendering {
    Messages messages;
    std::string text;
    std::string error;   ///< why the template refuses the conversation, if it does
    bool raises = false; ///< true: by raise_exception() of the template; false: by an error of
                         ///< Jinja
};

/// The token that Levee adds before the first turn: the tokenizer's BOS or, if there is none, the
/// template's first token.
struct FirstToken {
    std::vector<std::string> texts{}; ///< forms in which the model's template may write it; empty:
                                      ///< no token
    bool of_tokenizer = false;
};

FirstToken first_token(const ChatTemplate& chat, const OwnChat& own, const Tokenizer& tokenizer)
{
    FirstToken first;
    first.of_tokenizer = tokenizer.bos() != LEVEE_NO_TOKEN;
    if (first.of_tokenizer) {
        // With a tokenizer of pieces, `added` might not find BOS, so its text is compared.
        const auto is_first = [&](const std::string& text) {
            const auto id = tokenizer.added(text);
            return id ? *id == tokenizer.bos() : own.bos() == text;
        };
        for (const auto& text :
             {own.bos().value_or(""), std::string(chat.first != nullptr ? chat.first : "")})
            if (!text.empty() && is_first(text))
                first.texts.push_back(text);
    } else if (chat.first != nullptr) {
        first.texts.emplace_back(chat.first);
    }
    return first;
}

/// Removes the first token from a text, since Levee adds it itself. Returns whether the text began
/// with the token.
bool drop_first(std::string& text, const FirstToken& first)
{
    for (const std::string& token : first.texts)
        if (text.starts_with(token)) {
            text.erase(0, token.size());
            return true;
        }
    return false;
}

/// Returns the system message with which a built-in template makes the same text; nothing if no
/// system message does.
std::optional<std::string> system_for(const Rendering& own, const ChatTemplate& chat)
{
    if (chat.system == SystemMessage::refused)
        return std::nullopt;
    static const std::string mark("\0system\0", 8);
    Messages marked = own.messages;
    if (!has_system(marked))
        marked.insert(marked.begin(), {ChatRole::System, {}, {}});
    marked.front().content = mark;
    const std::string text = text_of(marked, chat);
    const std::size_t at = text.find(mark);
    const std::string_view before = std::string_view(text).substr(0, at);
    const std::string_view behind = std::string_view(text).substr(at + mark.size());
    if (own.text.size() < before.size() + behind.size() || !own.text.starts_with(before) ||
        !own.text.ends_with(behind))
        return std::nullopt;
    const std::string content =
        own.text.substr(before.size(), own.text.size() - before.size() - behind.size());
    // The note to the user names a message that the template inserts. Such a message may have white
    // space that a chat's message cannot have.
    if (has_system(own.messages) && trims_system(chat) && stripped(content) != content)
        return std::nullopt;
    return content;
}

/// Returns `content`, changed in the way in which the template changed system_content into
/// `changed`.
std::string changed_alike(const std::string& changed, std::string_view content)
{
    std::string text;
    std::size_t at = 0;
    for (std::size_t found = 0; (found = changed.find(system_content, at)) != std::string::npos;
         at = found + system_content.size())
        text.append(changed, at, found - at).append(content);
    return text.append(changed, at);
}

/// Returns the beginning of a text in quotes, with escapes that a scenario also accepts.
std::string quoted(const std::string& text)
{
    constexpr std::size_t most = 1000;
    using Json = nlohmann::json;
    return Json(text.substr(0, most)).dump(-1, ' ', false, Json::error_handler_t::replace) +
           (text.size() > most ? "..." : "");
}

/// Returns a reason in the same escaped and shortened form as quoted(), since it may contain words
/// of a template.
std::string escaped(const std::string& reason)
{
    std::string text = quoted(reason);
    text.erase(text.rfind('"'), 1);
    return text.substr(1);
}

std::string named(const Messages& messages)
{
    std::string text;
    for (const ChatMessage& message : messages)
        text += (text.empty() ? "" : ", ") +
                std::string(config::chat_role_words[static_cast<std::size_t>(message.role)].text);
    return text;
}

/// Compares the model's template with one built-in template.
struct Comparison {
    std::size_t number = 0;                      ///< index of the built-in template
    bool same = true;                            ///< the texts are equal, possibly with another
                                                 ///< system message
    std::optional<std::string> system_alone{};   ///< system message that the model's template adds
                                                 ///< to a chat without one
    std::optional<std::string> system_changed{}; ///< text that the model's template makes of
                                                 ///< system_content
    bool lacks_first = false; ///< a text lacks the token that the tokenizer puts before all texts
    std::size_t taken = 0;    ///< number of conversations that the built-in template accepts
    std::size_t alike = 0;    ///< number of equal bytes before the first difference
    std::string difference{}; ///< first difference, for a note to the user
};

void note_difference(Comparison& result, const Rendering& own, const std::string& text)
{
    const auto found = std::ranges::mismatch(own.text, text);
    const auto at = static_cast<std::size_t>(found.in1 - own.text.begin());
    result.same = false;
    result.alike = at;
    constexpr std::size_t before = 20, length = 60;
    const std::size_t from = at - std::min(at, before);
    result.difference =
        "for a chat of " + named(own.messages) +
        (own.error.empty()
             ? " it writes " + quoted(own.text.substr(from, length)) + ", the built-in one " +
                   quoted(text.substr(std::min(from, text.size()), length)) + " (from byte " +
                   std::to_string(from) + ")"
             : (own.raises ? " it raises " : " it ends with the error ") + quoted(own.error));
}

Comparison compared(std::vector<Rendering> renderings, std::size_t number, const FirstToken& first)
{
    const ChatTemplate& chat = config::chat_templates[number];
    Comparison result;
    result.number = number;
    for (Rendering& own : renderings) {
        if (!takes(chat, own.messages))
            continue;
        ++result.taken;
        const std::string text = text_of(own.messages, chat);
        if (own.error.empty() && !drop_first(own.text, first)) {
            if (!first.of_tokenizer && !first.texts.empty()) {
                note_difference(result, own, first.texts.front() + text);
                return result;
            }
            result.lacks_first = result.lacks_first || first.of_tokenizer;
        }
        if (own.error.empty() && own.text == text)
            continue;
        const auto system = own.error.empty() ? system_for(own, chat) : std::nullopt;
        auto& known = has_system(own.messages) ? result.system_changed : result.system_alone;
        std::optional<std::string> expected = known;
        const std::string& content = own.messages.front().content;
        const bool is_spaced = has_system(own.messages) && content != system_content;
        if (is_spaced)
            expected =
                changed_alike(known.value_or(system_content),
                              trims_system(chat) ? stripped(content) : std::string_view(content));
        if (!system || (expected && *expected != *system)) {
            note_difference(result, own, text);
            return result;
        }
        if (!is_spaced)
            known = system;
    }
    return result;
}

std::vector<Rendering> renderings_of(const OwnChat& own)
{
    std::vector<Rendering> all;
    for (Messages& messages : conversations()) {
        Rendering rendering{std::move(messages), {}, {}, false};
        try {
            rendering.text = rendered(own, rendering.messages);
        } catch (const jinja::Raised& error) {
            rendering.error = error.what();
            rendering.raises = error.own;
        }
        all.push_back(std::move(rendering));
    }
    return all;
}

bool has_tokens(const ChatTemplate& chat, const Tokenizer& tokenizer)
{
    return std::ranges::all_of(chat.has, [&](std::string_view token) {
        return token.empty() || tokenizer.added(token).has_value();
    });
}

/// Ranks a comparison; larger is better. Of two templates that make the same texts, the one that
/// accepts more conversations ranks higher.
std::tuple<bool, std::size_t, std::size_t> rank(const Comparison& comparison)
{
    return {comparison.same, comparison.taken, comparison.alike};
}

void note_same(const OwnChat& own, const Comparison& found, std::vector<std::string>& notes)
{
    const ChatTemplate& chat = config::chat_templates[found.number];
    const std::string name = chat.name;
    if (found.lacks_first)
        notes.push_back(own.place + ": writes no token before a chat, but the tokenizer puts one "
                                    "before all texts, and so does workload.chat");
    if (found.system_alone)
        notes.push_back(own.place + ": adds a system message to a chat without one, " +
                        quoted(*found.system_alone) + "; '" + name +
                        "' of workload.chat adds none; if you use '" + name +
                        "', write this text as the system message" +
                        (trims_system(chat) && stripped(*found.system_alone) != *found.system_alone
                             ? ", which loses the white space around it"
                             : ""));
    if (found.system_changed)
        notes.push_back(own.place + ": changes the system message " + quoted(system_content) +
                        " to " + quoted(*found.system_changed) + ", which '" + name +
                        "' of workload.chat does not; if you use '" + name +
                        "', write the changed text as the system message");
}

} // namespace

std::uint32_t chat_number(const std::optional<OwnChat>& held, const Tokenizer& tokenizer,
                          std::vector<std::string>& notes)
{
    if (tokenizer.kind() != LEVEE_TOKENIZER_RULES)
        return 0;
    if (!held) {
        notes.emplace_back("the model's files have no chat template; 'workload.chat' chooses a "
                           "built-in one by the special tokens only. Compare it with the model's "
                           "documentation");
        return 0;
    }
    const OwnChat& own = *held;
    try {
        std::optional<Comparison> nearest;
        std::vector<Rendering> renderings;
        for (std::size_t i = 0; i < std::size(config::chat_templates); ++i) {
            const ChatTemplate& chat = config::chat_templates[i];
            if (!has_tokens(chat, tokenizer))
                continue;
            if (renderings.empty())
                renderings = renderings_of(own);
            Comparison found = compared(renderings, i, first_token(chat, own, tokenizer));
            if (!nearest || rank(found) > rank(*nearest))
                nearest = std::move(found);
        }
        if (nearest && nearest->same) {
            notes.push_back("chat template: '" +
                            std::string(config::chat_templates[nearest->number].name) +
                            "' of workload.chat, which makes the same texts as " + own.place);
            note_same(own, *nearest, notes);
            return static_cast<std::uint32_t>(nearest->number + 1);
        }
        notes.push_back(own.place +
                        ": matches no built-in template, so 'workload.chat' needs "
                        "'workload.template' with this model" +
                        (nearest ? "; nearest is '" +
                                       std::string(config::chat_templates[nearest->number].name) +
                                       "': " + nearest->difference
                                 : "; none fits the tokenizer's special tokens"));
        return LEVEE_CHAT_OTHER;
    } catch (const jinja::Unable& error) {
        notes.push_back(
            own.place + ": cannot be evaluated (" + escaped(error.what()) +
            "); 'workload.chat' chooses a built-in template by the special tokens only. "
            "Compare it with the model's documentation");
        return 0;
    }
}

} // namespace levee
