// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/tokenizer_files.hpp"
#include "test/support/character_map.hpp"
#include "test/unit/huggingface/folder.hpp"

#include <catch2/catch.hpp>

using namespace levee;

namespace {

using Ids = std::vector<std::uint32_t>;

/// The parts of a tokenizer.json, each as JSON.
struct Parts {
    std::string normalizer = "null", pre_tokenizer = "null", post_processor = "null",
                decoder = "null", added = "[]", model;
    std::string text() const
    {
        return R"({"version": "1.0", "truncation": null, "added_tokens": )" + added +
               ", \"normalizer\": " + normalizer + ", \"pre_tokenizer\": " + pre_tokenizer +
               ", \"post_processor\": " + post_processor + ", \"decoder\": " + decoder +
               ", \"model\": " + model + "}";
    }
};

Tokenizer read(const Folder& folder, std::uint32_t vocab = 16)
{
    std::vector<std::string> notes;
    return hf::read_tokenizer(folder.path(), vocab, std::nullopt, notes);
}

Tokenizer read(const Parts& parts, std::uint32_t vocab = 16)
{
    const Folder folder;
    folder.write("tokenizer.json", parts.text());
    return read(folder, vocab);
}

std::string fault(const Parts& parts, std::uint32_t vocab = 16)
{
    try {
        (void)read(parts, vocab);
    } catch (const ModelError& error) {
        const std::string what = error.what();
        return what.substr(what.find("tokenizer.json"));
    }
    return "accepted";
}

Parts llama3()
{
    Parts parts;
    parts.added = R"([{"id": 11, "content": "<|begin|>", "single_word": false, "lstrip": false,
        "rstrip": false, "normalized": false, "special": true},
       {"id": 12, "content": "<|eot|>", "special": true}])";
    parts.pre_tokenizer = R"({"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},
         "behavior": "Isolated", "invert": false},
        {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}]})";
    parts.post_processor = R"({"type": "Sequence", "processors": [{"type": "ByteLevel"},
        {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<|begin|>", "type_id": 0}},
         {"Sequence": {"id": "A", "type_id": 0}}], "pair": [], "special_tokens": {}}]})";
    parts.decoder = R"({"type": "ByteLevel"})";
    parts.model = R"({"type": "BPE", "dropout": null, "unk_token": null, "byte_fallback": false,
        "ignore_merges": true, "vocab": {"a":0,"b":1,"c":2,"\u0120":3,"1":4,"2":5,"3":6,"\u0120a":7,
        "bc":8,"abc":9,"12":10}, "merges": ["b c", "\u0120 a", "1 2"]})";
    return parts;
}

Parts llama2()
{
    Parts parts;
    parts.added = R"([{"id": 0, "content": "<unk>", "special": true, "normalized": false},
        {"id": 1, "content": "<s>", "special": true, "normalized": false},
        {"id": 2, "content": "</s>", "special": true, "normalized": false}])";
    parts.normalizer = R"({"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"},
        {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]})";
    parts.post_processor =
        R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>",
        "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]})";
    parts.decoder =
        R"({"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"},
        "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})";
    parts.model = R"({"type": "BPE", "unk_token": "<unk>", "fuse_unk": true, "byte_fallback": true,
        "vocab": {"<unk>":0,"<s>":1,"</s>":2,"<0x0A>":3,"▁":4,"a":5,"b":6,"ab":7,"▁a":8,"▁ab":9},
        "merges": [["▁","a"],["a","b"],["▁a","b"]]})";
    return parts;
}

void replace(std::string& text, const std::string& what, const std::string& with)
{
    REQUIRE(text.find(what) != std::string::npos);
    text.replace(text.find(what), what.size(), with);
}

void refuses(std::string Parts::*part, const std::string& json, const std::string& what)
{
    Parts parts = llama2();
    parts.*part = json;
    INFO(json);
    CHECK_THAT(fault(parts), Catch::Contains("tokenizer.json: " + what));
}

} // namespace

