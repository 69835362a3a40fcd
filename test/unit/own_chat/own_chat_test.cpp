// SPDX-License-Identifier: Apache-2.0
// Tests the search for the template of workload.chat that makes the same texts as a model's own
// chat template.
#include "platform/input/config/chat_templates.hpp"
#include "platform/input/import/own_chat.hpp"
#include "platform/input/model/byte_level.hpp"
#include "platform/input/workload/chat.hpp"

#include <catch2/catch.hpp>

#include <optional>
#include <string>
#include <vector>

using namespace levee;
using Catch::Contains;
using Texts = std::vector<std::string>;

namespace {

/// Returns a tokenizer with these special tokens. With `adds_first`, it puts the first of them
/// before every text.
Tokenizer tokenizer_with(const Texts& special, bool adds_first = false)
{
    ByteLevelVocabulary vocabulary;
    for (int byte = 0; byte < 256; ++byte)
        vocabulary.keys.push_back(key_of_bytes(std::string(1, static_cast<char>(byte))));
    vocabulary.text = byte_level_text("llama3").value();
    for (const std::string& token : special) {
        vocabulary.added.push_back(
            {static_cast<std::uint32_t>(vocabulary.keys.size()), token, LEVEE_ADDED_SPECIAL});
        vocabulary.keys.push_back(token);
    }
    if (adds_first)
        vocabulary.bos = vocabulary.added.front().id;
    return byte_level_tokenizer(vocabulary, "test");
}

struct Result {
    std::uint32_t number;
    Texts notes;

    [[nodiscard]] std::string name() const
    {
        return number == 0 || number == LEVEE_CHAT_OTHER ? ""
                                                         : config::chat_templates[number - 1].name;
    }
    [[nodiscard]] std::string note() const { return notes.size() == 1 ? notes[0] : ""; }
};

OwnChat own_chat(const std::string& text, const std::optional<std::string>& bos)
{
    OwnChat own{text, "file: key", {{"eos_token", "<eos>"}}};
    if (bos)
        own.tokens.emplace("bos_token", *bos);
    return own;
}

Result compare(const std::string& text, const Texts& special, const std::string& bos = "<bos>")
{
    Result result;
    result.number = chat_number(own_chat(text, bos), tokenizer_with(special), result.notes);
    return result;
}

const Texts chatml{"<|im_start|>", "<|im_end|>"};
const Texts llama3{"<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"};
const Texts gemma{"<bos>", "<start_of_turn>", "<end_of_turn>"};
const Texts gemma3{"<bos>", "<start_of_turn>", "<end_of_turn>", "<start_of_image>"};
const Texts phi{"<|system|>", "<|user|>", "<|assistant|>", "<|end|>"};
const Texts phi4{"<|im_start|>", "<|im_sep|>", "<|im_end|>"};

const std::string chatml_turns =
    "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>' + '\\n' "
    "}}{% endfor %}";
const std::string chatml_end =
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

std::string gemma_turns(const std::string& first)
{
    return "{{ bos_token }}" + first +
           "{% for m in rest %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ "
           "raise_exception('turns') }}{% endif %}<start_of_turn>{{ 'model' if m.role == "
           "'assistant' else m.role }}\n{{ (before if loop.first else '') + m.content | trim "
           "}}<end_of_turn>\n{% endfor %}<start_of_turn>model\n\n";
}

} // namespace

