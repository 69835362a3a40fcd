// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/file.hpp"
#include "platform/input/model/tokenizer.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace levee;

namespace {

const std::filesystem::path shared_data = LEVEE_SHARED_DATA;

bool shared_data_missing()
{
    if (std::filesystem::exists(shared_data / "tok512.bin")) {
        return false;
    }
    WARN("skipped: no " << (shared_data / "tok512.bin").string());
    return true;
}

Tokenizer tok512()
{
    return Tokenizer::read_llama2c(shared_data / "tok512.bin", 512, LEVEE_TOKENIZER_BPE);
}

std::string text_of(const std::filesystem::path& path)
{
    const auto bytes = read_file(path);
    return {bytes.begin(), bytes.end()};
}

std::vector<std::uint32_t> ids_of(const std::filesystem::path& path)
{
    std::istringstream text(text_of(path));
    std::vector<std::uint32_t> ids;
    for (std::uint32_t id = 0; text >> id;) {
        ids.push_back(id);
    }
    return ids;
}

Tokenizer words()
{
    return {LEVEE_TOKENIZER_WORD,
            1,
            2,
            {{0.0F, "<unk>"},
             {0.0F, "\n<s>\n"},
             {0.0F, "\n</s>\n"},
             {0.0F, "."},
             {0.0F, " cup"},
             {0.0F, " The"},
             {0.0F, "tea"}},
            "words"};
}

// Returns a BPE vocabulary without byte tokens.
Tokenizer pairs(std::vector<Token> tokens)
{
    return {LEVEE_TOKENIZER_BPE, LEVEE_NO_TOKEN, LEVEE_NO_TOKEN, std::move(tokens), "pairs"};
}

// Merges as llama2.c does, one pair at a time: the best of all pairs, and the leftmost among
// equals.
std::vector<std::uint32_t> merge_one_by_one(const Tokenizer& tokenizer,
                                            std::vector<std::uint32_t> ids)
{
    for (;;) {
        float best_score = -1e10F;
        std::uint32_t best_id = 0;
        size_t best = ids.size();
        for (size_t i = 0; i + 1 < ids.size(); ++i) {
            const std::string both =
                tokenizer.token(ids[i]).text + tokenizer.token(ids[i + 1]).text;
            for (std::uint32_t id = 259; id < tokenizer.vocab(); ++id) {
                if (tokenizer.token(id).text == both && tokenizer.token(id).score > best_score) {
                    best_score = tokenizer.token(id).score;
                    best_id = id;
                    best = i;
                }
            }
        }
        if (best == ids.size()) {
            return ids;
        }
        ids[best] = best_id;
        ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
}

} // namespace

TEST_CASE("The goldens' prompts encode to the tokens with which llama2.c began")
{
    if (shared_data_missing()) {
        return;
    }
    const Tokenizer tokenizer = tok512();
    for (const std::string name : {"stories260K_p0", "stories260K_p1"}) {
        std::string prompt = text_of(shared_data / "goldens" / (name + ".prompt"));
        prompt.erase(prompt.find_last_not_of('\n') + 1);
        const auto golden = ids_of(shared_data / "goldens" / (name + ".tokens"));
        const auto ids = tokenizer.encode(prompt, true);
        REQUIRE(ids.size() <= golden.size());
        CHECK(ids == std::vector<std::uint32_t>(
                         golden.begin(), golden.begin() + static_cast<std::ptrdiff_t>(ids.size())));
        CHECK((prompt.empty() || ids.size() > 1));
    }
}

TEST_CASE("The goldens' tokens decode to the text that llama2.c printed")
{
    if (shared_data_missing()) {
        return;
    }
    const Tokenizer tokenizer = tok512();
    for (const std::string name : {"stories260K_p0", "stories260K_p1"}) {
        const auto golden = ids_of(shared_data / "goldens" / (name + ".tokens"));
        REQUIRE(golden.size() == 257); // The golden has BOS and 256 more tokens.
        std::string text = text_of(shared_data / "goldens" / (name + ".txt"));
        const std::string decoded = tokenizer.decode(golden);
        // The output of run.c ends with a newline.
        text.resize(std::min(text.size(), decoded.size()));
        CHECK(decoded == text);
    }
}

TEST_CASE("Merging with a queue gives the same tokens as merging one by one")
{
    if (shared_data_missing()) {
        return;
    }
    const Tokenizer tokenizer = tok512();
    const std::string sample = text_of(shared_data / "tinystories_sample.txt").substr(0, 1500);
    std::vector<std::uint32_t> characters;
    for (const char c : " " + sample) {
        std::uint32_t id = 259; // These ids follow the byte tokens.
        while (id < tokenizer.vocab() && tokenizer.token(id).text != std::string(1, c)) {
            ++id;
        }
        id = id < tokenizer.vocab() ? id : static_cast<std::uint8_t>(c) + 3U;
        characters.push_back(id);
    }
    const auto ids = tokenizer.encode(sample, false);
    CHECK(ids == merge_one_by_one(tokenizer, characters));
    CHECK(tokenizer.decode(ids) == " " + sample);
}

TEST_CASE("Characters without a token become byte tokens")
{
    if (shared_data_missing()) {
        return;
    }
    const Tokenizer tokenizer = tok512();
    // The text is a Chinese character and a control byte.
    const std::string text = "\xE4\xB8\xAD\x01";
    const auto ids = tokenizer.encode(text, false);
    const std::vector<std::uint32_t> bytes{0xE4 + 3, 0xB8 + 3, 0xAD + 3, 0x01 + 3};
    REQUIRE(ids.size() == 5);
    CHECK(std::vector<std::uint32_t>(ids.begin() + 1, ids.end()) == bytes);
    CHECK(tokenizer.decode(ids) == " " + text);
    CHECK(tokenizer.encode("", true) == std::vector<std::uint32_t>{1});
}

TEST_CASE("The best score merges first, and among equal scores the leftmost")
{
    const Tokenizer tokenizer = pairs({{0.0F, " "},
                                       {0.0F, "a"},
                                       {0.0F, "b"},
                                       {1.0F, "ab"},
                                       {2.0F, "ba"},
                                       {0.5F, " a"},
                                       {3.0F, "aa"}});
    // These are the pieces " a" and "ba".
    CHECK(tokenizer.encode("aba", false) == std::vector<std::uint32_t>{5, 4});
    CHECK(tokenizer.encode("aaa", false) == std::vector<std::uint32_t>{0, 6, 1});
    CHECK_THROWS_WITH(tokenizer.encode("abx", false),
                      Catch::Contains("no token for the character 'x' at byte 2"));
    CHECK_THROWS_WITH(tokenizer.encode("a", true), Catch::Contains("no BOS"));
}

TEST_CASE("Words: white space, punctuation, unknown words")
{
    const Tokenizer tokenizer = words();
    CHECK(tokenizer.encode("The  cup\n. The tea.", true) ==
          std::vector<std::uint32_t>{1, 5, 4, 3, 5, 6, 3});
    CHECK_THROWS_WITH(tokenizer.encode("The saucer.", false),
                      Catch::StartsWith("no token for the word 'saucer'"));
    CHECK_THROWS_WITH(tokenizer.encode("The cup!", false),
                      Catch::StartsWith("no token for the word 'cup!'"));
    CHECK(tokenizer.decode(std::vector<std::uint32_t>{1, 5, 4, 3, 5, 2}) == "The cup. The");
    CHECK(tokenizer.piece(1, 5) == "The");
    CHECK(tokenizer.piece(3, 5) == " The");
    CHECK_THROWS_WITH(tokenizer.piece(1, 7), "token 7, expected a token below 7");
}

TEST_CASE("A tokenizer is restored from its section of the image")
{
    const auto section = words().serialize();
    const Tokenizer back = Tokenizer::parse(section, "image");
    CHECK(back.kind() == LEVEE_TOKENIZER_WORD);
    CHECK(back.bos() == 1);
    CHECK(back.eos() == 2);
    CHECK(back.encode("The cup.", true) == std::vector<std::uint32_t>{1, 5, 4, 3});
    CHECK(back.serialize() == section);
    auto unknown = section;
    unknown[0] = 4;
    CHECK_THROWS_WITH(
        Tokenizer::parse(unknown, "image"),
        "image: tokenizer.kind: 4, expected 0 (none), 1 (BPE), 2 (words) or 3 (rules)");
    for (size_t size = 0; size < section.size(); ++size) {
        CHECK_THROWS_AS(Tokenizer::parse(std::span(section).first(size), "image"), ModelError);
    }
}

TEST_CASE("Errors in a tokenizer file name the token")
{
    const auto path = std::filesystem::temp_directory_path() / "levee_tokenizer_test.bin";
    std::vector<std::uint8_t> bytes;
    append_object(bytes, std::int32_t{3});
    for (const char letter : {'a', 'b'}) {
        append_object(bytes, 0.0F);
        append_object(bytes, std::int32_t{1});
        bytes.push_back(static_cast<std::uint8_t>(letter));
    }
    const auto read = [&](std::uint32_t vocab) {
        write_file(path, bytes);
        return Tokenizer::read_llama2c(path, vocab, LEVEE_TOKENIZER_WORD);
    };
    CHECK_THROWS_WITH(read(3), Catch::Contains("expected 4 bytes of the score of token 2 of 3"));
    CHECK_THROWS_WITH(read(1), Catch::Contains("9 bytes after token 0"));
    CHECK_THROWS_WITH(read(2), Catch::Contains("tokenizer.eos: 2, expected a token below 2"));
    bytes[8] = 0xFF;
    bytes[11] = 0xFF;
    CHECK_THROWS_WITH(read(2), Catch::Contains("size of token 0 of 2"));
    std::filesystem::remove(path);
    CHECK_THROWS_WITH(Tokenizer::read_llama2c(path, 2, LEVEE_TOKENIZER_WORD),
                      Catch::Contains("levee_tokenizer_test.bin: cannot be read"));
}