TEST_CASE("A tokenizer.json like Llama 3's")
{
    const Tokenizer tokenizer = read(llama3());
    CHECK(tokenizer.bos() == 11);
    CHECK(tokenizer.encode("abc abc1231<|eot|>", true) == Ids{11, 9, 7, 8, 10, 6, 4, 12});
    CHECK(tokenizer.decode(Ids{11, 7, 8, 12, 15}) == " abc"); // Id 15 is unused.
    Parts merging = llama3();
    replace(merging.model, "\"ignore_merges\": true, ", "");
    CHECK(read(merging).encode("abc", false) == Ids{0, 8});
    Parts lists = llama3();
    replace(lists.model, "\"b c\"", "[\"b\", \"c\"]");
    CHECK(read(lists).encode("abc abc1231<|eot|>", true) ==
          tokenizer.encode("abc abc1231<|eot|>", true));
}

TEST_CASE("A tokenizer.json like GPT-2's and Qwen2's: no BOS, a prefix or a normal form")
{
    Parts parts = llama3();
    parts.post_processor = R"({"type": "ByteLevel"})";
    parts.pre_tokenizer = R"({"type": "ByteLevel", "add_prefix_space": false})";
    replace(parts.model, "true", "false");
    CHECK(read(parts).bos() == LEVEE_NO_TOKEN);
    CHECK(read(parts).encode("a a123", false) == Ids{0, 7, 10, 6});
    parts.pre_tokenizer = R"({"type": "ByteLevel", "add_prefix_space": true})";
    CHECK(read(parts).encode("a a<|eot|>a", false) == Ids{7, 7, 12, 7});
    CHECK(read(parts).encode(" a", false) == Ids{7});
    parts.normalizer = R"({"type": "NFKC"})";
    CHECK(read(parts).encode("\xC2\xB9", false) == Ids{3, 4}); // U+00B9 becomes the digit 1.
    parts.normalizer = R"({"type": "Replace", "pattern": {"String": "x"}, "content": "1"})";
    CHECK(read(parts).encode("axx", false) == Ids{7, 4, 4});
}

TEST_CASE("A tokenizer.json like Llama 2's: blanks as symbols, bytes for missing pieces")
{
    const Tokenizer tokenizer = read(llama2());
    CHECK(tokenizer.encode("ab a\n", true) == Ids{1, 9, 8, 3});
    CHECK(tokenizer.decode(Ids{1, 9, 8, 3}) == "ab a\n");
    CHECK(tokenizer.encode("a</s>a", false) == Ids{8, 2, 8});
    CHECK(tokenizer.encode("bxxb", false) == Ids{4, 6, 0, 6}); // Both letters become one <unk>.
    CHECK(tokenizer.encode("", true) == Ids{1});
    const Tokenizer back = Tokenizer::parse(tokenizer.serialize(), "image");
    CHECK(back.encode("ab a\n", true) == Ids{1, 9, 8, 3});
    CHECK(back.piece(1, 8) == "a");
}

TEST_CASE("A token that is searched in normalized text is found in its normalized form")
{
    Parts parts = llama2();
    replace(parts.added, "[", R"([{"id": 12, "content": "<x>", "normalized": false}, )");
    CHECK(read(parts).encode("a <x>a", false) == Ids{8, 4, 12, 8});
    // This equals "\u2581<x>", which absorbs the preceding blank.
    replace(parts.added, "false", "true");
    CHECK(read(parts).encode("a <x>a", false) == Ids{8, 12, 5});
    CHECK(read(parts).encode("a<x>a", false) == Ids{8, 0, 5});
}

