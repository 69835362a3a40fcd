// SPDX-License-Identifier: Apache-2.0
// Tests regular expressions of a tokenizer.json. They are written for Oniguruma and matched by
// PCRE2. Expected results are those of Oniguruma 6.9.8.
#include "platform/input/import/huggingface/text_pipeline.hpp"
#include "platform/input/model/added_tokens.hpp"
#include "platform/input/model/text_steps.hpp"

#include <catch2/catch.hpp>

using namespace levee;

namespace {

hf::TextPipeline pipeline_with(const std::string& regex)
{
    const hf::Json json{{"pre_tokenizer",
                         {{"type", "Split"},
                          {"pattern", {{"Regex", regex}}},
                          {"behavior", "Isolated"},
                          {"invert", false}}}};
    return hf::read_pipeline(hf::JsonView(json, "tokenizer.json"));
}

using SplitParts = std::vector<std::string>;

SplitParts split_by(const std::string& regex, const std::string& text)
{
    TokenizerRules rules;
    rules.splits = pipeline_with(regex).text.splits;
    TextWork work(text.size());
    return TextSteps(rules, "test").split(text, true, work);
}

} // namespace

TEST_CASE("A script's name matches only the script's own characters")
{
    // U+3001 belongs to several scripts, Han among them.
    CHECK(split_by(R"(\p{Han}+)", "好好、人a") == SplitParts{"好好", "、", "人", "a"});
    CHECK(split_by(R"([\p{hani}a]+)", "好、人a") == SplitParts{"好", "、", "人a"});
    CHECK(split_by(R"(\p{^Han}+)", "好、a人") == SplitParts{"好", "、a", "人"});
    CHECK(split_by(R"(\P{Han}+)", "好、a人") == SplitParts{"好", "、a", "人"});
    CHECK(split_by(R"(\P{^Han}+)", "好好、人") == SplitParts{"好好", "、", "人"});
    CHECK(split_by(R"(\p{Lu}+)", "ABc") == SplitParts{"AB", "c"});
}

TEST_CASE("^ and $ match at the ends of every line")
{
    CHECK(split_by("^b", "a\nbb") == SplitParts{"a\n", "b", "b"});
    CHECK(split_by("a$", "aa\nb") == SplitParts{"a", "a", "\nb"});
    CHECK(split_by("[a^$]+", "b^$a") == SplitParts{"b", "^$a"});
    CHECK(split_by(R"(\^\$)", "b^$a") == SplitParts{"b", "^$", "a"});
}

TEST_CASE("Patterns with the same meaning in both libraries are not changed")
{
    for (
        const std::string pattern :
        {R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
         R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
         R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
         R"((?<=m)(?:m|[\b])(?!m))"})
        CHECK(pipeline_with(pattern).text.splits.at(0).text == pattern);
}

TEST_CASE("A pattern with another meaning in PCRE2 is refused")
{
    const auto refuses = [](const std::string& regex, const std::string& what) {
        INFO(regex);
        CHECK_THROWS_WITH(pipeline_with(regex),
                          Catch::Contains("expected a regular expression without " + what +
                                          ", whose meaning differs"));
    };
    refuses(R"(\bword)", R"(\b)");
    refuses(R"(word\B)", R"(\B)");
    refuses(R"(\v+)", R"(\v)");   // Oniguruma takes this for U+000B alone.
    refuses(R"(\pL+)", R"(\pL)"); // Oniguruma takes this for the letters pL.
    refuses(R"([^\PL])", R"(\PL)");
    refuses("(?m)a.b", "(?m"); // With this option, Oniguruma's dot matches a line feed.
    refuses("a(?i-m:.)", "(?i-m");
}

TEST_CASE("An empty match splits nothing, at any place")
{
    for (const char* const regex : {"(?!^)", "", "x*", "(?=b)", "(?<=a)"})
        CHECK(split_by(regex, "aéb") == SplitParts{"aéb"});
    CHECK(split_by("b|(?!^)", "ébé") == SplitParts{"é", "b", "é"});
}

TEST_CASE("A pattern that splits characters is refused")
{
    CHECK_THROWS_WITH(split_by(R"(^\C|(?!^))", "é"),
                      Catch::Contains("test: tokenizer.splits[0]: ") && Catch::Contains("\\C"));
}

