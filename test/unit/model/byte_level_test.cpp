// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/byte_level.hpp"
#include "platform/input/model/text_steps.hpp"
#include "test/support/child.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <sys/resource.h>
#include <utility>

using namespace levee;

namespace {

using Texts = std::vector<std::string>;
using Ids = std::vector<std::uint32_t>;

Texts pieces(const char* family, const std::string& text)
{
    TokenizerRules rules;
    const TextRules steps = byte_level_text(family).value();
    rules.normalizers = steps.normalizers;
    rules.splits = steps.splits;
    const TextSteps made(rules, "test");
    TextWork work(text.size());
    return made.split(made.normalize(text, work), true, work);
}

Texts split_by(const std::string& pattern, const std::string& text)
{
    TextWork work(text.size());
    return Regex(pattern, "place").split(text, work);
}

/// Returns a vocabulary with all bytes as tokens 0 to 255, then the results of the merges.
ByteLevelVocabulary bytes_and(const std::vector<std::pair<std::string, std::string>>& merges)
{
    ByteLevelVocabulary vocabulary;
    for (int byte = 0; byte < 256; ++byte)
        vocabulary.keys.push_back(key_of_bytes(std::string(1, static_cast<char>(byte))));
    for (const auto& [left, right] : merges) {
        vocabulary.keys.push_back(key_of_bytes(left + right));
        vocabulary.merges.push_back(key_of_bytes(left) + " " + key_of_bytes(right));
    }
    vocabulary.text = byte_level_text("gpt2").value();
    return vocabulary;
}

/// Merges one pair at a time, as in the original paper. Among all neighbouring pairs, it takes the
/// pair that was learned first, at its first occurrence.
Texts merged_one_by_one(Texts parts, const std::vector<std::pair<std::string, std::string>>& merges)
{
    for (;;) {
        std::size_t best = merges.size();
        std::size_t where = 0;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i)
            for (std::size_t rank = 0; rank < best; ++rank)
                if (merges[rank] == std::pair(parts[i], parts[i + 1])) {
                    best = rank;
                    where = i;
                }
        if (best == merges.size())
            return parts;
        parts[where] += parts[where + 1];
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(where) + 1);
    }
}

} // namespace

TEST_CASE("Bytes as printable characters: GPT-2's table")
{
    CHECK(key_of_bytes("a~") == "a~");
    CHECK(key_of_bytes(" ") == "\xC4\xA0");  // U+0120 is the 33rd of the moved characters.
    CHECK(key_of_bytes("\n") == "\xC4\x8A"); // This is U+010A.
    CHECK(key_of_bytes("\x7F") == "\xC4\xA1");
    CHECK(key_of_bytes("\xA0") == "\xC5\x82");
    CHECK(key_of_bytes("\xAD") == "\xC5\x83"); // This is U+0143, the last one.
    CHECK(key_of_bytes("\xFF") == "\xC3\xBF"); // U+00FF stays the same.
    for (int byte = 0; byte < 256; ++byte) {
        const std::string one(1, static_cast<char>(byte));
        CHECK(bytes_of_key(key_of_bytes(one)) == one);
    }
    CHECK_FALSE(bytes_of_key("a b").has_value());
    CHECK_FALSE(bytes_of_key("\xC5\x84").has_value()); // This is U+0144.
}

TEST_CASE("GPT-2 splits words with their blank, numbers, other characters and white space")
{
    CHECK(pieces("gpt2", "I'll  go, 123!\n\n x") ==
          Texts{"I", "'ll", " ", " go", ",", " 123", "!", "\n\n", " x"});
    CHECK(pieces("gpt2", "I'LL") == Texts{"I", "'", "LL"});
    // The text is "naïve Ω≈½": letters, a letter, a symbol and a number.
    CHECK(pieces("gpt2", "na\xC3\xAFve \xCE\xA9\xE2\x89\x88\xC2\xBD") ==
          Texts{"na\xC3\xAFve", " \xCE\xA9", "\xE2\x89\x88", "\xC2\xBD"});
    CHECK(pieces("gpt2", "a  ") == Texts{"a", "  "});
    CHECK(pieces("gpt2", "").empty());
}

