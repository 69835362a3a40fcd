// SPDX-License-Identifier: Apache-2.0
// Tests tokenizers imported from GGUF files.
#include "platform/input/import/gguf/tokenizer.hpp"
#include "platform/input/import/llama2c.hpp"
#include "platform/input/model/file.hpp"
#include "test/support/character_map.hpp"
#include "test/unit/gguf/checkpoint.hpp"
#include "test/unit/gguf/imported.hpp"
#include "test/unit/gguf/stories.hpp"

#include <catch2/catch.hpp>

using namespace levee;
using namespace levee::test;
using Catch::Contains;
using Ids = std::vector<std::uint32_t>;

namespace {

const std::filesystem::path shared_data = LEVEE_SHARED_DATA;

GgufWriter model(std::uint32_t vocab, const std::string& family = "llama")
{
    Checkpoint checkpoint;
    checkpoint.family = family;
    checkpoint.dim = 32;
    checkpoint.hidden = 32;
    checkpoint.layers = 1;
    checkpoint.heads = 2;
    checkpoint.kv_heads = 1;
    checkpoint.vocab = vocab;
    checkpoint.draw(3);
    return checkpoint.gguf();
}

const std::string blank = "\xE2\x96\x81";

/// Ids 0 to 2 are <unk>, <s> and </s>. Then come the bytes of "é" and of the line feed, and from id
/// 7 the pieces _, a, b, _a, ab, _ab.
GgufWriter with_pieces()
{
    GgufWriter writer = model(13);
    writer.text("tokenizer.ggml.model", "llama");
    writer.texts("tokenizer.ggml.tokens",
                 {"<unk>", "<s>", "</s>", "<0x0A>", "<0xC3>", "<0xA9>", "<go>", blank, "a", "b",
                  blank + "a", "ab", blank + "ab"});
    writer.array("tokenizer.ggml.scores", 6,
                 std::vector<float>{0, 0, 0, 0, 0, 0, 0, -6, -7, -8, -2, -1, -3});
    writer.array("tokenizer.ggml.token_type", 5,
                 std::vector<std::int32_t>{2, 3, 3, 6, 6, 6, 4, 1, 1, 1, 1, 1, 1});
    writer.u32("tokenizer.ggml.bos_token_id", 1);
    writer.u32("tokenizer.ggml.eos_token_id", 2);
    return writer;
}

using Texts = std::vector<std::string>;
const std::string no_chat = "the model's files have no chat template; 'workload.chat' chooses a "
                            "built-in one by the special tokens only. Compare it with the "
                            "model's documentation";

Texts notes_of(const GgufWriter& writer)
{
    const GgufOnDisk file(writer.bytes());
    return gguf_source(file.path(), {}).notes;
}

} // namespace

TEST_CASE("SentencePiece: the best score merges first, and bytes replace missing pieces")
{
    const ModelImage image = imported(with_pieces());
    const Tokenizer& tokens = image.tokenizer();
    CHECK(tokens.bos() == 1);
    CHECK(tokens.eos() == 2);
    // In "_ab ab", ab (-1) merges before _a (-2), then _ab.
    CHECK(tokens.encode("ab", true) == Ids{1, 12});
    CHECK(tokens.encode("aab", true) == Ids{1, 10, 11});
    CHECK(tokens.encode("a b", true) == Ids{1, 10, 7, 9});
    CHECK(tokens.encode("b\xC3\xA9\n", true) == Ids{1, 7, 9, 4, 5, 3});
    // Like llama.cpp, the tokenizer adds a blank before a text, and before text that follows a
    // special token.
    CHECK(tokens.encode("a<go>b", true) == Ids{1, 10, 6, 7, 9});
    CHECK(tokens.decode(Ids{1, 12, 10}) == "ab a");
}

TEST_CASE("Pieces without types: bytes are known by their text, the unknown piece by its key")
{
    GgufWriter writer = with_pieces();
    writer.drop("tokenizer.ggml.token_type");
    writer.u32("tokenizer.ggml.unknown_token_id", 0);
    const ModelImage image = imported(writer);
    CHECK(image.tokenizer().encode("b\xC3\xA9\n", true) == Ids{1, 7, 9, 4, 5, 3});
    CHECK(image.tokenizer().encode("x", true) == Ids{1, 7, 0});
}

