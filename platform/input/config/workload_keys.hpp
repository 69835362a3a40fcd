// SPDX-License-Identifier: Apache-2.0
// Keys of `workload`.
#pragma once

#include "core/config/keys.hpp"

namespace levee::config {

enum class Sampling { Greedy, Temperature };

/// The mark between the texts of a file, as common collections have it.
inline constexpr const char* end_of_text = "<|endoftext|>";

inline constexpr Word sampling_words[] = {
    {"greedy", static_cast<std::int64_t>(Sampling::Greedy)},
    {"temperature", static_cast<std::int64_t>(Sampling::Temperature)}};

inline constexpr std::uint64_t most_token_id = 0xFFFF'FFFE;
inline constexpr Key token_id_form[] = {count("", "A token's id.", {0, most_token_id})};
inline constexpr Key token_ids_form[] = {
    list("", token_id_form, "a list of token ids", "Ids of a prompt.")};

/// Parts of a machine, in the order of levee_machine_parts.
inline constexpr Key machine_keys[] = {
    text("weights", "Part for products with weights: a name in firmware/target/compositions.c."),
    text("functions", "Part for norms, activations, sums and picks.")
        .or_else_is("a function unit's"),
    text("attention", "Part for scores and what they mix."),
    flag("separate", "Queries, keys and values are a product each.").or_else("false"),
    flag("staged", "Arriving keys and values stay beside the cache until they have been used.")
        .or_else("false"),
    flag("kv_queue", "Products with keys and values run beside those with weights, on the array's "
                     "second queue.")
        .or_else("false"),
};

inline constexpr Key workload_keys[] = {
    text("app",
         "The program: a name in firmware/apps, or an ELF file, whose name ends in .elf or has a "
         "slash."),
    text("scheduler", "How operations are mapped to blocks: a machine of firmware/target.")
        .or_else_is("baseline, unless `machine` is given"),
    map("machine", machine_keys,
        "The parts of a machine that has no name among the schedulers (docs/hybrids.md).")
        .optional(),
    texts("prompts", "Prompts as texts; `\"\"` is one.").optional(),
    list("prompt_ids", token_ids_form, "a list of lists of token ids",
         "Prompts as token ids, taken as they are: without a beginning-of-sequence token.")
        .optional(),
    text("prompt_file", "File with one prompt a line.").optional(),
    text("text_file", "File with the text to score.").optional(),
    text("stories_file", "File of stories with questions (models/embedded/README.md).").optional(),
    count32("prompt_tokens", "Prompts without text: so many times token 0.", {1}).optional(),
    count32("sequences", "Number of sequences of `prompt_tokens`.", {1}).or_else_is("`batch`"),
    text("separator",
         "Mark between documents in `text_file`; `\"\"`: the file is one document. White space "
         "around a document does not count.")
        .or_else(end_of_text),
    count32("max_tokens", "Tokens of `text_file` to score.", {1}).or_else_is("all"),
    count32("max_stories", "Stories of `stories_file` to ask about.", {1}).or_else_is("all"),
    count32("prefill_tokens",
            "With `app: perplexity`: tokens of each text that go through prefill. All others are "
            "decoded one by one through the cache under test.",
            {1})
        .or_else_is("1 where a text is scored"),
    count32("batch", "Sequences that run together.", {1, 65535}).or_else("1"),
    count32("max_new_tokens", "Tokens to generate per sequence.", {1}).or_else_is("0"),
    count32("context", "Key/value slots per sequence.", {1})
        .or_else_is("the model's, at most 32,768 if everything is kept"),
    count32("prefill_chunk", "Tokens that a prefill pass takes at once.", {1, 65535})
        .or_else_is("firmware's choice"),
    word("sampling", sampling_words, "How the next token is picked.").or_else("greedy"),
    real("temperature", 0.001, 1000.0, "Temperature, with `sampling: temperature` only.")
        .or_else("1"),
    text("stop_token", "Token that ends a sequence: none, eos, bos or an id.").or_else("none"),
    flag("lm_head",
         "Decode steps have logits and pick a token; `false` ends them with the last layer "
         "(`data: timing_only`).")
        .or_else("true"),
};

} // namespace levee::config