TEST_CASE("A template that makes the same texts is identified, however it is written")
{
    CHECK(compare(chatml_turns + chatml_end, chatml).name() == "chatml");
    CHECK(compare("{%- for message in messages -%}\n<|im_start|>{{ message['role'] }}\n{{ "
                  "message['content'] }}<|im_end|>\n{% endfor %}<|im_start|>assistant\n\n",
                  chatml)
              .name() == "chatml");
    CHECK(compare("{{ bos_token }}{% for m in messages %}{{ '<|start_header_id|>' + m.role + "
                  "'<|end_header_id|>\\n\\n' + m.content | trim + '<|eot_id|>' }}{% endfor %}{{ "
                  "'<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}",
                  llama3, "<|begin_of_text|>")
              .name() == "llama3");
    CHECK(compare(gemma_turns("{% if messages[0].role == 'system' %}{{ raise_exception('none') }}"
                              "{% endif %}{% set rest = messages %}{% set before = '' %}"),
                  gemma)
              .name() == "gemma");
    CHECK(
        compare(gemma_turns("{% if messages[0].role == 'system' %}{% set before = "
                            "messages[0].content + '\\n\\n' %}{% set rest = messages[1:] %}{% else "
                            "%}{% set before = '' %}{% set rest = messages %}{% endif %}"),
                gemma3)
            .name() == "gemma3");
    const auto phi_like = [](const std::string& behind_role, const std::string& behind_turn) {
        return "{% for m in messages %}{{ '<|' + m.role + '|>" + behind_role +
               "' + m.content + '<|end|>" + behind_turn + "' }}{% endfor %}{{ '<|assistant|>" +
               behind_role + "' }}";
    };
    CHECK(compare(phi_like("\\n", "\\n"), phi).name() == "phi3");
    Texts with_tool = phi;
    with_tool.push_back("<|tool|>");
    CHECK(compare(phi_like("", ""), with_tool).name() == "phi4_mini");
    CHECK(compare("{% for m in messages %}<|im_start|>{{ m.role }}<|im_sep|>{{ m.content "
                  "}}<|im_end|>{% endfor %}<|im_start|>assistant<|im_sep|>",
                  phi4)
              .name() == "phi4");
    CHECK(compare(chatml_turns + chatml_end, chatml).note() ==
          "chat template: 'chatml' of workload.chat, which makes the same texts as file: key");
    Texts notes;
    CHECK(chat_number(std::nullopt, tokenizer_with(chatml), notes) == 0);
    REQUIRE(notes.size() == 1);
    CHECK_THAT(notes[0], Contains("the model's files have no chat template"));
}