TEST_CASE("Digits are split one by one or all together, and characters decomposed")
{
    Parts parts = llama3();
    // These are the bytes 0xCC and 0x81.
    replace(parts.model, R"("12":10)", R"("12":10,"e":13,"\u00cc":14,"\u0123":15)");
    const auto ids = [&](const std::string& text) { return read(parts).encode(text, false); };
    const std::string bytes = R"({"type": "ByteLevel", "add_prefix_space": false})";
    const auto split = [&](const std::string& first) {
        parts.pre_tokenizer = R"({"type": "Sequence", "pretokenizers": [)" + first + bytes + "]}";
    };
    split(R"({"type": "Digits", "individual_digits": true}, )");
    CHECK(ids("a12") == Ids{0, 4, 5});
    split(R"({"type": "Digits", "individual_digits": false}, )");
    CHECK(ids("a12") == Ids{0, 10});
    split("");
    CHECK_THROWS_WITH(ids("\xC3\xA9"), Catch::StartsWith("no token for 0xC3"));
    parts.normalizer = R"({"type": "NFD"})";
    CHECK(ids("\xC3\xA9") == Ids{13, 14, 15});
    // This is the superscript one.
    CHECK_THROWS_WITH(ids("\xC2\xB9"), Catch::StartsWith("no token for 0xC2"));
    parts.normalizer = R"({"type": "NFKD"})";
    CHECK(ids("\xC3\xA9\xC2\xB9") == Ids{13, 14, 15, 4});
}

TEST_CASE("Metaspace puts a blank before every part, only before the first, or before none")
{
    Parts parts = llama2();
    parts.normalizer = "null";
    const auto ids = [&](const std::string& keys) {
        parts.pre_tokenizer = R"({"type": "Metaspace", "replacement": "▁", )" + keys + "}";
        return read(parts).encode("a a</s>a", false);
    };
    CHECK(ids(R"("prepend_scheme": "first", "split": false)") == Ids{8, 8, 2, 5});
    CHECK(ids(R"("prepend_scheme": "always", "split": true)") == Ids{8, 8, 2, 8});
    CHECK(ids(R"("prepend_scheme": "never", "split": false)") == Ids{5, 8, 2, 5});
    CHECK(ids(R"("add_prefix_space": true)") == Ids{8, 8, 2, 8});
}

TEST_CASE("Unsupported parts of a tokenizer.json are refused by name")
{
    refuses(&Parts::pre_tokenizer, R"({"type": "BertPreTokenizer"})",
            "pre_tokenizer.type: \"BertPreTokenizer\", expected one of ByteLevel, Split");
    refuses(&Parts::pre_tokenizer,
            R"({"type": "Split", "pattern": {"Regex": "a"}, "behavior": "Removed"})",
            "pre_tokenizer.behavior: \"Removed\"");
    refuses(&Parts::pre_tokenizer,
            R"({"type": "Split", "pattern": {"Regex": "[a-z&&[^b]]"}, "behavior": "Isolated"})",
            "pre_tokenizer.pattern.Regex");
    refuses(&Parts::pre_tokenizer,
            R"({"type": "Split", "pattern": {"Regex": "[[:alpha:]\\s]+"}, "behavior": "Isolated"})",
            "pre_tokenizer.pattern.Regex: \"[[:alpha:]\\\\s]+\", expected a regular expression "
            "without [:alpha:], "
            "whose meaning differs");
    refuses(&Parts::pre_tokenizer,
            R"({"type": "Split", "pattern": {"Regex": "\\w+"}, "behavior": "Isolated"})",
            "pre_tokenizer.pattern.Regex: \"\\\\w+\", expected a regular expression without \\w");
    refuses(&Parts::normalizer, R"({"type": "Lowercase"})", "normalizer.type: \"Lowercase\"");
    refuses(&Parts::normalizer,
            R"({"type": "Replace", "pattern": {"Regex": "\\w"}, "content": " "})",
            "normalizer.pattern.Regex");
    refuses(&Parts::normalizer, R"({"type": "Replace", "pattern": {"Other": " "}, "content": " "})",
            "normalizer.pattern");
    refuses(&Parts::decoder, R"({"type": "WordPiece"})", "decoder.type: \"WordPiece\"");
    refuses(&Parts::post_processor, R"({"type": "RobertaProcessing"})", "post_processor.type");
    refuses(
        &Parts::post_processor,
        R"({"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A"}},
                {"SpecialToken": {"id": "</s>"}}]})",
        "post_processor.single[1].SpecialToken.id: \"</s>\", expected at most one token before");
}

