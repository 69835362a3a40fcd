// SPDX-License-Identifier: Apache-2.0
// Compares segmentations by unigram models with hand-worked ones, and with the best of all possible
// ones.
#include "platform/input/model/pieces.hpp"
#include "platform/input/model/unigram.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace levee;

namespace {

using Ids = std::vector<std::uint32_t>;
constexpr std::uint32_t unknown = 99;

/// Returns the best segmentation. Consecutive characters without a piece become one `unknown`.
Ids best(const std::vector<Token>& tokens, const std::string& text)
{
    Ids ids;
    TextWork work(text.size());
    for (const Unigram::Part& part :
         Unigram(tokens, std::vector<bool>(tokens.size())).best(text, work))
        ids.push_back(part.id.value_or(unknown));
    return ids;
}

/// Tries every segmentation of a text of single bytes and keeps the best. A larger sum is better.
/// With equal sums, a longer last piece is better, then a longer piece before it.
struct AllWays {
    const std::vector<Token>& tokens;
    std::string text;
    double worst = std::numeric_limits<double>::max();
    double found = -std::numeric_limits<double>::max();
    Ids ids{}, lengths{};

    void run()
    {
        for (const Token& token : tokens)
            worst = std::min(worst, static_cast<double>(token.score));
        extend(0, 0.0, {}, {});
    }

    void extend(std::size_t at, double sum, const Ids& taken, const Ids& ends)
    {
        if (at == text.size()) {
            const Ids back(ends.rbegin(), ends.rend());
            if (sum > found || (sum == found && back > lengths)) {
                found = sum;
                ids = taken;
                lengths = back;
            }
            return;
        }
        bool alone = false;
        for (std::uint32_t id = 0; id < tokens.size(); ++id) {
            const std::string& piece = tokens[id].text;
            if (text.compare(at, piece.size(), piece) != 0)
                continue;
            alone |= piece.size() == 1;
            take(at, sum + static_cast<double>(tokens[id].score), id, piece.size(), taken, ends);
        }
        if (!alone)
            take(at, sum + worst - 10.0, unknown, 1, taken, ends);
    }

    void take(std::size_t at, double sum, std::uint32_t id, std::size_t bytes, Ids taken, Ids ends)
    {
        if (id != unknown || taken.empty() || taken.back() != unknown)
            taken.push_back(id);
        ends.push_back(static_cast<std::uint32_t>(bytes));
        extend(at + bytes, sum, taken, ends);
    }
};

const std::vector<Token> few{
    {-1.0F, "a"}, {-1.0F, "b"}, {-1.5F, "ab"}, {-2.0F, "ba"}, {-4.0F, "aba"}};

} // namespace

TEST_CASE("The segmentation with the largest sum of scores is taken")
{
    CHECK(best(few, "ab") == Ids{2});     // The sum is -1.5, better than -2.
    CHECK(best(few, "aba") == Ids{2, 0}); // The sum is -2.5; the split a, ba has -3, and aba -4.
    CHECK(best(few, "bab") == Ids{1, 2}); // The sum is -2.5; the split ba, b has -3.
    CHECK(best(few, "").empty());
}

TEST_CASE("Among equal sums the one with the longest last token is taken")
{
    CHECK(best(few, "ba") == Ids{3}); // The sum is -2, the same as for b and a.
    CHECK(best({{-1.0F, "a"}, {-2.0F, "aa"}}, "aaa") == Ids{0, 1});
}

TEST_CASE("Characters without a token are used only if nothing else spells them")
{
    CHECK(best(few, "axxb") == Ids{0, unknown, 1});
    // Two characters, the second of them invalid UTF-8.
    CHECK(best(few, "\xC3\xA9\xFF") == Ids{unknown});
    // As two unknown characters, the text of the long token would score -60; the token scores -20.
    CHECK(best({{-20.0F, "xy"}, {-1.0F, "a"}}, "axya") == Ids{1, 0, 1});
    // An unknown character scores 10 less than the worst token. So one unknown character beats -12
    // and -3.
    CHECK(best({{-1.0F, "a"}, {-12.0F, "xa"}}, "xa") == Ids{1});
}