TEST_CASE("Qwen2 and Llama 3 differ in digits, and both differ from GPT-2 in case and line ends")
{
    CHECK(pieces("qwen2", "ab12345 c\nd") == Texts{"ab", "1", "2", "3", "4", "5", " c", "\n", "d"});
    CHECK(pieces("llama3", "ab12345 c\nd") == Texts{"ab", "123", "45", " c", "\n", "d"});
    CHECK(pieces("llama3", "I'LL (x) ;\r\n\n y") ==
          Texts{"I", "'LL", " (", "x", ")", " ;\r\n\n", " y"});
    // The text ends with e and a combining acute. Qwen2 composes them (normal form C). Without
    // that, the mark is not a letter.
    CHECK(pieces("qwen2", "caf\x65\xCC\x81") == Texts{"caf\xC3\xA9"});
    CHECK(pieces("llama3", "caf\x65\xCC\x81") == Texts{"cafe", "\xCC\x81"});
    CHECK_FALSE(byte_level_text("gpt5").has_value());
}

TEST_CASE("White space is Unicode's: a no-break space is, a Mongolian vowel separator is not")
{
    CHECK(pieces("gpt2", "a\xC2\xA0!") == Texts{"a", "\xC2\xA0", "!"});
    CHECK(pieces("gpt2", "a\xC2\x85!") == Texts{"a", "\xC2\x85", "!"});
    CHECK(pieces("gpt2", "a\xE1\xA0\x8E!") == Texts{"a", "\xE1\xA0\x8E!"});
    CHECK(leading_space("\t\xE3\x80\x80x") == 4);
    CHECK(trailing_space("x \xC2\xA0") == 3);
    CHECK(trailing_space("x\xE1\xA0\x8E") == 0);
}

TEST_CASE("Invalid UTF-8 is a separate piece, and nothing is lost")
{
    CHECK(pieces("gpt2", "ab\xFF\xE4\xB8 c") == Texts{"ab", "\xFF", "\xE4", "\xB8", " c"});
    CHECK(pieces("qwen2", "\x65\xCC\x81\xFF\x65\xCC\x81") == Texts{"\xC3\xA9", "\xFF", "\xC3\xA9"});
}

TEST_CASE("An invalid regular expression is refused")
{
    CHECK_THROWS_WITH(Regex("(a", "file: place"), Catch::StartsWith("file: place: '(a': missing"));
    CHECK(split_by("x*", "axxb\xC3\xA9") == Texts{"a", "xx", "b\xC3\xA9"});
}

TEST_CASE("White space is replaced in a class that contains a POSIX class or a bracket")
{
    CHECK(split_by("[[:alpha:]\\s]+", "ab c1") == Texts{"ab c", "1"});
    CHECK(split_by("[^[:^alpha:]\\s]+", "ab c") == Texts{"ab", " ", "c"});
    CHECK(split_by("[]\\s]+", "a] b") == Texts{"a", "] ", "b"});
    CHECK(split_by("[^]\\s]+", "a] b") == Texts{"a", "] ", "b"});
    CHECK(split_by("[[:\\s]+", "a[: b") == Texts{"a", "[: ", "b"});
    CHECK(split_by("[a\\]\\s]+[b]", "a] b") == Texts{"a] b"});
}

TEST_CASE("Merges go by rank, and among equal ones the leftmost is first")
{
    const Tokenizer tokenizer =
        byte_level_tokenizer(bytes_and({{"b", "c"}, {"a", "b"}, {"a", "a"}, {" ", "a"}}), "test");
    CHECK(tokenizer.encode("abc", false) == Ids{'a', 256});
    CHECK(tokenizer.encode("aab", false) == Ids{'a', 257});
    CHECK(tokenizer.encode("aaa", false) == Ids{258, 'a'});
    CHECK(tokenizer.encode("c a", false) == Ids{'c', 259}); // " a" includes its blank.
    CHECK(tokenizer.decode(Ids{'c', 259, 256}) == "c abc");
    CHECK(tokenizer.kind() == LEVEE_TOKENIZER_RULES);
}

TEST_CASE("A piece that is a token stays one only if the rules say so")
{
    ByteLevelVocabulary vocabulary = bytes_and({{"b", "c"}});
    vocabulary.keys.push_back("abc"); // No merge produces this token.
    CHECK(byte_level_tokenizer(vocabulary, "test").encode("abc", false) == Ids{'a', 256});
    vocabulary.whole_pieces = true;
    CHECK(byte_level_tokenizer(vocabulary, "test").encode("abc", false) == Ids{257});
}