TEST_CASE("Added tokens without a row in the model are left out, and named")
{
    Parts parts = llama3();
    parts.added.insert(parts.added.size() - 1, R"(, {"id": 16, "content": "<pad>"})");
    const Folder folder;
    folder.write("tokenizer.json", parts.text());
    std::vector<std::string> notes;
    const Tokenizer tokenizer = hf::read_tokenizer(folder.path(), 16, std::nullopt, notes);
    REQUIRE(notes.size() == 1);
    CHECK_THAT(notes[0], Catch::EndsWith("tokenizer.json: added_tokens[2].id: 16 for '<pad>', "
                                         "because the model's vocab_size is 16"));
    CHECK(tokenizer.encode("a<|eot|>", true) == Ids{11, 0, 12});
}

namespace {

std::string in_base64(const std::string& bytes)
{
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const auto byte = [&](std::size_t i) {
            return at + i < bytes.size() ? static_cast<std::uint8_t>(bytes[at + i]) : 0U;
        };
        const std::uint32_t word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (std::size_t i = 0; i < 4; ++i)
            text += at + i <= bytes.size() ? digits[word >> (18 - 6 * i) & 63] : '=';
    }
    return text;
}

/// Returns pieces as converters of SentencePiece's unigram models write them.
Parts unigram()
{
    Parts parts;
    parts.added = R"([{"id": 1, "content": "<s>", "special": true}])";
    parts.pre_tokenizer = R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always",
        "split": false})";
    parts.decoder = parts.pre_tokenizer;
    parts.model = R"({"type": "Unigram", "unk_id": 0, "byte_fallback": true, "vocab": [
        ["<unk>", 0], ["<s>", 0], ["▁", -3.0], ["a", -1.0], ["b", -1.0], ["ab", -2.0],
        ["▁a", -3.5], ["b▁", -0.25], ["<0xC3>", -9.0], ["<0xA9>", -9.0]]})";
    return parts;
}

} // namespace

TEST_CASE("Unigram pieces are the best segmentation of a whole text")
{
    const Tokenizer tokenizer = read(unigram());
    // The score is -4.5; the blank and ab have -5.
    CHECK(tokenizer.encode("ab", false) == Ids{6, 4});
    CHECK(tokenizer.encode("bab", false) == Ids{2, 4, 5}); // ab scores as much as a and b.
    CHECK(tokenizer.encode("b b", false) == Ids{2, 7, 4});
    CHECK(tokenizer.encode("\xC3\xA9<s>x", false) == Ids{2, 8, 9, 1, 2, 0});
    CHECK(tokenizer.decode(Ids{6, 4, 2, 4}) == " ab b");
    Parts parts = unigram();
    parts.model.erase(parts.model.find("\"type\""), std::string(R"("type": "Unigram",)").size());
    // Without a type, the form of the vocabulary (a list) shows that this is a Unigram model.
    CHECK(read(parts).encode("bab", false) == Ids{2, 4, 5});
    parts.model.replace(parts.model.find("true"), 4, "false");
    CHECK(read(parts).encode("\xC3\xA9", false) == Ids{2, 0});
}

TEST_CASE("Blanks are joined and removed at the ends, as converters write for models without a map")
{
    Parts parts = unigram();
    parts.normalizer = R"({"type": "Sequence", "normalizers": [
        {"type": "Strip", "strip_left": false, "strip_right": true},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}]})";
    const Tokenizer tokenizer = read(parts);
    CHECK(tokenizer.encode("b    b \n ", false) == Ids{2, 7, 4});
    CHECK(tokenizer.encode("  b b", false) == Ids{2, 7, 4});
    const Tokenizer back = Tokenizer::parse(tokenizer.serialize(), "image");
    CHECK(back.encode("  b   b  ", false) == Ids{2, 7, 4});
    parts.normalizer = R"({"type": "Strip", "strip_left": true, "strip_right": false})";
    CHECK(read(parts).encode("  b b ", false) == Ids{2, 7, 7});
}