TEST_CASE("The file's settings for BOS and for the blank before a text are followed")
{
    GgufWriter writer = with_pieces();
    writer.flag("tokenizer.ggml.add_bos_token", false);
    writer.flag("tokenizer.ggml.add_space_prefix", false);
    const ModelImage image = imported(writer);
    CHECK(image.tokenizer().bos() == LEVEE_NO_TOKEN);
    CHECK(image.tokenizer().encode("ab", false) == Ids{11});
    CHECK(notes_of(writer) == Texts{no_chat});
    writer.flag("tokenizer.ggml.add_eos_token", true);
    CHECK(notes_of(writer) ==
          Texts{"tokenizer.ggml.add_eos_token is ignored: texts get no end-of-text token, "
                "because runs continue them",
                no_chat});
    CHECK(imported(writer).tokenizer().encode("ab", false) == Ids{11});
}

TEST_CASE("Byte-level BPE: merges by rank, within the words that the family's rules split")
{
    // In keys, U+0120 (G below) represents a blank. The ids are l o w e r G lo low er Glow </s>
    // <|im|>.
    GgufWriter writer = model(12, "qwen2");
    const std::string g = "\xC4\xA0";
    writer.text("tokenizer.ggml.model", "gpt2");
    writer.text("tokenizer.ggml.pre", "qwen2");
    writer.texts("tokenizer.ggml.tokens",
                 {"l", "o", "w", "e", "r", g, "lo", "low", "er", g + "low", "</s>", "<|im|>"});
    writer.array("tokenizer.ggml.token_type", 5,
                 std::vector<std::int32_t>{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 4});
    writer.texts("tokenizer.ggml.merges", {"e r", "l o", "lo w", g + " low"});
    writer.u32("tokenizer.ggml.eos_token_id", 10);
    const ModelImage image = imported(writer);
    const Tokenizer& tokens = image.tokenizer();
    CHECK(tokens.bos() == LEVEE_NO_TOKEN);
    CHECK(tokens.eos() == 10);
    CHECK(tokens.encode("lower", false) == Ids{7, 8});
    CHECK(tokens.encode("low lower", false) == Ids{7, 9, 8});
    CHECK(tokens.encode("low<|im|>er", false) == Ids{7, 11, 8});
    CHECK(tokens.decode(Ids{9, 8}) == " lower");

    writer.drop("tokenizer.ggml.pre");
    CHECK(imported(writer).tokenizer().encode("low lower", false) == Ids{7, 9, 8});
    writer.text("tokenizer.ggml.pre", "poro-chat");
    CHECK_THAT(import_error(writer),
               Contains("key tokenizer.ggml.pre: 'poro-chat': not supported"));
    writer.text("tokenizer.ggml.pre", "qwen2");
    writer.texts("tokenizer.ggml.merges", {"e r", "l x"});
    CHECK_THAT(import_error(writer),
               Contains("m.gguf: key tokenizer.ggml.merges[1]: 'x' is not a token"));
    writer.drop("tokenizer.ggml.merges");
    CHECK_THAT(import_error(writer), Contains("key tokenizer.ggml.merges: absent"));
}