TEST_CASE("Random vocabularies encode like merging one by one, and every text is restored")
{
    std::mt19937 random(1);
    const auto draw = [&](std::size_t below) { return random() % below; };
    const std::string alphabet = "ab \xC3\xA9\xFF\n1";
    for (int round = 0; round < 40; ++round) {
        std::vector<std::pair<std::string, std::string>> merges;
        Texts known;
        for (const char c : alphabet)
            known.emplace_back(1, c);
        while (merges.size() < 25) {
            const auto pair = std::pair(known[draw(known.size())], known[draw(known.size())]);
            if (std::find(known.begin(), known.end(), pair.first + pair.second) != known.end())
                continue;
            merges.push_back(pair);
            known.push_back(pair.first + pair.second);
        }
        const Tokenizer tokenizer = byte_level_tokenizer(bytes_and(merges), "test");
        std::string text;
        for (std::size_t i = draw(60); i > 0; --i)
            text += alphabet[draw(alphabet.size())];
        Texts expected;
        for (const std::string& piece : pieces("gpt2", text)) {
            Texts units;
            for (const char c : piece)
                units.emplace_back(1, c);
            const Texts parts = merged_one_by_one(units, merges);
            expected.insert(expected.end(), parts.begin(), parts.end());
        }
        const Ids ids = tokenizer.encode(text, false);
        Texts found;
        for (const std::uint32_t id : ids)
            found.push_back(tokenizer.token(id).text);
        CHECK(found == expected);
        CHECK(tokenizer.decode(ids) == text);
    }
}

TEST_CASE("Any bytes are restored by decoding")
{
    const Tokenizer tokenizer = byte_level_tokenizer(bytes_and({{"a", "b"}}), "test");
    std::mt19937 random(2);
    for (int round = 0; round < 50; ++round) {
        std::string text;
        for (int i = 0; i < 100; ++i)
            text += static_cast<char>(random());
        CHECK(tokenizer.decode(tokenizer.encode(text, false)) == text);
    }
}

TEST_CASE("Added tokens are found before anything else, and the longest of those at one place")
{
    ByteLevelVocabulary vocabulary = bytes_and({{"a", "b"}});
    for (const char* key : {"<s>", "<s>>", "<mask>", "<tool>"})
        vocabulary.keys.emplace_back(key);
    vocabulary.added = {{257, "<s>", LEVEE_ADDED_SPECIAL},
                        {258, "<s>>", LEVEE_ADDED_SPECIAL},
                        {259, "<mask>", LEVEE_ADDED_SPECIAL | LEVEE_ADDED_LEFT},
                        {260, "<tool>", LEVEE_ADDED_RIGHT}};
    vocabulary.bos = 257;
    const Tokenizer tokenizer = byte_level_tokenizer(vocabulary, "test");
    CHECK(tokenizer.encode("ab<s>ab", true) == Ids{257, 256, 257, 256});
    CHECK(tokenizer.encode("a<s>>b", false) == Ids{'a', 258, 'b'});
    CHECK(tokenizer.encode("a  <mask> b", false) == Ids{'a', 259, ' ', 'b'});
    CHECK(tokenizer.encode("a <tool> b", false) == Ids{'a', ' ', 260, 'b'});
    // Blanks after BOS are kept.
    CHECK(tokenizer.decode(Ids{257, ' ', 'a', 258, 260}) == " a<tool>");
}

TEST_CASE("Finding many added tokens in a long text takes less than a minute of processor time")
{
    constexpr std::uint32_t many = 100'000;
    const auto right = test::in_child([] {
        const rlimit minute{60, 60};
        setrlimit(RLIMIT_CPU, &minute);
        ByteLevelVocabulary vocabulary = bytes_and({{"a", "b"}});
        for (std::uint32_t i = 0; i < many; ++i) {
            vocabulary.keys.push_back("<" + std::to_string(i) + ">");
            vocabulary.added.push_back({257 + i, vocabulary.keys.back(), LEVEE_ADDED_SPECIAL});
        }
        const Tokenizer tokenizer = byte_level_tokenizer(vocabulary, "test");
        std::string text;
        for (std::uint32_t i = 0; i < many; ++i)
            text += "ab <9" + std::to_string(i % 1000) + ">";
        const Ids ids = tokenizer.encode(text, false);
        return std::vector<std::uint8_t>{ids.size() == 3 * many && ids[2] == 257 + 90};
    });
    CHECK(right == std::vector<std::uint8_t>{1});
}