TEST_CASE("A map of characters normalizes before pieces are searched")
{
    Parts parts = unigram();
    // The map replaces "x" by "ab" and U+00A0 by " ", as an array of 256 units.
    parts.normalizer = R"({"type": "Precompiled", "precompiled_charsmap": ")" +
                       in_base64(test::character_map({{"x", "ab"}, {"\xC2\xA0", " "}})) + "\"}";
    const Tokenizer tokenizer = read(parts);
    CHECK(tokenizer.encode("bx", false) == tokenizer.encode("bab", false));
    CHECK(tokenizer.encode("b\xC2\xA0"
                           "b",
                           false) == Ids{2, 7, 4});
    const Tokenizer back = Tokenizer::parse(tokenizer.serialize(), "image");
    CHECK(back.encode("bx", false) == Ids{2, 4, 5});
    parts.normalizer = R"({"type": "Precompiled", "precompiled_charsmap": null})";
    CHECK(read(parts).encode("x", false) == Ids{2, 0});
}

TEST_CASE("A normalizer whose replacements are too long is refused before it takes memory")
{
    Parts parts = unigram();
    parts.normalizer = R"({"type": "Replace", "pattern": {"Regex": "."}, "content": ")" +
                       std::string(100000, 'a') + "\"}";
    CHECK_THROWS_WITH(read(parts).encode(std::string(1000, 'b'), false),
                      Catch::Contains("tokenizer.normalizers[0]: the text has become too long"));
}

TEST_CASE("Unigram vocabularies that contradict themselves are refused by name")
{
    const auto with = [](const std::string& model) {
        Parts parts = unigram();
        parts.model = R"({"type": "Unigram", )" + model + "}";
        return fault(parts);
    };
    CHECK_THAT(with(R"("unk_id": 2, "vocab": [["<unk>", 0], ["<s>", 0]])"),
               Catch::Contains("model.unk_id: 2, expected one of the 2 pieces of model.vocab"));
    CHECK_THAT(with(R"("vocab": [["a", 0, 1]])"),
               Catch::Contains("model.vocab[0]") && Catch::Contains("a piece and its score"));
    CHECK_THAT(with(R"("vocab": [["a", 0], ["<s>", 0], ["a", 0]])"),
               Catch::Contains("model.vocab[2]") &&
                   Catch::Contains("a piece that differs from piece 0"));
    CHECK_THAT(with(R"("vocab": [["a", "b"]])"), Catch::Contains("model.vocab[0][1]"));
    Parts parts = unigram();
    for (const char* map : {"AAAA", "", "AAAAAA=="}) {
        parts.normalizer =
            R"({"type": "Precompiled", "precompiled_charsmap": ")" + std::string(map) + "\"}";
        CHECK_THAT(fault(parts),
                   Catch::Contains("normalizer.precompiled_charsmap: a map of characters of"));
    }
    parts.normalizer = R"({"type": "Precompiled", "precompiled_charsmap": "A*"})";
    CHECK_THAT(fault(parts), Catch::Contains("\"A*\", expected base64"));
    parts = unigram();
    parts.pre_tokenizer = R"({"type": "ByteLevel"})";
    CHECK_THAT(fault(parts), Catch::Contains("expected BPE with a ByteLevel pre_tokenizer"));
}