TEST_CASE("Llama 3: a word that is a token stays one, and texts begin with BOS")
{
    // No merge produces "abc".
    GgufWriter writer = model(6);
    writer.text("tokenizer.ggml.model", "gpt2");
    writer.texts("tokenizer.ggml.tokens", {"a", "b", "c", "ab", "abc", "<|begin|>"});
    writer.array("tokenizer.ggml.token_type", 5, std::vector<std::int32_t>{1, 1, 1, 1, 1, 3});
    writer.texts("tokenizer.ggml.merges", {"a b"});
    writer.u32("tokenizer.ggml.bos_token_id", 5);
    const auto ids = [&](const std::string& pre) {
        writer.text("tokenizer.ggml.pre", pre);
        const ModelImage image = imported(writer);
        return image.tokenizer().encode("abc", image.tokenizer().bos() != LEVEE_NO_TOKEN);
    };
    CHECK(ids("llama-bpe") == Ids{5, 4});
    CHECK(ids("qwen2") == Ids{3, 2});
    writer.flag("tokenizer.ggml.add_bos_token", true);
    CHECK(ids("qwen2") == Ids{5, 3, 2});

    writer.drop("tokenizer.ggml.bos_token_id"); // The file still asks for this token.
    CHECK(import_error(writer) == "m.gguf: key tokenizer.ggml.add_bos_token: true without a "
                                  "tokenizer.ggml.bos_token_id, expected one");
    writer.drop("tokenizer.ggml.add_bos_token"); // Only Llama 3's rules do this.
    CHECK(ids("qwen2") == Ids{3, 2});
    CHECK(notes_of(writer) == Texts{no_chat});
    CHECK(ids("llama-bpe") == Ids{4});
    CHECK(notes_of(writer) ==
          Texts{"tokenizer.ggml.bos_token_id is absent: no BOS is put before a text", no_chat});
}

TEST_CASE("llama.cpp's default rules: punctuation apart, then GPT-2's, then digits by three")
{
    GgufWriter writer = model(9);
    writer.text("tokenizer.ggml.model", "gpt2");
    writer.text("tokenizer.ggml.pre", "default");
    writer.texts("tokenizer.ggml.tokens", {"1", "2", "3", "4", "12", "123", "1234", ".", ".1"});
    writer.texts("tokenizer.ggml.merges", {"1 2", "12 3", "123 4", ". 1"});
    CHECK(imported(writer).tokenizer().encode("1234.1", false) == Ids{5, 3, 7, 0});
    writer.text("tokenizer.ggml.pre", "gpt-2"); // Numbers stay whole, marks are separate.
    CHECK(imported(writer).tokenizer().encode("1234.1", false) == Ids{6, 7, 0});
    const auto ids = [&](const char* pre) {
        writer.text("tokenizer.ggml.pre", pre);
        return imported(writer).tokenizer().encode("1234.1", false);
    };
    for (const char* const digits : {"smollm", "starcoder", "refact", "command-r", "qwen2",
                                     "stablelm2"}) // Qwen2 has the same rules.
        CHECK(ids(digits) == Ids{0, 1, 2, 3, 7, 0});
    for (const char* const threes : {"dbrx", "smaug-bpe", "glm4", "chatglm-bpe"})
        CHECK(ids(threes) == Ids{5, 3, 7, 0});
    CHECK(ids("olmo") == Ids{6, 7, 0});
}

TEST_CASE("DeepSeek's rules separate line ends, words, marks and numbers in turn")
{
    // Merges across a word border apply only where the rules keep both sides in one piece.
    GgufWriter writer = model(14);
    writer.text("tokenizer.ggml.model", "gpt2");
    writer.texts("tokenizer.ggml.tokens", {"1", "2", "3", "4", "12", "123", "1234", ".", "a", ".a",
                                           "\u0120", "\u0120a", "\u0120.", "\u010a"});
    writer.texts("tokenizer.ggml.merges", {"1 2", "12 3", "123 4", ". a", "\u0120 a", "\u0120 ."});
    const auto ids = [&](const char* pre, const char* text) {
        writer.text("tokenizer.ggml.pre", pre);
        return imported(writer).tokenizer().encode(text, false);
    };
    CHECK(ids("deepseek-llm", "1234") == Ids{6});
    CHECK(ids("deepseek-coder", "1234") == Ids{0, 1, 2, 3});
    CHECK(ids("deepseek-v3", "1234") == Ids{5, 3});
    for (const char* const pre : {"deepseek-llm", "deepseek-coder"}) {
        CHECK(ids(pre, ".a a") == Ids{7, 8, 11});
        CHECK(ids(pre, " .a\n") == Ids{12, 8, 13});
    }
    CHECK(ids("deepseek-v3", ".a a") == Ids{9, 11});
    CHECK(ids("deepseek-v3", " .a\n") == Ids{12, 8, 13});
}