TEST_CASE("An added token that normalizing removes completely is refused")
{
    ByteLevelVocabulary vocabulary = bytes_and({{"a", "b"}});
    vocabulary.keys.emplace_back("\xC2\xAD"); // This is a soft hyphen.
    vocabulary.added = {{257, "\xC2\xAD", LEVEE_ADDED_NORMALIZED}};
    vocabulary.text.normalizers = {{LEVEE_STEP_REPLACE, "\xC2\xAD", ""}};
    CHECK_THROWS_WITH(byte_level_tokenizer(vocabulary, "file"),
                      "file: tokenizer.added[0]: token 257 is empty after normalization, expected "
                      "a text that keeps some characters");
    vocabulary.added[0].flags = 0; // This token is found before normalization.
    CHECK(byte_level_tokenizer(vocabulary, "file").encode("a\xC2\xAD", false) == Ids{'a', 257});
}

TEST_CASE("A byte without a token is an error that names it, or becomes the unknown token")
{
    ByteLevelVocabulary vocabulary;
    vocabulary.keys = {"a", "b", "<unk>"};
    vocabulary.text = byte_level_text("gpt2").value();
    CHECK_THROWS_WITH(byte_level_tokenizer(vocabulary, "test").encode("ab\n", false),
                      Catch::StartsWith("no token for 0x0A at byte 0 of a piece"));
    vocabulary.unknown = 2;
    CHECK(byte_level_tokenizer(vocabulary, "test").encode("a\nb", false) == Ids{0, 2, 1});
}

TEST_CASE("Merges whose result is no token are refused")
{
    ByteLevelVocabulary vocabulary = bytes_and({{"a", "b"}});
    const auto refusal = [&](const std::string& merge) {
        vocabulary.merges = {merge};
        return [&] { (void)byte_level_tokenizer(vocabulary, "file"); };
    };
    CHECK_THROWS_WITH(refusal("a bb")(),
                      "file: merges[0]: 'bb' is not a token, expected one of the "
                      "vocabulary");
    CHECK_THROWS_WITH(refusal("b a")(), Catch::Contains("'ba' is not a token"));
    CHECK_THROWS_WITH(refusal("ab")(), Catch::Contains("expected two tokens separated by a blank"));
    CHECK_THROWS_WITH(refusal("a b c")(), Catch::Contains("expected two tokens"));
}

TEST_CASE("A step of an unknown kind is refused by its place")
{
    TokenizerRules rules;
    rules.normalizers = {{LEVEE_STEP_NFC}};
    rules.splits = {{LEVEE_STEP_SPLIT, "a"}, {LEVEE_STEP_SPLIT, "b"}};
    auto bytes = serialize_rules(rules);
    CHECK(parse_rules(bytes, 1, "image").splits[1].kind == LEVEE_STEP_SPLIT);
    for (const std::uint8_t kind : {0, 15, 99}) {
        bytes[sizeof(levee_tokenizer_rules) + 2 * sizeof(levee_text_step)] = kind;
        CHECK_THROWS_WITH(parse_rules(bytes, 1, "image"),
                          "image: tokenizer.splits[1].kind: " + std::to_string(kind) +
                              ", expected 1 to 14");
    }
}

TEST_CASE("A tokenizer with rules is restored from its section of the image")
{
    ByteLevelVocabulary vocabulary = bytes_and({{"b", "c"}, {"a", "bc"}});
    vocabulary.keys.emplace_back("<s>");
    vocabulary.added = {{258, "<s>", LEVEE_ADDED_SPECIAL | LEVEE_ADDED_NORMALIZED}};
    vocabulary.text = byte_level_text("qwen2").value();
    vocabulary.eos = 258;
    const Tokenizer tokenizer = byte_level_tokenizer(vocabulary, "test");
    const auto section = tokenizer.serialize();
    const Tokenizer back = Tokenizer::parse(section, "image");
    CHECK(back.encode("abc<s>\x65\xCC\x81", false) == tokenizer.encode("abc<s>\xC3\xA9", false));
    CHECK(back.encode("abc<s>", false) == Ids{257, 258});
    CHECK(back.serialize() == section);
    for (std::size_t size = 0; size < section.size(); ++size)
        CHECK_THROWS_AS(Tokenizer::parse(std::span(section).first(size), "image"), ModelError);
    std::mt19937 random(3);
    for (int round = 0; round < 2000; ++round) { // The worst permitted result is an error.
        auto damaged = section;
        damaged[random() % damaged.size()] ^= static_cast<std::uint8_t>(1U << random() % 8);
        try {
            (void)Tokenizer::parse(damaged, "image").encode("abc<s> 12", false);
        } catch (const ModelError&) {
            continue;
        }
    }
}