TEST_CASE("Unsupported or contradictory vocabularies are refused by name")
{
    refuses(&Parts::model, R"({"type": "WordPiece", "vocab": {}})",
            "model.type: \"WordPiece\", expected BPE or Unigram");
    refuses(&Parts::model, R"({"type": "BPE", "end_of_word_suffix": "</w>"})",
            "model.end_of_word_suffix");
    refuses(&Parts::added, R"([{"id": 12, "content": "x", "single_word": true}])",
            "added_tokens[0].single_word");
    refuses(&Parts::model, R"({"type": "BPE", "vocab": {"a": 16}, "merges": []})",
            "model.vocab.a: 16, expected a token below 16, the model's vocab_size");
    refuses(&Parts::added, R"([{"id": 9, "content": "x"}])",
            "added_tokens[0].id: 9 for 'x', expected an id that no other token has");
    refuses(&Parts::added, R"([{"id": 12, "content": "ab"}])",
            "added_tokens[0].id: 12 for 'ab', expected 7");
    refuses(&Parts::model, R"({"type": "BPE", "vocab": {"<unk>":0,"<s>":1,"</s>":2,"a": 3, "b": 4},
                             "merges": ["a b"]})",
            "model.merges[0]: 'ab' is not a token");
    refuses(&Parts::model, R"({"type": "BPE", "vocab": {"<unk>":0,"<s>":1,"</s>":2,"a": 3, "b": 3},
                             "merges": []})",
            "model.vocab.b: 3 for 'b', expected an id");
    refuses(&Parts::model, R"({"type": "BPE", "vocab": {"a": 3}, "merges": ["ab"]})",
            "model.merges[0]: \"ab\", expected two tokens");
}

TEST_CASE("A file that is cut anywhere is refused")
{
    const std::string text = llama3().text();
    const Folder folder;
    for (std::size_t size = 0; size < text.size(); ++size) {
        folder.write("tokenizer.json", text.substr(0, size));
        CHECK_THROWS_AS(read(folder), ModelError);
    }
}

TEST_CASE("GPT-2's two files, as OPT has them")
{
    const Folder folder;
    folder.write("vocab.json",
                 R"({"<pad>": 1, "</s>": 2, "a": 4, "b": 5, "\u0120": 6, "\u0120a": 7})");
    folder.write("merges.txt", "#version: 0.2\n\u0120 a\n");
    folder.write("tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer",
        "add_bos_token": true, "bos_token": {"__type": "AddedToken", "content": "</s>"},
        "eos_token": "</s>", "unk_token": "</s>"})");
    const Tokenizer tokenizer = read(folder);
    CHECK(tokenizer.bos() == 2);
    CHECK(tokenizer.eos() == 2);
    CHECK(tokenizer.encode("b a", true) == Ids{2, 5, 7});
    CHECK(tokenizer.decode(Ids{2, 7, 5}) == " ab");
    folder.write("merges.txt", "#version: 0.2\n\u0120 a\nab\n");
    CHECK_THROWS_WITH(read(folder), Catch::Contains("merges.txt:3: 'ab', expected two tokens"));
    folder.write("merges.txt", "#version: 0.2\n\u0120 a\nb a\n");
    CHECK_THROWS_WITH(read(folder), Catch::Contains("merges.txt: merges[1]: 'ba' is not a token"));
    folder.write("tokenizer_config.json", R"({"tokenizer_class": "BartTokenizer"})");
    CHECK_THROWS_WITH(read(folder), Catch::Contains("tokenizer_class 'BartTokenizer', expected"));
}

