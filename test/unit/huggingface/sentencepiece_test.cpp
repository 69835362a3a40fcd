// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/tokenizer_files.hpp"
#include "test/support/character_map.hpp"
#include "test/unit/huggingface/folder.hpp"

#include <catch2/catch.hpp>

#include <bit>
#include <random>

using namespace levee;

namespace {

using SentenceIds = std::vector<std::uint32_t>;

// Encodes a number in Protocol Buffers' wire format, as specified.
std::string number(std::uint64_t value)
{
    std::string bytes;
    for (; value >= 0x80; value >>= 7)
        bytes += static_cast<char>(value | 0x80);
    return bytes + static_cast<char>(value);
}

std::string varint(int field, std::uint64_t value)
{
    return number(field << 3) + number(value);
}

std::string with_length(int field, const std::string& bytes)
{
    return number(field << 3 | 2) + number(bytes.size()) + bytes;
}

std::string fixed_float(int field, float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    std::string bytes = number(field << 3 | 5);
    for (int i = 0; i < 4; ++i)
        bytes += static_cast<char>(bits >> 8 * i);
    return bytes;
}

std::string piece(const std::string& text, float score, int type = 1)
{
    return with_length(1, with_length(1, text) + fixed_float(2, score) +
                              (type == 1 ? "" : varint(3, static_cast<std::uint64_t>(type))));
}

const std::string pieces = piece("<unk>", 0, 2) + piece("<s>", 0, 3) + piece("</s>", 0, 3) +
                           piece("<0x0A>", 0, 6) + piece("▁", -1) + piece("a", -2) +
                           piece("b", -3) + piece("ab", -4) + piece("▁a", -5);
const std::string bpe = varint(3, 2) + varint(35, 1) + varint(40, 0);
const std::string identity = with_length(1, "identity") + varint(3, 1) + varint(4, 0);

std::string model(const std::string& trainer = bpe, const std::string& normalizer = identity)
{
    return with_length(2, trainer) + pieces + with_length(3, normalizer) +
           with_length(15, "not known"); // Fields may come in any order, and some are unknown.
}

/// Writes a folder with a tokenizer.model and the other given files, and reads its tokenizer.
Tokenizer read(const std::string& bytes, std::uint32_t vocab = 12, const std::string& config = {},
               const std::string& added = {})
{
    const Folder folder;
    folder.write("tokenizer.model", bytes);
    if (!config.empty())
        folder.write("tokenizer_config.json", config);
    if (!added.empty())
        folder.write("added_tokens.json", added);
    std::vector<std::string> notes;
    return hf::read_tokenizer(folder.path(), vocab, std::nullopt, notes);
}

std::string added_decoder(const std::string& tokens)
{
    return R"({"added_tokens_decoder": {)" + tokens + "}}";
}

} // namespace

TEST_CASE("A SentencePiece model of Llama's kind")
{
    const Tokenizer tokenizer = read(model());
    CHECK(tokenizer.vocab() == 12);
    CHECK(tokenizer.bos() == 1);
    CHECK(tokenizer.eos() == 2);
    CHECK(tokenizer.encode("ab a\n", true) == SentenceIds{1, 4, 7, 8, 3});
    CHECK(tokenizer.decode(SentenceIds{1, 8, 8}) == "a a");
    CHECK(read(model(), 9, R"({"add_bos_token": false})").bos() == LEVEE_NO_TOKEN);
    CHECK(read(model(bpe, identity + varint(3, 0))).encode("ab", false) == SentenceIds{7});
}

TEST_CASE(
    "A SentencePiece model is unigram by default, and takes the segmentation with the best sum")
{
    for (const std::string& trainer : {varint(3, 1), std::string()}) {
        const Tokenizer tokenizer = read(model(trainer));
        // The sums are -5 and -3.
        CHECK(tokenizer.encode("ab a\n", true) == SentenceIds{1, 4, 7, 4, 5, 3});
    }
}

