// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/sentencepiece.hpp"
#include "test/unit/huggingface/folder.hpp"

#include <catch2/catch.hpp>

#include <bit>
#include <random>

using namespace levee;

namespace {

using SentenceIds = std::vector<std::uint32_t>;

// Protocol Buffers' wire format, as its specification says.
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
           with_length(15, "not known"); // fields in any order, and ones that nobody knows
}

Tokenizer read(const std::string& bytes, std::uint32_t vocab = 12, bool add_bos = true)
{
    const Folder folder;
    return hf::read_sentencepiece(folder.write("tokenizer.model", bytes), vocab, std::nullopt,
                                  add_bos);
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
    CHECK(read(model(), 9, false).bos() == LEVEE_NO_TOKEN);
    CHECK(read(model(bpe, identity + varint(3, 0))).encode("ab", false) == SentenceIds{7});
}

TEST_CASE("SentencePiece models of other kinds are refused by name")
{
    CHECK_THROWS_WITH(read(model(varint(3, 1))),
                      Catch::Contains("trainer_spec.model_type: unigram, expected BPE"));
    CHECK_THROWS_WITH(read(model("")), Catch::Contains("unigram")); // the default
    CHECK_THROWS_WITH(
        read(model(bpe, with_length(1, "nmt_nfkc") + with_length(2, "map"))),
        Catch::EndsWith("tokenizer.model: normalizer_spec.precompiled_charsmap: a map of 3 bytes "
                        "that replaces characters before a text is split (normalizer_spec.name: "
                        "'nmt_nfkc'), which is not supported; expected no map, as in models with "
                        "the normalizer identity"));
    CHECK_THROWS_WITH(read(model(bpe, with_length(1, "identity"))),
                      Catch::Contains("remove_extra_whitespaces"));
    CHECK_THROWS_WITH(read(model(bpe + varint(24, 1))),
                      Catch::Contains("treat_whitespace_as_suffix"));
    CHECK_THROWS_WITH(read(model(), 8), Catch::Contains("9 pieces, expected 1 to 8"));
    CHECK_THROWS_WITH(read(model() + piece("x", 0, 9)), Catch::Contains("piece 9: type 9"));
    CHECK_THROWS_WITH(read(model() + piece("x", 0, 6)), Catch::Contains("piece 9: 'x' is said"));
}

TEST_CASE("A SentencePiece model that is cut or damaged is read or refused, no more")
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
    CHECK_THROWS_WITH(read(whole.substr(0, 5)), Catch::Contains("is the file whole?"));
}