TEST_CASE("Qwen2's two files, and added tokens")
{
    const Folder folder;
    folder.write("vocab.json",
                 R"({"1": 1, "2": 2, "12": 3, "a": 4, "b": 5, "\u0120": 6, "\u0120a": 7})");
    folder.write("merges.txt", "#version: 0.2\n\u0120 a\n1 2\n");
    folder.write("tokenizer_config.json",
                 R"({"tokenizer_class": "Qwen2Tokenizer", "add_prefix_space": true})");
    folder.write("added_tokens.json", R"({"<|im_end|>": 9, "<tool>": 10})");
    folder.write("special_tokens_map.json",
                 R"({"eos_token": {"content": "<|im_end|>", "lstrip": false}})");
    const Tokenizer tokenizer = read(folder);
    CHECK(tokenizer.encode("a<|im_end|>b<tool>", false) == Ids{7, 9, 6, 5, 10});
    // By Qwen2's rules each digit is separate.
    CHECK(tokenizer.encode("a12", false) == Ids{7, 1, 2});
    CHECK(tokenizer.decode(Ids{7, 9, 10}) == " a<tool>");
    CHECK(tokenizer.eos() == 9); // This token comes from special_tokens_map.json.
    // Newer versions list the tokens in tokenizer_config.json, which then takes precedence.
    folder.write("tokenizer_config.json", R"({"tokenizer_class": "Qwen2TokenizerFast",
        "add_prefix_space": false, "added_tokens_decoder": {"11": {"content": "<|im_end|>",
        "special": true}, "12": {"content": "ba", "lstrip": true}}})");
    // No blank is added before a text. The blanks before "ba" belong to that token.
    CHECK(read(folder).encode("a<|im_end|>a  ba", false) == Ids{4, 11, 4, 12});
    folder.write("tokenizer_config.json", R"({"tokenizer_class": "Qwen2Tokenizer",
        "added_tokens_decoder": {"11": {"content": "a"}}})");
    CHECK_THROWS_WITH(read(folder), Catch::Contains("added_tokens_decoder.11: 11 for 'a', "
                                                    "expected 4"));
}

TEST_CASE("A BOS that is requested but missing, or given in two ways, is refused")
{
    const auto with = [](const std::string& config, const std::string& post_processor) {
        Parts parts = llama2();
        if (!post_processor.empty())
            parts.post_processor = post_processor;
        const Folder folder;
        folder.write("tokenizer.json", parts.text());
        folder.write("tokenizer_config.json", config);
        return read(folder).bos();
    };
    const std::string nothing = R"({"type": "ByteLevel"})";
    CHECK(with(R"({"add_bos_token": true, "bos_token": "<s>"})", "") == 1);
    CHECK(with(R"({"add_bos_token": true})", "") == 1);
    CHECK(with(R"({"bos_token": "</s>"})", "") == 1);
    CHECK(with(R"({"add_bos_token": true, "bos_token": "</s>"})", nothing) == 2);
    CHECK(with(R"({"add_bos_token": false, "bos_token": "</s>"})", nothing) == LEVEE_NO_TOKEN);
    CHECK_THROWS_WITH(with(R"({"add_bos_token": true})", nothing),
                      Catch::Contains("tokenizer_config.json: add_bos_token: true, expected a "
                                      "bos_token as well, or false"));
    CHECK_THROWS_WITH(with(R"({"add_bos_token": false})", ""),
                      Catch::Contains("tokenizer_config.json: add_bos_token: false, expected true "
                                      "or no such key, because a post_processor already puts "
                                      "'<s>' before a text"));
    CHECK_THROWS_WITH(
        with(R"({"add_bos_token": true, "bos_token": "</s>"})", ""),
        Catch::Contains("tokenizer_config.json: add_bos_token: true, expected no such "
                        "key, or bos_token '<s>', because a post_processor"));
}

TEST_CASE("Without a tokenizer tokens are numbers, and a note says so")
{
    const Folder folder;
    std::vector<std::string> notes;
    const Tokenizer tokenizer = hf::read_tokenizer(folder.path(), 4, 3, notes);
    CHECK(tokenizer.kind() == LEVEE_TOKENIZER_NONE);
    CHECK(tokenizer.vocab() == 4);
    CHECK(tokenizer.eos() == 3); // The id comes from config.json.
    REQUIRE(notes.size() == 1);
    CHECK_THAT(notes[0], Catch::Contains("there is no tokenizer"));
}

