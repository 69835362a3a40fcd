// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/pieces.hpp"

#include <catch2/catch.hpp>

using namespace levee;

namespace {

using PieceIds = std::vector<std::uint32_t>;

constexpr const char* blank_a = "\xE2\x96\x81"
                                "a";

// Ids 0 to 2 are <unk>, <s> and </s>. Then come the bytes of two characters, then pieces.
PieceVocabulary few_pieces()
{
    PieceVocabulary vocabulary;
    vocabulary.pieces = {{"<unk>", 0.0F, PieceType::unknown},
                         {"<s>", 0.0F, PieceType::control},
                         {"</s>", 0.0F, PieceType::control},
                         {"<0x0A>", 0.0F, PieceType::byte},
                         {"<0xC3>", 0.0F, PieceType::byte},
                         {"<0xA9>", 0.0F, PieceType::byte},
                         {"\xE2\x96\x81", -1.0F},
                         {"a", -2.0F},
                         {"b", -3.0F},
                         {"ab", -4.0F},
                         {blank_a, -5.0F},
                         {"<sep>", 0.0F, PieceType::user_defined}};
    vocabulary.bos = 1;
    vocabulary.eos = 2;
    return vocabulary;
}

} // namespace

TEST_CASE("Pieces: a blank first, the best score first, bytes for missing pieces")
{
    const Tokenizer tokenizer = piece_tokenizer(few_pieces(), "test");
    // The piece ab (-4) merges before " a" (-5).
    CHECK(tokenizer.encode("ab", true) == PieceIds{1, 6, 9});
    CHECK(tokenizer.encode("aa", false) == PieceIds{10, 7});
    CHECK(tokenizer.encode("\n\xC3\xA9", false) == PieceIds{6, 3, 4, 5});
    CHECK(tokenizer.encode("a\xE2\x96\x81"
                           "a",
                           false) == PieceIds{10, 10}); // U+2581 in a text counts as a blank.
    CHECK(tokenizer.encode("", true) == PieceIds{1});
    // The vocabulary lacks the bytes of this character.
    CHECK(tokenizer.encode("\xE4\xB8\xAD", false) == PieceIds{6, 0});
    CHECK(tokenizer.encode("b<sep>b", false) == PieceIds{6, 8, 11, 6, 8});
}

TEST_CASE("Unknown characters in a row are one token, as in SentencePiece")
{
    PieceVocabulary vocabulary;
    vocabulary.pieces = {{"<unk>", 0.0F, PieceType::unknown},
                         {"<s>", 0.0F, PieceType::control},
                         {"</s>", 0.0F, PieceType::control},
                         {"\xE2\x96\x81", -1.0F},
                         {"a", -2.0F},
                         {"b", -3.0F}};
    vocabulary.bos = 1;
    vocabulary.eos = 2;
    const Tokenizer tokenizer = piece_tokenizer(vocabulary, "test");
    CHECK(tokenizer.encode("漢字", true) == PieceIds{1, 3, 0});
    CHECK(tokenizer.encode("漢字a漢 字字", false) == PieceIds{3, 0, 4, 0, 3, 0});
}

TEST_CASE("Pieces print what they represent, except the blank that was added first")
{
    const Tokenizer tokenizer = piece_tokenizer(few_pieces(), "test");
    CHECK(tokenizer.decode(PieceIds{1, 10, 10, 4, 5, 2}) == "a a\xC3\xA9");
    PieceVocabulary plain = few_pieces();
    plain.blank_first = false;
    const Tokenizer without = piece_tokenizer(plain, "test");
    CHECK(without.encode("ab", true) == PieceIds{1, 9});
    CHECK(without.decode(PieceIds{1, 10}) == " a");
    const Tokenizer back = Tokenizer::parse(tokenizer.serialize(), "image");
    CHECK(back.encode("ab\xC3\xA9", true) == tokenizer.encode("ab\xC3\xA9", true));
}

TEST_CASE("A user's piece of blanks is found in a text's blanks")
{
    PieceVocabulary vocabulary = few_pieces();
    vocabulary.pieces.push_back({"\xE2\x96\x81\xE2\x96\x81", 0.0F, PieceType::user_defined});
    vocabulary.blank_first = false;
    CHECK(piece_tokenizer(vocabulary, "test").encode("a  b", false) == PieceIds{7, 12, 8});
    CHECK(piece_tokenizer(vocabulary, "test").decode(PieceIds{7, 12, 8}) == "a  b");
    vocabulary.blank_first = true; // A blank is also added after a user-defined piece.
    CHECK(piece_tokenizer(vocabulary, "test").encode("a  b", false) == PieceIds{10, 12, 6, 8});
}

TEST_CASE("Byte pieces that name no byte, or a byte twice, are refused")
{
    PieceVocabulary vocabulary = few_pieces();
    vocabulary.pieces[4].text = "<0xG3>";
    CHECK_THROWS_WITH(piece_tokenizer(vocabulary, "file"),
                      "file: piece 4: '<0xG3>' has the type of a byte, expected <0x00> to <0xFF>");
    vocabulary.pieces[4].text = "<0x0A>";
    CHECK_THROWS_WITH(piece_tokenizer(vocabulary, "file"), Catch::Contains("given twice"));
}
