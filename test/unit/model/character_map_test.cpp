// SPDX-License-Identifier: Apache-2.0
// Tests the character maps by which unigram models normalise text, as SentencePiece
// (Normalizer::Normalize) and tokenizers (normalizers/precompiled.rs) do.
#include "platform/input/model/character_map.hpp"
#include "platform/input/model/model_shape.hpp"
#include "platform/input/model/text_steps.hpp"
#include "test/support/character_map.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace levee;

namespace {

const std::map<std::string, std::string> some_texts{
    {"A", "a"},
    {"\xEF\xBC\xA1", "A"},     // The key is a fullwidth A.
    {"\xC2\xA0", " "},         // The key is a non-breaking space.
    {"e\xCC\x81", "\xC3\xA9"}, // The key is e with a combining acute.
    {"e", "E"},
    {"\xE2\x80\x8B", ""}, // The key is a zero-width space.
    {"abc", "long"},
    {"ab", "short"}};

std::string longest(const CharacterMap& map, std::string_view text)
{
    TextWork work(text.size());
    std::string result;
    map.map_longest(text, work, [&](std::string_view part) { result += part; });
    return result;
}

std::string by_graphemes(const CharacterMap& map, std::string_view text)
{
    TextWork work(text.size());
    std::string result;
    map.map_graphemes(text, work, [&](std::string_view part) { result += part; });
    return result;
}

} // namespace

TEST_CASE("A map of characters replaces the longest key that begins at each place")
{
    const CharacterMap map(test::character_map(some_texts), "map");
    CHECK(longest(map, "") == "");
    CHECK(longest(map, "xyz") == "xyz");
    CHECK(longest(map, "abcabx") == "longshortx");
    CHECK(longest(map, "\xEF\xBC\xA1\xC2\xA0"
                       "A") == "A a");
    CHECK(longest(map, "e\xCC\x81"
                       "e") == "\xC3\xA9"
                               "E");
    CHECK(longest(map, "x\xE2\x80\x8By") == "xy");
    CHECK(longest(map, "x\xFFy\xE2\x80") == "x\xEF\xBF\xBDy\xEF\xBF\xBD\xEF\xBF\xBD");
    CHECK(longest(map, std::string("a\0b", 3)) == std::string("a\0b", 3));
}

TEST_CASE("As in tokenizers, a map replaces graphemes by the shortest key that each begins with")
{
    const CharacterMap map(test::character_map(some_texts), "map");
    CHECK(by_graphemes(map, "abcab") == "abcab"); // Keys of several graphemes are never found.
    // The key is e, but its whole grapheme is replaced.
    CHECK(by_graphemes(map, "e\xCC\x81x") == "Ex");
    CHECK(by_graphemes(map, "x\xE2\x80\x8By\xEF\xBC\xA1") == "xyA");
    CHECK(by_graphemes(map, "A\xFF") == "a\xFF");
    // In graphemes of six or more bytes, each character is looked up separately.
    CHECK(by_graphemes(map, "e\xCC\x81\xCC\x81\xCC\x81") == "E\xCC\x81\xCC\x81\xCC\x81");
    CHECK(by_graphemes(map, "\r\nA") == "\r\na");
}

TEST_CASE("Bytes that are no map of characters are refused, and damaged ones do no harm")
{
    for (const std::string& bytes :
         {std::string(), std::string("\0\0\0", 3), std::string("\0\0\0\0", 4),
          std::string("\x05\0\0\0abcdefgh", 12), std::string("\x08\0\0\0abcd", 8)})
        CHECK_THROWS_WITH(CharacterMap(bytes, "here"),
                          Catch::StartsWith("here: a map of characters of " +
                                            std::to_string(bytes.size()) + " bytes, expected"));
    const std::string whole = test::character_map(some_texts);
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        std::string damaged = whole;
        for (int i = 0; i < 8; ++i)
            damaged[4 + random() % (damaged.size() - 4)] = static_cast<char>(random());
        const CharacterMap map(damaged, "map");
        (void)longest(map, "abcab e\xCC\x81 \xEF\xBC\xA1 A");
        (void)by_graphemes(map, "abcab e\xCC\x81 \xEF\xBC\xA1 A");
    }
}

TEST_CASE("A map whose replacements are too long is refused before it takes memory or time")
{
    const auto with = [](const std::string& key, const std::string& text, std::size_t count) {
        TokenizerRules rules;
        rules.normalizers.push_back({LEVEE_STEP_MAP_LONGEST, test::character_map({{key, text}})});
        const TextSteps steps(rules, "image");
        TextWork work(count);
        return steps.normalize(std::string(count, 'a'), work);
    };
    CHECK(with("a", "bc", 3) == "bcbcbc");
    CHECK_THROWS_WITH(with("a", std::string(100000, 'b'), 1000),
                      Catch::Contains("tokenizer.normalizers[0]: the text has become too long"));
    CHECK_THROWS_WITH(with(std::string(4000, 'a') + "b", "c", 100000),
                      Catch::Contains("the map takes too many steps over the text"));
}