TEST_CASE("A folder's chat template is in one of three files, or is the default one of a list")
{
    Parts parts = llama3();
    parts.added = R"([{"id": 11, "content": "<|im_start|>", "special": true},
                      {"id": 12, "content": "<|im_end|>", "special": true}])";
    parts.post_processor = "null";
    const Folder folder;
    folder.write("tokenizer.json", parts.text());
    const Tokenizer tokenizer = read(folder);
    const std::string turns = "{% for m in messages %}<|im_start|>{{ m.role }}\\n{{ m.content "
                              "}}<|im_end|>{{ '\\n' }}{% endfor %}<|im_start|>assistant\\n\\n";
    std::vector<std::string> notes;
    const auto number = [&] {
        notes.clear();
        return hf::read_chat(folder.path(), tokenizer, notes);
    };
    CHECK(number() == 0);
    folder.write("tokenizer_config.json", R"({"chat_template": ")" + turns + R"("})");
    CHECK(number() == 1);
    CHECK_THAT(notes.at(0), Catch::StartsWith("chat template: 'chatml' of workload.chat") &&
                                Catch::EndsWith("tokenizer_config.json: chat_template"));
    folder.write("tokenizer_config.json",
                 R"({"bos_token": {"content": "<|im_end|>"}, "chat_template": [
                     {"name": "tool_use", "template": ""},
                     {"name": "default", "template": "{{ bos_token }})" +
                     turns + R"("}]})");
    CHECK(number() == LEVEE_CHAT_OTHER);
    CHECK_THAT(notes.at(0),
               Catch::Contains("tokenizer_config.json: chat_template[1].template: matches "
                               "no built-in template") &&
                   Catch::Contains("it writes \"<|im_end|><|im_start|>user"));
    // Tests BOS from the file of special tokens, names without a default, and names as a map.
    folder.write("special_tokens_map.json", R"({"bos_token": "<|im_end|>"})");
    folder.write("tokenizer_config.json",
                 R"({"chat_template": "{{ bos_token }})" + turns + R"("})");
    CHECK(number() == LEVEE_CHAT_OTHER);
    CHECK_THAT(notes.at(0), Catch::Contains("it writes \"<|im_end|><|im_start|>user"));
    // All special tokens are variables, also those of one model.
    folder.write("tokenizer_config.json",
                 R"({"pad_token": "<p>", "additional_special_tokens": [{"content": "<a>"}, "<b>"],
                     "extra_special_tokens": {"image_token": "<i>"}, "chat_template":
                     "{{ pad_token + image_token + additional_special_tokens | join }})" +
                     turns + R"("})");
    CHECK(number() == LEVEE_CHAT_OTHER);
    CHECK_THAT(notes.at(0), Catch::Contains("it writes \"<p><i><a><b><|im_start|>user"));
    folder.write("tokenizer_config.json", R"({"chat_template": [{"name": "rag", "template": ""},
                                              {"name": "tool_use", "template": ""}]})");
    CHECK(number() == 0);
    CHECK_THAT(notes.at(0), Catch::EndsWith("tokenizer_config.json: chat_template: has no template "
                                            "named 'default', only 'rag', 'tool_use'"));
    folder.write("tokenizer_config.json",
                 R"({"chat_template": {"rag": "", "default": ")" + turns + R"("}})");
    CHECK(number() == 1);
    folder.write("chat_template.json", R"({"processor_class": "P"})");
    CHECK(number() == 1);
    folder.write("chat_template.json", R"({"chat_template": 5})");
    CHECK_THROWS_WITH(number(), Catch::EndsWith("chat_template.json: chat_template: 5, expected a "
                                                "template, a list of templates with names, or a "
                                                "map of them"));
    folder.write("chat_template.json", R"({"chat_template": ")" + turns + R"("})");
    folder.write("tokenizer_config.json", "{}");
    CHECK(number() == 1);
    folder.write("chat_template.jinja", "{{ messages[0].content }}");
    CHECK(number() == LEVEE_CHAT_OTHER);
    CHECK_THAT(notes.at(0), Catch::Contains("chat_template.jinja: matches no built-in template"));
}