TEST_CASE("gpt-4o's and tekken's rules split words before capitals, and numbers after three digits "
          "or one")
{
    GgufWriter writer = model(12);
    writer.text("tokenizer.ggml.model", "gpt2");
    writer.texts("tokenizer.ggml.tokens",
                 {"a", "B", "c", "'", "s", "Bc", "'s", "aBc", "Bc's", "1", "2", "12"});
    writer.texts("tokenizer.ggml.merges", {"B c", "' s", "a Bc", "Bc 's", "1 2"});
    const auto ids = [&](const std::string& pre) {
        writer.text("tokenizer.ggml.pre", pre);
        return imported(writer).tokenizer().encode("aBc's12", false);
    };
    for (const char* const pre : {"gpt-4o", "llama4"}) // The contraction belongs to its word.
        CHECK(ids(pre) == Ids{0, 8, 11});
    CHECK(ids("tekken") == Ids{0, 5, 6, 9, 10});
    for (const char* const pre : {"falcon3", "pixtral", "llama-bpe", "exaone4"})
        CHECK(ids(pre) == Ids{7, 6, 11});
    for (const char* const pre : {"exaone", "megrez"})
        CHECK(ids(pre) == Ids{7, 6, 9, 10});
}

TEST_CASE("A byte-level tokenizer without rules gets those of its architecture, if it has some")
{
    GgufWriter writer = model(2);
    writer.text("tokenizer.ggml.model", "gpt2");
    writer.texts("tokenizer.ggml.tokens", {"a", "b"});
    writer.texts("tokenizer.ggml.merges", {});
    CHECK(import_error(writer) == "no error");
    writer.text("tokenizer.ggml.pre", "gpt-5");
    CHECK_THAT(import_error(writer), Contains("key tokenizer.ggml.pre: 'gpt-5': not supported"));
}

TEST_CASE("Phi-3's special tokens absorb the white space after them")
{
    const GgufOnDisk disk(with_pieces().bytes());
    const gguf::File file(disk.path());
    std::vector<std::string> notes;
    const auto encode = [&](const char* architecture) {
        return gguf::read_tokenizer(file, architecture, 13, notes).encode("<go>\n a", false);
    };
    CHECK(encode("phi3") == Ids{6, 10});
    CHECK(encode("llama") == Ids{6, 7, 3, 10});
}

TEST_CASE("Pieces of a unigram model are segmented")
{
    GgufWriter writer = with_pieces();
    const ModelImage merged = imported(writer);
    writer.text("tokenizer.ggml.model", "t5");
    writer.flag("tokenizer.ggml.add_bos_token", true);
    const ModelImage segmented = imported(writer);
    CHECK(segmented.tokenizer().bos() == merged.tokenizer().bos());
    const auto encode = [&](const std::string& text) {
        return imported(writer).tokenizer().encode(text, false);
    };
    const Ids once = encode("a a");
    writer.flag("tokenizer.ggml.remove_extra_whitespaces", true);
    CHECK(encode("  a   a ") == once);
    const std::string map = test::character_map({{"x", "a"}});
    writer.array("tokenizer.ggml.precompiled_charsmap", 0,
                 std::vector<std::uint8_t>(map.begin(), map.end()));
    CHECK(encode("x x") == once);
    writer.array("tokenizer.ggml.precompiled_charsmap", 1, // The bytes are signed.
                 std::vector<std::int8_t>(map.begin(), map.end()));
    CHECK(encode("x a") == once);
    writer.array("tokenizer.ggml.precompiled_charsmap", 0, std::vector<std::uint8_t>{1});
    CHECK_THAT(import_error(writer),
               Contains("key tokenizer.ggml.precompiled_charsmap: a map of characters of 1 bytes"));
    writer.text("tokenizer.ggml.model", "llama"); // llama.cpp merges these without preparation.
    CHECK(import_error(writer) == "no error");
}

