// SPDX-License-Identifier: Apache-2.0
// Keys of `workload`.
#pragma once

#include "core/config/keys.hpp"
#include "platform/input/config/chat_templates.hpp"
#include "platform/input/config/model_keys.hpp"

namespace levee::config {

enum class Sampling { Greedy, Temperature };

/// Default separator of texts in a file, as used by common collections of texts.
inline constexpr const char* end_of_text = "<|endoftext|>";

inline constexpr Word sampling_words[] = {
    {"greedy", static_cast<std::int64_t>(Sampling::Greedy)},
    {"temperature", static_cast<std::int64_t>(Sampling::Temperature)}};

inline constexpr std::uint64_t most_token_id = 0xFFFF'FFFE;
inline constexpr Key token_id_form[] = {count("", "A token's id.", {0, most_token_id})};
inline constexpr Key token_ids_form[] = {
    list("", token_id_form, "a list of token ids", "Token ids of one prompt.").filled()};

inline constexpr Key chat_message_keys[] = {
    word("role", chat_role_words, "Role of the message's author."),
    text("content", "Text of the message; special tokens in it are plain text."),
};

/// Longest time that a workload may state: eleven days (1e6 s), in picoseconds.
inline constexpr std::uint64_t longest_pause = 1'000'000 * ps_per_second;

enum class Arrivals { Poisson, Regular };

inline constexpr Word arrival_words[] = {{"poisson", static_cast<std::int64_t>(Arrivals::Poisson)},
                                         {"regular", static_cast<std::int64_t>(Arrivals::Regular)}};

inline constexpr Key request_limit_keys[] = {
    quantity("first_token", Dimension::Time,
             "Longest time from a request's arrival to its first token.", {1, longest_pause})
        .optional(),
    quantity("token", Dimension::Time, "Longest mean time per token after the first.",
             {1, longest_pause})
        .optional(),
};

inline constexpr Key requests_keys[] = {
    text("file",
         "CSV with columns `arrival_s`, `prompt` or `prompt_tokens`, `new_tokens`, optionally "
         "`prefix` and `prefix_tokens`, in this order; `seed` and `temperature` may follow.")
        .optional(),
    count32("count", "Number of requests, if no `file` lists them.", {1, 1'000'000}).optional(),
    quantity("interval", Dimension::Time, "Mean time from one request to the next.",
             {1, longest_pause})
        .optional(),
    word("arrivals", arrival_words,
         "Requests arrive at random times (a Poisson process drawn from `seed`), or at equal "
         "intervals.")
        .or_else("poisson"),
    count32("prompt_tokens", "Length of each prompt in tokens; the tokens have no meaning.", {1})
        .optional(),
    count32("new_tokens", "Tokens of each answer.").optional(),
    count32("prefix_block",
            "Tokens per prefix block; a prompt's whole blocks that an earlier prompt also begins "
            "with are not prefilled again.",
            {1, 65535})
        .or_else_is("nothing is shared"),
    count32("prefix_tokens",
            "Number of tokens at the start of each prompt that are the same in all requests.", {1})
        .optional(),
    map("limits", request_limit_keys, "Latencies within which an answer counts as goodput.")
        .optional(),
};

inline constexpr Key speculation_keys[] = {
    count32("tokens", "Tokens that are guessed ahead and verified by one pass.", {1, 63})
        .or_else("4"),
    count32("match", "Length of the n-gram that prompt lookup searches for in the earlier text.",
            {1, 16})
        .or_else("2"),
    map("draft", draft_keys,
        "A second model with the same vocabulary, which guesses instead of prompt lookup.")
        .optional(),
    real("acceptance", 0.001, 1.0,
         "For timing-only runs: probability that a guess is right if all guesses before it are.")
        .optional(),
};

inline constexpr Key save_keys[] = {
    text("memory", "Name of the memory in which keys and values are saved."),
    quantity("after", Dimension::Time,
             "Time from the end of an answer until keys and values are saved.", {0, longest_pause})
        .or_else("0 s"),
};

/// Maximum number of turns of a conversation, in a scenario or in a file.
inline constexpr std::size_t most_turns = 100'000;

inline constexpr Key turn_keys[] = {
    text("prompt", "The prompt as text; a later turn's text continues the previous answer.")
        .optional(),
    list("prompt_ids", token_id_form, "a list of token ids", "The prompt as token ids.")
        .filled()
        .optional(),
    count32("prompt_tokens", "Length of a prompt without text; all its tokens are token 0.", {1})
        .optional(),
    maps("chat", chat_message_keys,
         "Messages instead of a prompt, in all turns or none; the model's own template formats "
         "them.")
        .filled()
        .optional(),
    count32("max_new_tokens", "Tokens of the answer.").or_else_is("`workload.max_new_tokens`"),
    quantity("after", Dimension::Time,
             "Time from the end of the previous answer to this prompt; for the first turn, from "
             "the start of the run.",
             {0, longest_pause})
        .or_else("0 s"),
};

/// Parts of a machine, in the order of levee_machine_parts.
inline constexpr Key machine_keys[] = {
    text("weights", "Part for products with weights: a name in firmware/target/compositions.c."),
    text("functions", "Part for norms, activations, sums and the choice of tokens.")
        .or_else_is("a function unit's"),
    text("attention", "Part for attention: scores and weighted sums of values."),
    flag("separate", "Queries, keys and values are computed by separate products.")
        .or_else("false"),
    flag("staged", "New keys and values stay outside the cache until they have been used.")
        .or_else("false"),
    flag("kv_queue", "Products with keys and values run at the same time as those with weights, on "
                     "the array's second queue.")
        .or_else("false"),
};

inline constexpr Key workload_keys[] = {
    text("app", "The program: a name in firmware/apps, or an ELF file, whose name ends in .elf or "
                "contains a slash."),
    text("scheduler", "Name of the machine in firmware/target that assigns operations to blocks.")
        .or_else_is("baseline, unless `machine` is given"),
    map("machine", machine_keys,
        "Parts to combine into a machine, instead of a `scheduler` (docs/hybrids.md).")
        .optional(),
    texts("prompts", "Prompts as texts; an empty text is permitted.").filled().optional(),
    list("prompt_ids", token_ids_form, "a list of lists of token ids",
         "Prompts as token ids, to which no beginning-of-sequence token is added.")
        .filled()
        .optional(),
    maps("chat", chat_message_keys,
         "Messages of one conversation; the model's own template formats them as a prompt, and "
         "the assistant's reply is generated.")
        .filled()
        .optional(),
    word("template", chat_template_words,
         "Template of `chat` and `turns` (docs/tokenizers.md), if the tokenizer does not "
         "identify it.")
        .or_else_is("the one whose special tokens the tokenizer has"),
    maps("turns", turn_keys,
         "Turns of one conversation (`app: generate`), each a prompt and an answer over one cache, "
         "at most 100,000; or a YAML or CSV file.")
        .filled()
        .optional(),
    quantity("forget_after", Dimension::Time,
             "Time after an answer at which keys and values of `turns` are released; the next "
             "prefill then processes the whole conversation.",
             {0, longest_pause})
        .or_else_is("never"),
    map("save", save_keys,
        "During a pause, keys and values of `turns` are saved in another memory, and restored "
        "when the next prompt arrives.")
        .optional(),
    map("requests", requests_keys,
        "Requests that arrive one after another, with `app: serve`; `batch` of them run together.")
        .optional(),
    text("prompt_file", "File with one prompt per line.").optional(),
    text("text_file", "File with the text to score.").optional(),
    text("stories_file", "File of stories with questions (models/embedded/README.md).").optional(),
    count32("prompt_tokens", "Length of prompts without text; all their tokens are token 0.", {1})
        .optional(),
    count32("sequences", "Number of sequences of `prompt_tokens`.", {1}).or_else_is("`batch`"),
    text("separator", "Separator between documents in `text_file`; `\"\"`: the file is one "
                      "document; white space around a document is removed.")
        .or_else(end_of_text),
    count32("max_tokens", "Tokens of `text_file` to score.", {1}).or_else_is("all"),
    count32("max_stories", "Stories of `stories_file` to ask about.", {1}).or_else_is("all"),
    count32("prefill_tokens",
            "With `app: perplexity` or `recall`: tokens of each text or story that go through "
            "prefill; all others are decoded one by one.",
            {1})
        .or_else_is("1 where a text is scored, or the whole of a story"),
    count32("batch", "Sequences that run together.", {1, 65535}).or_else("1"),
    count32("max_new_tokens", "Tokens to generate per sequence.", {1}).or_else_is("0"),
    count32("context", "Key/value slots per sequence.", {1})
        .or_else_is("the model's, at most 32,768 if everything is kept"),
    count32("prefill_chunk", "Tokens that a prefill pass takes at once.", {1, 65535})
        .or_else_is("firmware's choice"),
    word("sampling", sampling_words, "Method that picks the next token.").or_else("greedy"),
    real("temperature", 0.001, 1000.0, "Temperature, with `sampling: temperature` only.")
        .or_else("1"),
    map("speculation", speculation_keys,
        "Speculative decoding (`app: generate`, `sampling: greedy`): guesses come from earlier "
        "text or a draft model, and the generated text is unchanged.")
        .optional(),
    text("stop_token", "Token that ends a sequence: none, eos, bos or an id; with `chat` also "
                       "end_of_turn, the template's end token.")
        .or_else_is("none, with `chat` end_of_turn"),
    flag("lm_head",
         "Decode steps compute logits and pick a token; `false` ends a step after the last layer "
         "(`data: timing_only`).")
        .or_else("true"),
};

} // namespace levee::config