TEST_CASE("A template with another text is refused if a chat is wanted, with the difference")
{
    const Result result =
        compare(chatml_turns + "{{ '<|im_start|>assistant\\n<think>\\n' }}", chatml);
    CHECK(result.number == LEVEE_CHAT_OTHER);
    CHECK_THAT(result.note(), Contains("file: key: matches no built-in template") &&
                                  Contains("nearest is 'chatml': for a chat of user it writes") &&
                                  Contains(R"(im_start|>assistant\n<think>\n")"));
    CHECK(compare("{% for m in messages %}{% if m.role != 'system' %}{{ '<|im_start|>' + m.role + "
                  "'\\n' + m.content + '<|im_end|>\\n' }}{% endif %}{% endfor %}" +
                      chatml_end,
                  chatml)
              .number == LEVEE_CHAT_OTHER); // The template drops system messages.
    CHECK(compare("{{ bos_token }}" + chatml_turns + chatml_end, chatml).number ==
          LEVEE_CHAT_OTHER); // The tokenizer adds no BOS.
    CHECK_THAT(compare("{{ raise_exception('not here') }}", chatml).note(),
               Contains("for a chat of user it raises \"not here\""));
    CHECK_THAT(compare("[INST]{{ messages[0].content }}[/INST]", {"[INST]", "[/INST]"}).note(),
               Contains("none fits the tokenizer's special tokens"));

    config::WorkloadConfig chat;
    chat.chat = {{config::ChatRole::User, "?", {}}};
    const Tokenizer tokenizer = tokenizer_with(chatml);
    CHECK_NOTHROW(encode_chat(chat, tokenizer));
    CHECK_THROWS_WITH(encode_chat(chat, tokenizer, LEVEE_CHAT_OTHER),
                      Contains("'workload.chat' needs a template, but the template in this model's "
                               "files matches none of chatml, llama3"));
    chat.chat_template = 0;
    CHECK_NOTHROW(encode_chat(chat, tokenizer, LEVEE_CHAT_OTHER));
}

TEST_CASE("The token before a chat is compared, too")
{
    const std::string llama3_turns =
        "{% for m in messages %}{{ '<|start_header_id|>' + m.role + '<|end_header_id|>\\n\\n' + "
        "m.content | trim + '<|eot_id|>' }}{% endfor %}{{ "
        "'<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}";
    const std::string bos = "<|begin_of_text|>";
    const auto compared = [&](const std::string& text, std::optional<std::string> own_bos,
                              bool adds) {
        Result result;
        result.number =
            chat_number(own_chat(text, own_bos), tokenizer_with(llama3, adds), result.notes);
        return result;
    };
    for (const bool adds : {false, true}) {
        CHECK(compared("{{ bos_token }}" + llama3_turns, bos, adds).name() == "llama3");
        CHECK(compared(bos + llama3_turns, std::nullopt, adds).name() == "llama3");
        CHECK(compared(bos + llama3_turns, bos, adds).notes.size() == 1);
        CHECK(compared("{{ bos_token }}" + bos + llama3_turns, bos, adds).number ==
              LEVEE_CHAT_OTHER); // BOS would occur twice.
    }
    // The template does not write BOS, so the text has it only if the tokenizer adds it.
    const Result without = compared(llama3_turns, bos, false);
    CHECK(without.number == LEVEE_CHAT_OTHER);
    CHECK_THAT(without.note(),
               Contains("the built-in one \"<|begin_of_text|><|start_header_id|>user"));
    const Result added = compared(llama3_turns, bos, true);
    CHECK(added.name() == "llama3");
    REQUIRE(added.notes.size() == 2);
    CHECK_THAT(added.notes[1],
               Contains("writes no token before a chat, but the tokenizer puts one"));
    // If the template's bos_token is another token, it is not the tokenizer's BOS.
    CHECK(compared("{{ bos_token }}" + llama3_turns, "<|eot_id|>", true).number ==
          LEVEE_CHAT_OTHER);
}

TEST_CASE("The model's own template decides if its tokens allow several")
{
    Texts both = chatml;
    both.push_back("<|im_sep|>");
    both.insert(both.end(), phi.begin(), phi.end());
    const Result result = compare(chatml_turns + chatml_end, both);
    REQUIRE(result.name() == "chatml");
    config::WorkloadConfig chat;
    chat.chat = {{config::ChatRole::User, "?", {}}};
    CHECK_THROWS(encode_chat(chat, tokenizer_with(both)));
    CHECK(encode_chat(chat, tokenizer_with(both), result.number).end_of_turn == 257);
}

TEST_CASE("A system message that a template inserts or changes is reported")
{
    const Result inserted = compare(
        "{% if messages[0].role != 'system' %}{{ '<|im_start|>system\\nBe \"kind\".<|im_end|>"
        "\\n' }}{% endif %}" +
            chatml_turns + chatml_end,
        chatml);
    CHECK(inserted.name() == "chatml");
    CHECK_THAT(inserted.notes.at(1),
               Contains("adds a system message to a chat without one, \"Be "
                        "\\\"kind\\\".\"; 'chatml' of workload.chat adds none"));

    const Result dated = compare(
        "{{ bos_token }}{% if messages[0].role == 'system' %}{% set s = messages[0].content | trim "
        "%}{% set rest = messages[1:] %}{% else %}{% set s = 'Help.' %}{% set rest = messages %}{% "
        "endif %}{{ '<|start_header_id|>system<|end_header_id|>\\n\\nToday: ' + "
        "strftime_now('%d %b %Y') + '\\n\\n' + s + '<|eot_id|>' }}{% for m in rest %}{{ "
        "'<|start_header_id|>' + m.role + '<|end_header_id|>\\n\\n' + m.content | trim + "
        "'<|eot_id|>' }}{% endfor %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}",
        llama3, "<|begin_of_text|>");
    CHECK(dated.name() == "llama3");
    REQUIRE(dated.notes.size() == 3);
    CHECK_THAT(dated.notes[1], Contains(R"("Today: <date %d %b %Y>\n\nHelp.")"));
    CHECK_THAT(
        dated.notes[2],
        Contains(R"(changes the system message "Be S." to "Today: <date %d %b %Y>\n\nBe S.")"));
}

TEST_CASE("An inserted system message may end with white space that chats lose")
{
    // As in Llama 3.1 and 3.2: a system part with dates, with or without a system message.
    const Result dated = compare(
        "{{- bos_token }}{%- if messages[0]['role'] == 'system' %}{%- set system_message = "
        "messages[0]['content']|trim %}{%- set messages = messages[1:] %}{%- else %}{%- set "
        "system_message = '' %}{%- endif %}{{- '<|start_header_id|>system<|end_header_id|>\n\n' "
        "}}{{- 'Today Date: 26 Jul 2024\n\n' }}{{- system_message }}{{- '<|eot_id|>' }}{%- for "
        "message in messages %}{{- '<|start_header_id|>' + message['role'] + "
        "'<|end_header_id|>\n\n'+ message['content'] | trim + '<|eot_id|>' }}{%- endfor %}{{- "
        "'<|start_header_id|>assistant<|end_header_id|>\n\n' }}",
        llama3, "<|begin_of_text|>");
    CHECK(dated.name() == "llama3");
    REQUIRE(dated.notes.size() == 3);
    CHECK_THAT(dated.notes[1],
               Contains(R"(without one, "Today Date: 26 Jul 2024\n\n"; 'llama3')") &&
                   Catch::EndsWith("write this text as the system message, which "
                                   "loses the white space around it"));
    CHECK_THAT(dated.notes[2], Contains(R"("Be S." to "Today Date: 26 Jul 2024\n\nBe S.")"));
}

TEST_CASE("If a template cannot be evaluated, special tokens decide, with a note")
{
    const Result result = compare("\n{% import 'x' as y %}", chatml);
    CHECK(result.number == 0);
    CHECK_THAT(result.note(), Contains("cannot be evaluated (line 2: the statement 'import'"));
}

TEST_CASE("Words of a template are escaped and shortened in a note")
{
    const std::string note =
        compare("{{ 1 '\x1b[31m\a" + std::string(3000, 'z') + "' }}", chatml).note();
    CHECK_THAT(note, Contains("cannot be evaluated (line 1: '\\u001b[31m\\u0007zzz") &&
                         Contains("zzz...); 'workload.chat' chooses"));
    CHECK(note.size() < 1200);
    const std::string filter =
        compare("{{ ['a'] | map('\x1b" + std::string(3000, 'z') + "') | list }}", chatml).note();
    CHECK_THAT(filter, Contains("the filter '\\u001bzzz"));
    CHECK(filter.size() < 1200);
}

TEST_CASE("Long chats and white space around the first messages distinguish templates")
{
    const auto like_chatml = [](const std::string& messages, const std::string& before,
                                const std::string& content) {
        return compare("{% for m in " + messages + " %}" + before +
                           "{{ '<|im_start|>' + m.role + '\\n' + (" + content +
                           ") + '<|im_end|>\\n' }}{% endfor %}" + chatml_end,
                       chatml);
    };
    CHECK(like_chatml("messages", "", "m.content").name() == "chatml");
    CHECK(like_chatml("messages[-5:]", "", "m.content").number == LEVEE_CHAT_OTHER);
    CHECK(like_chatml("messages", "{% if loop.index > 4 %}{% break %}{% endif %}", "m.content")
              .number == LEVEE_CHAT_OTHER);
    const Result trimmed =
        like_chatml("messages", "", "m.content | trim if m.role == 'system' else m.content");
    CHECK(trimmed.number == LEVEE_CHAT_OTHER);
    CHECK_THAT(trimmed.note(),
               Contains("nearest is 'chatml': for a chat of system, user it writes"));
    CHECK(like_chatml("messages", "", "m.content | trim if loop.first else m.content").number ==
          LEVEE_CHAT_OTHER);
    // The template `gemma` makes the same texts, and refuses a system message, too.
    for (const bool trims : {false, true}) {
        const std::string content = trims ? "(messages[0].content | trim)" : "messages[0].content";
        CHECK(
            compare(gemma_turns("{% if messages[0].role == 'system' %}{% set before = " + content +
                                " + '\\n\\n' %}{% set rest = messages[1:] %}{% else %}{% set "
                                "before = '' %}{% set rest = messages %}{% endif %}"),
                    gemma3)
                .name() == (trims ? "gemma" : "gemma3"));
    }
    const Result prefixed =
        like_chatml("messages", "", "('U.S.: ' if m.role == 'system' else '') + m.content");
    CHECK(prefixed.name() == "chatml");
    CHECK_THAT(prefixed.notes.at(1),
               Contains("changes the system message \"Be S.\" to \"U.S.: Be S.\""));
}

TEST_CASE("Special tokens are variables of a template, and unknown ones are none")
{
    const std::string turns = chatml_turns + chatml_end;
    const std::string text =
        "{{ pad_token }}{{ additional_special_tokens | join if additional_special_tokens }}" +
        turns;
    const auto result = [&](const std::optional<Texts>& additional) {
        Result made;
        OwnChat own = own_chat(text, std::nullopt);
        own.additional = additional;
        own.tokens.emplace("pad_token", "<pad>");
        made.number = chat_number(own, tokenizer_with(chatml), made.notes);
        return made.note();
    };
    CHECK_THAT(result(Texts{"<a>", "<b>"}), Contains("it writes \"<pad><a><b><|im_start|>user"));
    CHECK_THAT(result(Texts{}), Contains("it writes \"<pad><|im_start|>user"));
    CHECK_THAT(result(std::nullopt),
               Contains("cannot be evaluated ('additional_special_tokens' are not in"));
    CHECK(compare(turns, chatml).name() == "chatml");
}