TEST_CASE("Tokenizers that do not fit are refused by key")
{
    const auto with = [](auto change) {
        GgufWriter writer = with_pieces();
        change(writer);
        return import_error(writer);
    };
    using W = GgufWriter;
    CHECK(with([](W& w) { w.text("tokenizer.ggml.model", "bert"); }) ==
          "m.gguf: key tokenizer.ggml.model: 'bert': not supported, expected llama, gpt2 or t5 "
          "(to use token ids only: --ids-only)");
    CHECK_THAT(with([](W& w) { w.texts("tokenizer.ggml.tokens", {"a"}); }),
               Contains("key tokenizer.ggml.tokens: 1 elements, expected the 13 rows"));
    CHECK_THAT(with([](W& w) { w.drop("tokenizer.ggml.scores"); }),
               Contains("key tokenizer.ggml.scores: absent"));
    CHECK_THAT(with([](W& w) { w.array("tokenizer.ggml.scores", 6, std::vector<float>(13, NAN)); }),
               Contains("not finite for token 0"));
    CHECK_THAT(with([](W& w) {
                   w.array("tokenizer.ggml.token_type", 5, std::vector<std::int32_t>(13, 9));
               }),
               Contains("key tokenizer.ggml.token_type: 9 for token 0, expected 1 to 6"));
    CHECK_THAT(with([](W& w) { w.u32("tokenizer.ggml.bos_token_id", 13); }),
               Contains("key tokenizer.ggml.bos_token_id: 13, expected a token below 13"));
    CHECK_THAT(with([](W& w) { w.u32("tokenizer.ggml.model", 1); }),
               Contains("type uint32, expected a string"));
    CHECK_THAT(with([](W& w) { w.key("tokenizer.ggml.add_bos_token", 7, "\2"); }),
               Contains("a bool of 2, expected 0 or 1"));
}

TEST_CASE("Without a tokenizer, or if none is wanted, an image takes token ids")
{
    CHECK(imported(model(13)).tokenizer().kind() == LEVEE_TOKENIZER_NONE);
    GgufWriter writer = with_pieces();
    writer.text("tokenizer.ggml.model", "bert");
    CHECK(imported(writer, LEVEE_TYPE_INT8, {.ids_only = true}).tokenizer().kind() ==
          LEVEE_TOKENIZER_NONE);
}

TEST_CASE("An image of token ids has the tokens that end a text")
{
    const auto ends = [](auto change) {
        GgufWriter writer = with_pieces();
        change(writer);
        const ModelImage image = imported(writer, LEVEE_TYPE_INT8, {.ids_only = true});
        std::vector<std::uint32_t> all{image.tokenizer().eos()};
        all.insert(all.end(), image.stops().begin(), image.stops().end());
        return all;
    };
    using W = GgufWriter;
    CHECK(ends([](W& w) {
              w.u32("tokenizer.ggml.eos_token_id", 5);
              w.u32("tokenizer.ggml.eot_token_id", 7);
          }) == Ids{5, 7});
    // This is SentencePiece's default.
    CHECK(ends([](W& w) { w.drop("tokenizer.ggml.eos_token_id"); }) == Ids{2});
    CHECK(ends([](W& w) {
              w.drop("tokenizer.ggml.eos_token_id");
              w.text("tokenizer.ggml.model", "bert");
          }) == Ids{LEVEE_NO_TOKEN});
    GgufWriter writer = model(13);
    writer.u32("tokenizer.ggml.eos_token_id", 3); // The file has no tokenizer.
    CHECK(imported(writer).tokenizer().eos() == 3);
}