TEST_CASE("Steps that would make a text grow without end are refused at the step")
{
    const TextStep doubles{LEVEE_STEP_REPLACE, "a", "aa"};
    TokenizerRules rules;
    rules.normalizers.assign(36, doubles);
    rules.splits.assign(36, doubles);
    const TextSteps steps(rules, "test");
    TextWork work(1);
    CHECK_THROWS_WITH(steps.normalize("a", work),
                      Catch::StartsWith("test: tokenizer.normalizers[2"));
    TextWork other(1);
    CHECK_THROWS_WITH(steps.split("a", true, other), Catch::StartsWith("test: tokenizer.splits[2"));
    rules.normalizers.assign(1, {LEVEE_STEP_REPLACE, "a", std::string(1 << 20, 'b')});
    TextWork third(1000);
    CHECK_THROWS_WITH(TextSteps(rules, "test").normalize(std::string(1000, 'a'), third),
                      Catch::Contains("1048576000 bytes in this step"));
}

TEST_CASE("The search paths of a regular expression are counted over the whole text")
{
    const std::string words = [] {
        std::string text;
        for (int i = 0; i < 400; ++i)
            text += std::string(20, 'a') + " ";
        return text;
    }();
    TokenizerRules rules;
    rules.splits.push_back({LEVEE_STEP_SPLIT, R"((?:a|a)*\d)", ""});
    TextWork work(1);
    CHECK_THROWS_WITH(TextSteps(rules, "test").split(words, true, work),
                      "test: tokenizer.splits[0]: the regular expression takes too many steps over "
                      "the text; expected one with less backtracking");
    rules.splits.clear();
    rules.normalizers.push_back({LEVEE_STEP_REPLACE_MATCHES, R"((?:a|a)*\d)", "x"});
    TextWork other(1);
    CHECK_THROWS_WITH(TextSteps(rules, "test").normalize(words, other),
                      Catch::StartsWith("test: tokenizer.normalizers[0]: the regular expression"));
    // Each search tries few paths, but each path goes to the end of the text.
    TextWork third(100'000);
    CHECK_THROWS_WITH(Regex("a*[bc]", "test").split(std::string(100'000, 'a'), third),
                      Catch::Contains("takes too many steps"));
    TextWork fourth(100'000);
    CHECK(Regex("a*b?", "test").split(std::string(100'000, 'a'), fourth).size() == 1);
}

TEST_CASE("Replacing a text takes time in proportion to the text")
{
    TokenizerRules rules;
    rules.normalizers.push_back(
        {LEVEE_STEP_REPLACE, std::string(500'000, 'a') + "b" + std::string(500'000, 'a'), "x"});
    const std::string text(4'000'000, 'a');
    TextWork work(text.size());
    CHECK(TextSteps(rules, "test").normalize(text, work) == text);
}

TEST_CASE("Finding added tokens takes a bounded number of bytes")
{
    AddedTokens added("test");
    for (std::uint32_t i = 1; i <= 4000; ++i)
        added.add({i, std::string(i, 'q') + "z", 0});
    const auto any = [](const AddedToken&) { return true; };
    TextWork few(10);
    CHECK(added.longest("qqqz", few, any)->id == 3);
    CHECK(added.longest("qqqq", few, any) == std::nullopt);
    CHECK(added.longest("qqqzz", few, [](const AddedToken& token) { return token.id != 3; }) ==
          std::nullopt);
    CHECK(added.find("qz")->id == 1);
    CHECK(added.find("q") == std::nullopt);
    const std::string text(100'000, 'q');
    TextWork work(text.size());
    const auto all = [&] {
        for (std::size_t at = 0; at < text.size(); ++at)
            (void)added.longest(std::string_view(text).substr(at), work, any);
    };
    CHECK_THROWS_WITH(all(), Catch::StartsWith("test: tokenizer.added: the search for tokens "
                                               "would take too many steps"));
}

TEST_CASE("The work of many steps over a text has a common limit")
{
    TokenizerRules rules;
    rules.normalizers.assign(100'000, {LEVEE_STEP_REPLACE, "x", "y"});
    const TextSteps steps(rules, "test");
    const std::string text(1'000'000, 'a');
    TextWork work(text.size());
    CHECK_THROWS_WITH(steps.normalize(text, work),
                      Catch::StartsWith("test: tokenizer.normalizers[80]"));
}