TEST_CASE("A SentencePiece model with a map of characters, and one that removes blanks")
{
    const std::string map =
        with_length(2, test::character_map({{"x", "ab"}, {"\xC2\xA0", " "}})) + varint(3, 1);
    for (const std::string& trainer : {bpe, varint(3, 1)}) {
        const Tokenizer all = read(model(trainer, map + varint(4, 0)));
        CHECK(all.encode("xa", false) == all.encode("aba", false));
        CHECK(all.encode("a \xC2\xA0"
                         "b",
                         false) == all.encode("a  b", false));
        const Tokenizer few = read(model(trainer, map)); // The default removes extra blanks.
        CHECK(few.encode(" \xC2\xA0 x  a \xC2\xA0", false) == all.encode("ab a", false));
        CHECK(few.encode("a\n b", false) == all.encode("a\n b", false));
        CHECK(few.encode("  ", false).empty());
        const Tokenizer back = Tokenizer::parse(few.serialize(), "image");
        CHECK(back.encode("  x", false) == all.encode("ab", false));
    }
}

TEST_CASE("SentencePiece models of other kinds are refused by name")
{
    CHECK_THROWS_WITH(read(model(varint(3, 3))),
                      Catch::Contains("trainer_spec.model_type: word, expected BPE or unigram"));
    CHECK_THROWS_WITH(read(model(bpe, with_length(2, "map") + varint(4, 0))),
                      Catch::Contains("a map of characters of 3 bytes, expected one"));
    CHECK_THROWS_WITH(read(model(bpe + varint(24, 1))),
                      Catch::Contains("treat_whitespace_as_suffix"));
    CHECK_THROWS_WITH(read(model(), 8), Catch::Contains("9 pieces, expected 1 to 8"));
    CHECK_THROWS_WITH(read(model() + piece("x", 0, 9)), Catch::Contains("piece 9: type 9"));
    CHECK_THROWS_WITH(read(model() + piece("x", 0, 6)),
                      Catch::Contains("piece 9: 'x' has the type of a byte"));
}

TEST_CASE("A SentencePiece model that is cut or damaged is read or refused")
{
    const std::string whole = model();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        try {
            (void)read(whole.substr(0, size));
        } catch (const ModelError&) {
            continue;
        }
    }
    std::mt19937 random(1);
    for (int round = 0; round < 500; ++round) {
        std::string damaged = whole;
        damaged[random() % damaged.size()] = static_cast<char>(random());
        try {
            (void)read(damaged).encode("ab a\n", false);
        } catch (const ModelError&) {
            continue;
        }
    }
    CHECK_THROWS_WITH(read(whole.substr(0, 5)), // These are the first 3 bytes of an 8-byte field.
                      Catch::Contains("the data end 5 bytes too early before byte 2, expected a "
                                      "SentencePiece model (is the file whole?)"));
}