TEST_CASE("stories260K as GGUF equals the llama2.c import: weights to the bit, and tokens of texts")
{
    if (!std::filesystem::exists(shared_data / "stories260K.bin")) {
        WARN("skipped: no " << (shared_data / "stories260K.bin").string());
        return;
    }
    const auto expected = ModelImage::parse(
        import_llama2c(shared_data / "stories260K.bin", shared_data / "tok512.bin", {}), "l");
    const ModelImage found = imported(stories_gguf(shared_data, f32), LEVEE_TYPE_INT8);
    for (const TensorGroup& group : required_tensors(expected.shape()))
        for (const TensorSpec& spec : group) {
            const TensorView a = expected.tensor(spec.kind, spec.layer);
            const TensorView b = found.tensor(spec.kind, spec.layer);
            INFO(tensor_place(spec.kind, spec.layer));
            CHECK(std::equal(a.data.begin(), a.data.end(), b.data.begin(), b.data.end()));
            CHECK(std::equal(a.scales.begin(), a.scales.end(), b.scales.begin(), b.scales.end()));
        }
    const auto sample = read_file(shared_data / "tinystories_sample.txt");
    const std::string text(sample.begin(), sample.begin() + 20000);
    CHECK(found.tokenizer().encode(text, true) == expected.tokenizer().encode(text, true));
    const auto ids = found.tokenizer().encode(text, true);
    CHECK(found.tokenizer().decode(ids) == text);
}

TEST_CASE(
    "The file's own chat template is compared, stored in the image, and reported if it differs")
{
    GgufWriter writer = model(15);
    writer.text("tokenizer.ggml.model", "llama");
    writer.texts("tokenizer.ggml.tokens",
                 {"<unk>", "<s>", "</s>", "<0x0A>", "<0xC3>", "<0xA9>", "<go>", blank, "a", "b",
                  blank + "a", "ab", blank + "ab", "<|im_start|>", "<|im_end|>"});
    writer.array("tokenizer.ggml.scores", 6, std::vector<float>(15, -1));
    writer.array("tokenizer.ggml.token_type", 5,
                 std::vector<std::int32_t>{2, 3, 3, 6, 6, 6, 4, 1, 1, 1, 1, 1, 1, 3, 3});
    writer.u32("tokenizer.ggml.bos_token_id", 1);
    const auto with = [&](const std::string& end) {
        GgufWriter made = writer;
        made.text("tokenizer.chat_template",
                  "{{ bos_token }}{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + "
                  "m.content + '<|im_end|>\n' }}{% endfor %}{{ '<|im_start|>assistant" +
                      end + "' }}");
        return made;
    };
    CHECK(imported(writer).chat() == 0);
    CHECK(imported(with("\n")).chat() == 1);
    CHECK_THAT(notes_of(with("\n")).at(0), Contains("chat template: 'chatml' of workload.chat"));
    CHECK(imported(with(": ")).chat() == LEVEE_CHAT_OTHER);
    const std::vector<std::string> notes = notes_of(with(": "));
    REQUIRE(notes.size() == 1);
    CHECK_THAT(notes[0], Contains("key tokenizer.chat_template: matches no built-in template"));
    // Special tokens with an id are variables; a file does not list the others.
    const auto note_with = [&](const std::string& first) {
        GgufWriter made = with("\n");
        made.u32("tokenizer.ggml.padding_token_id", 6);
        made.u32("tokenizer.ggml.seperator_token_id", 14);
        made.text("tokenizer.chat_template", first + "{{ messages[0].content }}");
        return notes_of(made).at(0);
    };
    CHECK_THAT(note_with("{{ pad_token + sep_token }}"), Contains("it writes \"<go><|im_end|>Q?"));
    CHECK_THAT(note_with("{{ additional_special_tokens }}"), Contains("cannot be evaluated"));
    // A template longer than other texts of a file is read, one beyond all bounds is noted.
    const std::string comment = "{# " + std::string(70'000, '-') + " #}";
    GgufWriter longer = with("\n");
    longer.text("tokenizer.chat_template",
                comment + "{{ bos_token }}{% for m in messages %}{{ '<|im_start|>' + m.role + "
                          "'\n' + m.content + '<|im_end|>\n' }}{% endfor %}{{ "
                          "'<|im_start|>assistant\n' }}");
    CHECK(imported(longer).chat() == 1);
    longer.text("tokenizer.chat_template", std::string((1U << 20U) + 1, '-'));
    CHECK(imported(longer).chat() == 0);
    CHECK_THAT(notes_of(longer).at(0),
               Contains("key tokenizer.chat_template: 1048577 bytes, more than the 1048576"));
}
