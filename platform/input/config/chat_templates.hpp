// SPDX-License-Identifier: Apache-2.0
// Templates, as data, that turn the messages of a chat into one text.
#pragma once

#include "core/config/keys.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace levee::config {

enum class ChatRole { System, User, Assistant };

inline constexpr Word chat_role_words[] = {
    {"system", static_cast<std::int64_t>(ChatRole::System)},
    {"user", static_cast<std::int64_t>(ChatRole::User)},
    {"assistant", static_cast<std::int64_t>(ChatRole::Assistant)}};

/// Where a template puts a system message: in a turn of its own, in the user's, or nowhere.
enum class SystemMessage {
    own_turn,
    first_user_turn, ///< the system message precedes the content of the first user turn, with an
                     ///< empty line between them
    refused
};

/// A turn consists of `before_role`, the role's name, `behind_role`, the content, `end_of_turn` and
/// `behind_turn`, in this order. The prompt ends with the first three parts of the assistant's
/// turn, whose content is generated.
struct ChatTemplate {
    const char* name;
    const char* before_role;
    const char* behind_role;
    const char* end_of_turn; ///< a special token, which ends the generation
    const char* behind_turn;
    std::array<const char*, 3> roles; ///< Names of roles, by ChatRole.
    SystemMessage system = SystemMessage::own_turn;
    bool trims = false;          ///< white space around contents is removed
    bool alternates = false;     ///< user and assistant must alternate
    const char* first = nullptr; ///< begins every prompt, even if the tokenizer adds no
                                 ///< BOS
    /// The template applies to tokenizers that have all special tokens in `has`, and none of those
    /// in `lacks`.
    std::array<std::string_view, 5> has;
    std::array<std::string_view, 2> lacks{};
};

inline constexpr std::array plain_roles{"system", "user", "assistant"};
inline constexpr std::array gemma_roles{"user", "user", "model"};

// Each template is equivalent to the chat_template of some models. Some models' own templates also
// add a default system message or a date; here the scenario must give these. An image stores a
// template as its number in this list, counted from 1, so new templates must be appended.
inline constexpr ChatTemplate chat_templates[] = {
    // Used by Qwen and SmolLM. OLMo 2 and StableLM 2 have the same tokens, but some of their
    // templates differ.
    {.name = "chatml",
     .before_role = "<|im_start|>",
     .behind_role = "\n",
     .end_of_turn = "<|im_end|>",
     .behind_turn = "\n",
     .roles = plain_roles,
     .has = {"<|im_start|>", "<|im_end|>"},
     .lacks = {"<|im_sep|>", "<|endofprompt|>"}},
    {.name = "llama3",
     .before_role = "<|start_header_id|>",
     .behind_role = "<|end_header_id|>\n\n",
     .end_of_turn = "<|eot_id|>",
     .behind_turn = "",
     .roles = plain_roles,
     .trims = true,
     .first = "<|begin_of_text|>",
     .has = {"<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"}},
    {.name = "gemma",
     .before_role = "<start_of_turn>",
     .behind_role = "\n",
     .end_of_turn = "<end_of_turn>",
     .behind_turn = "\n",
     .roles = gemma_roles,
     .system = SystemMessage::refused,
     .trims = true,
     .alternates = true,
     .first = "<bos>",
     .has = {"<bos>", "<start_of_turn>", "<end_of_turn>"},
     .lacks = {"<start_of_image>"}},
    {.name = "gemma3",
     .before_role = "<start_of_turn>",
     .behind_role = "\n",
     .end_of_turn = "<end_of_turn>",
     .behind_turn = "\n",
     .roles = gemma_roles,
     .system = SystemMessage::first_user_turn,
     .trims = true,
     .alternates = true,
     .first = "<bos>",
     .has = {"<bos>", "<start_of_turn>", "<end_of_turn>", "<start_of_image>"}},
    {.name = "phi3",
     .before_role = "<|",
     .behind_role = "|>\n",
     .end_of_turn = "<|end|>",
     .behind_turn = "\n",
     .roles = plain_roles,
     .has = {"<|system|>", "<|user|>", "<|assistant|>", "<|end|>"},
     .lacks = {"<|tool|>"}},
    {.name = "phi4",
     .before_role = "<|im_start|>",
     .behind_role = "<|im_sep|>",
     .end_of_turn = "<|im_end|>",
     .behind_turn = "",
     .roles = plain_roles,
     .has = {"<|im_start|>", "<|im_sep|>", "<|im_end|>"}},
    // Phi-4-mini
    {.name = "phi4_mini",
     .before_role = "<|",
     .behind_role = "|>",
     .end_of_turn = "<|end|>",
     .behind_turn = "",
     .roles = plain_roles,
     .has = {"<|system|>", "<|user|>", "<|assistant|>", "<|end|>", "<|tool|>"}},
};

/// Names of the templates, with their positions in the table.
inline constexpr auto chat_template_words = [] {
    std::array<Word, std::size(chat_templates)> words{};
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = {chat_templates[i].name, static_cast<std::int64_t>(i)};
    return words;
}();

} // namespace levee::config
