// SPDX-License-Identifier: Apache-2.0
// Texts for two tokenizers: the embedded model's, and one with normalisation rules. Each text is
// encoded, and the tokens are decoded again.
#include "fuzz/door.hpp"
#include "platform/input/import/huggingface/tokenizer_json.hpp"
#include "platform/input/model/model_image.hpp"

namespace levee::fuzz {

namespace {

constexpr std::string_view rules = R"({"version": "1.0",
 "added_tokens": [{"id": 256, "content": "<|end|>", "special": true, "single_word": false,
   "lstrip": false, "rstrip": true, "normalized": false}],
 "normalizer": {"type": "NFC"},
 "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
   {"type": "Split", "pattern": {"Regex": "(?i:'s|'t)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+|\\s+"},
    "behavior": "Isolated", "invert": false},
   {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}]},
 "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
 "post_processor": null,
 "model": {"type": "BPE", "vocab": {)";

/// The characters that represent bytes in byte-level vocabularies, as JSON escapes.
std::string byte_vocabulary()
{
    std::string list;
    unsigned shifted = 0;
    for (unsigned byte = 0; byte < 256; ++byte) {
        const bool shown = (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
        const unsigned code = shown ? byte : 256 + shifted++;
        char entry[24];
        std::snprintf(entry, sizeof entry, "%s\"\\u%04x\": %u", byte == 0 ? "" : ", ", code, byte);
        list += entry;
    }
    return list + R"(, "<|end|>": 256, "th": 257, "the": 258}, "merges": ["t h", "th e"]}})";
}

Tokenizer rule_tokenizer()
{
    static const Folder folder;
    const std::string text = std::string(rules) + byte_vocabulary();
    std::vector<std::string> notes;
    return hf::read_tokenizer_json(folder.write("tokenizer.json", bytes_of(text)),
                                   {.vocab = 259, .notes = &notes});
}

} // namespace

std::string feed(Bytes input)
{
    static const ModelImage image = ModelImage::open(LEVEE_MODELS "/embedded/stories.levee");
    static const Tokenizer by_rules = rule_tokenizer();
    const std::string text = text_of(input);
    std::string messages;
    for (const Tokenizer* tokenizer : {&image.tokenizer(), &by_rules})
        messages += refusal<ModelError>("", [&] {
            (void)tokenizer->decode(tokenizer->encode(text, tokenizer->bos() != LEVEE_NO_TOKEN));
        });
    return messages;
}

} // namespace levee::fuzz