TEST_CASE("Segmentations are the best of all possible ones, with scores that are often equal")
{
    std::mt19937 random(5);
    std::size_t equal = 0;
    for (int round = 0; round < 400; ++round) {
        std::vector<Token> tokens;
        for (int i = 0; i < 8; ++i) {
            std::string piece;
            for (std::uint32_t left = 1 + random() % 4; left > 0; --left)
                piece += static_cast<char>('a' + random() % 3);
            const auto same = [&](const Token& token) { return token.text == piece; };
            if (std::none_of(tokens.begin(), tokens.end(), same))
                tokens.push_back({-0.5F * static_cast<float>(random() % 6), piece});
        }
        std::string text;
        for (std::uint32_t left = random() % 9; left > 0; --left)
            text += static_cast<char>('a' + random() % 3);
        AllWays all{tokens, text};
        all.run();
        INFO(text);
        CHECK(best(tokens, text) == all.ids);
        equal += all.ids.size() > 1;
    }
    CHECK(equal > 100); // Number of texts of several tokens.
}

TEST_CASE("Unigram pieces: the blank first, bytes for missing pieces, otherwise one unknown")
{
    PieceVocabulary vocabulary;
    vocabulary.unigram = true;
    vocabulary.pieces = {{"<unk>", 0.0F, PieceType::unknown},
                         {"<s>", 0.0F, PieceType::control},
                         {"\xE2\x96\x81", -3.0F},
                         {"\xE2\x96\x81h", -2.5F},
                         {"i", -2.0F},
                         {"hi", -3.0F},
                         {"<0xC3>", 0.0F, PieceType::byte},
                         {"<0xA9>", 0.0F, PieceType::byte}};
    vocabulary.bos = 1;
    const Tokenizer tokenizer = piece_tokenizer(vocabulary, "test");
    // The pieces of a blank with h, and of i, score -4.5 together. A blank and hi score -6.
    CHECK(tokenizer.encode("hi", true) == Ids{1, 3, 4});
    CHECK(tokenizer.encode("\xC3\xA9i", false) == Ids{2, 6, 7, 4});
    CHECK(tokenizer.encode("xyi<s>i", false) == Ids{2, 0, 4, 1, 2, 4});
    CHECK(tokenizer.decode(Ids{1, 3, 4, 6, 7}) == "hi\xC3\xA9");
    const Tokenizer back = Tokenizer::parse(tokenizer.serialize(), "image");
    CHECK(back.encode("hi xyi", true) == tokenizer.encode("hi xyi", true));
}

TEST_CASE("A blank without a piece becomes the bytes of its symbol")
{
    for (const bool unigram : {false, true}) {
        PieceVocabulary vocabulary;
        vocabulary.unigram = unigram;
        vocabulary.pieces = {
            {"<unk>", 0.0F, PieceType::unknown}, {"a", -1.0F},
            {"<0xE2>", 0.0F, PieceType::byte},   {"<0x96>", 0.0F, PieceType::byte},
            {"<0x81>", 0.0F, PieceType::byte},   {"<0x20>", 0.0F, PieceType::byte}};
        CHECK(piece_tokenizer(vocabulary, "test").encode("a", false) == Ids{2, 3, 4, 1});
    }
}

TEST_CASE("A text in which long tokens begin everywhere is refused before it takes long")
{
    const std::vector<Token> tokens{{-1.0F, "a"}, {-1.0F, std::string(4000, 'a') + "b"}};
    const Unigram unigram(tokens, std::vector<bool>(2));
    TextWork few(3000), many(30000), pieces(30000);
    CHECK(unigram.best(std::string(3000, 'a'), few).size() == 3000);
    CHECK_THROWS_WITH(unigram.best(std::string(30000, 'a'), many),
                      Catch::Contains("too many places of the text may begin a token"));
    const auto in_pieces = [&] {
        for (int i = 0; i < 12; ++i) // Each text on its own would need few enough steps.
            (void)unigram.best(std::string(5000, 'a'), pieces);
    };
    CHECK_THROWS_WITH(in_pieces(),
                      Catch::Contains("too many places of the text may begin a token"));
}