TEST_CASE(
    "Tokens added to a SentencePiece model are found in texts, and special ones print nothing")
{
    const Tokenizer tokenizer =
        read(model(), 12, added_decoder(R"("1": {"content": "<s>", "special": true},
            "9": {"content": "<|im_end|>", "special": true, "normalized": false},
            "10": {"content": "<tool>", "special": false, "normalized": true, "rstrip": true})"));
    CHECK(tokenizer.encode("ab<|im_end|>a", true) == SentenceIds{1, 4, 7, 9, 8});
    CHECK(tokenizer.encode("a<tool>  a<s>", false) == SentenceIds{8, 10, 8, 1});
    CHECK(tokenizer.decode(SentenceIds{1, 8, 9, 10, 8}) == "a<tool> a");

    const Tokenizer older = read(model(), 12, R"({"additional_special_tokens": ["<|im_end|>"]})",
                                 R"({"<|im_end|>": 9, "<tool>": 10})");
    CHECK(older.encode("ab<|im_end|>a", true) == SentenceIds{1, 4, 7, 9, 8});
    CHECK(older.decode(SentenceIds{1, 8, 9, 10, 8}) == "a<tool> a");
    // tokenizer_config.json takes precedence over added_tokens.json, which older versions wrote.
    CHECK(read(model(), 12, added_decoder(R"("11": {"content": "<x>"})"), R"({"<x>": 9})")
              .encode("<x>", false) == SentenceIds{11});
}

TEST_CASE("A blank after added tokens, which transformers would not add, is reported")
{
    const Folder folder;
    folder.write("tokenizer.model", model());
    const auto notes_with = [&](const std::string& config) {
        folder.write("tokenizer_config.json", config);
        std::vector<std::string> notes;
        (void)hf::read_tokenizer(folder.path(), 12, std::nullopt, notes);
        return notes;
    };
    CHECK(notes_with("{}").empty());
    CHECK(notes_with(R"({"legacy": true})").empty());
    CHECK(notes_with(R"({"legacy": false})") ==
          std::vector<std::string>{"tokenizer_config.json has 'legacy: false': transformers then "
                                   "adds a space only at the start of a text. The image also "
                                   "adds one after each added token, so token ids may differ"});
}

TEST_CASE("A padding token beyond a SentencePiece model's vocab_size is left out, and named")
{
    const Folder folder;
    folder.write("tokenizer.model", model());
    folder.write("added_tokens.json", R"({"<pad>": 12, "<tool>": 10})");
    std::vector<std::string> notes;
    const Tokenizer tokenizer = hf::read_tokenizer(folder.path(), 12, std::nullopt, notes);
    REQUIRE(notes.size() == 1);
    CHECK_THAT(
        notes[0],
        Catch::EndsWith(
            "added_tokens.json: <pad>: 12 for '<pad>', because the model's vocab_size is 12"));
    CHECK(tokenizer.encode("a<tool>", false) == SentenceIds{8, 10});
}

TEST_CASE("Added tokens whose numbers do not fit a SentencePiece model are refused by name")
{
    const auto refuses = [](const std::string& token, const std::string& what) {
        INFO(token);
        CHECK_THROWS_WITH(read(model(), 12, added_decoder(token)),
                          Catch::Contains("tokenizer_config.json: added_tokens_decoder." + what));
    };
    refuses(R"("5": {"content": "<x>"})", "5: 5 for '<x>', expected an id that no piece has");
    refuses(R"("9": {"content": "ab"})", "9: 9 for 'ab', expected 7, the token's id in ");
    refuses(R"("9": {"content": "<x>"}, "10": {"content": "<x>"})", "9: 9 for '<x>', expected 10");
    refuses(R"("9": {"content": ""})", "9: 9 for '', expected a token that is not empty");
    refuses(R"("x": {"content": "<x>"})", "x: ");
    CHECK_THROWS_WITH(read(model(), 12, {}, R"({"<x>": 9, "<y>": 9})"),
                      Catch::Contains("added_tokens.json: <y>: 9 for '<y>', expected an id"));
}

TEST_CASE(
    "A SentencePiece model's BOS and EOS are its own or those named elsewhere, or are refused")
{
    const auto with_ends = [](std::uint64_t bos, std::uint64_t eos) {
        return model(bpe + varint(41, bos) + varint(42, eos));
    };
    constexpr std::uint64_t none = UINT64_MAX; // This is -1 as an unsigned number.
    CHECK(read(with_ends(2, 1)).bos() == 2);
    CHECK(read(with_ends(2, 1)).eos() == 1);
    CHECK(read(with_ends(none, none)).bos() == LEVEE_NO_TOKEN);
    CHECK(read(with_ends(none, none)).eos() == LEVEE_NO_TOKEN);
    CHECK_THROWS_WITH(read(with_ends(40000, 2)),
                      Catch::EndsWith("tokenizer.model: trainer_spec.bos_id: 40000, expected one "
                                      "of its 9 pieces, or -1 for none"));
    CHECK_THROWS_WITH(read(with_ends(1, 9)), Catch::Contains("trainer_spec.eos_id: 9, expected"));
    CHECK(read(with_ends(40000, 2), 12, R"({"add_bos_token": false})").bos() == LEVEE_NO_TOKEN);
    CHECK_THROWS_WITH(read(with_ends(none, 2), 12, R"({"add_bos_token": true})"),
                      Catch::Contains("tokenizer_config.json: add_bos_token: true, expected"));
    const std::string named = R"({"bos_token": "<|im_end|>", "eos_token": "<s>",
        "added_tokens_decoder": {"9": {"content": "<|im_end|>", "special": true}}})";
    CHECK(read(model(), 12, named).bos() == 9);
    CHECK(read(model(), 12, named).eos() == 1);
    // In the first conversions of LLaMA, the names of special tokens are empty, which counts as no
    // name.
    CHECK(read(with_ends(2, 1), 12, R"({"bos_token": "", "eos_token": ""})").bos() == 2);
    CHECK_THROWS_WITH(
        read(model(), 12, R"({"bos_token": "<go>"})"),
        Catch::EndsWith("tokenizer.model: bos_token: '<go>', which is not one of its tokens"));
}
