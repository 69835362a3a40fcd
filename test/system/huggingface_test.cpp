// SPDX-License-Identifier: Apache-2.0
// Tests folders as written by transformers, from the command line to the tokens of a run.
#include "test/system/program.hpp"
#include "test/unit/huggingface/checkpoint.hpp"

#include <bit>
#include <cstring>

using levee::test::Outcome;
using levee::test::RawModel;
using levee::test::RawTensor;
using levee::test::Workplace;

namespace {

namespace fs = std::filesystem;
using Tokens = std::vector<std::uint32_t>;

const fs::path shared_data = LEVEE_SHARED_DATA;

std::string bytes_of_file(const fs::path& path)
{
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Runs an image greedily on the demo's system, without the demo's sampling.
nlohmann::json run(const Workplace& place, const std::string& image, const std::string& workload)
{
    const Outcome outcome = place.levee(
        {"run", "demo", "--quiet", "--out", "out", "--set", "model.image=" + image, "--set",
         "workload={app: generate, " + workload + "}", "--set", "observe.logits=logits.f32"});
    REQUIRE(outcome.code == 0);
    return place.results("out");
}

std::string list(const Tokens& tokens)
{
    std::string text;
    for (const std::uint32_t token : tokens)
        text += (text.empty() ? "" : ", ") + std::to_string(token);
    return "[[" + text + "]]";
}

/// Reads stories260K.bin (llama2.c, version 0) piece by piece.
class Llama2cFile {
public:
    explicit Llama2cFile(const fs::path& path) : bytes_(bytes_of_file(path)) {}

    std::vector<float> take(std::uint64_t count)
    {
        std::vector<float> values(count);
        REQUIRE(at_ + 4 * count <= bytes_.size());
        std::memcpy(values.data(), bytes_.data() + at_, 4 * count);
        at_ += 4 * count;
        return values;
    }

private:
    std::string bytes_;
    std::size_t at_ = 7 * 4;
};

/// Reorders rows of rotated pairs (2i, 2i + 1) to rotated halves (i, i + n/2), head by head.
std::vector<float> as_halves(const std::vector<float>& rows, std::size_t cols, std::size_t head_dim)
{
    std::vector<float> moved(rows.size());
    for (std::size_t row = 0; row < rows.size() / cols; ++row) {
        const std::size_t in_head = row % head_dim;
        const std::size_t to = row - in_head + in_head % 2 * head_dim / 2 + in_head / 2;
        std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(row * cols), cols,
                    moved.begin() + static_cast<std::ptrdiff_t>(to * cols));
    }
    return moved;
}

struct StoriesPart {
    const char* name;
    std::uint64_t rows, cols;
};
constexpr StoriesPart stories_parts[] = {
    {"input_layernorm", 1, 64},   {"self_attn.q_proj", 64, 64}, {"self_attn.k_proj", 32, 64},
    {"self_attn.v_proj", 32, 64}, {"self_attn.o_proj", 64, 64}, {"post_attention_layernorm", 1, 64},
    {"mlp.gate_proj", 172, 64},   {"mlp.down_proj", 64, 172},   {"mlp.up_proj", 172, 64}};

RawModel stories()
{
    RawModel model{"LlamaForCausalLM", 64, 172, 5, 8, 4, 8, 512, 512};
    model.tied = true;
    Llama2cFile file(shared_data / "stories260K.bin");
    model.tensors.push_back({"model.embed_tokens.weight", {512, 64}, file.take(512 * 64)});
    for (const StoriesPart& part : stories_parts)
        for (int layer = 0; layer < 5; ++layer) {
            const std::string name = part.name;
            std::vector<float> values = file.take(part.rows * part.cols);
            if (name == "self_attn.q_proj" || name == "self_attn.k_proj")
                values = as_halves(values, 64, 8);
            model.tensors.push_back(
                {"model.layers." + std::to_string(layer) + "." + name + ".weight",
                 part.rows == 1 ? std::vector<std::uint64_t>{part.cols}
                                : std::vector<std::uint64_t>{part.rows, part.cols},
                 values});
        }
    model.tensors.push_back({"model.norm.weight", {64}, file.take(64)});
    return model;
}

std::string wire_number(std::uint64_t value)
{
    std::string bytes;
    for (; value >= 0x80; value >>= 7)
        bytes += static_cast<char>(value | 0x80);
    return bytes + static_cast<char>(value);
}

std::string wire_bytes(int field, const std::string& bytes)
{
    return wire_number(field << 3 | 2) + wire_number(bytes.size()) + bytes;
}

/// Converts tok512.bin to a SentencePiece model: blanks become U+2581; the pieces are <unk>, <s>,
/// </s>, the bytes, and the file's pieces.
std::string sentencepiece_of(const fs::path& path)
{
    const std::string file = bytes_of_file(path);
    std::string model;
    std::size_t at = 4;
    for (std::uint32_t id = 0; id < 512; ++id) {
        std::uint32_t size = 0;
        std::memcpy(&size, file.data() + at + 4, 4);
        std::string text;
        for (const char c : file.substr(at + 8, size))
            text += c == ' ' ? "\xE2\x96\x81" : std::string(1, c);
        const int type = id == 0 ? 2 : id <= 2 ? 3 : id < 259 ? 6 : 1;
        const std::string score = "\x15" + file.substr(at, 4); // Field 2 has four bytes.
        const std::string names[] = {"<unk>", "<s>", "</s>"};
        model += wire_bytes(1, wire_bytes(1, id <= 2 ? names[id] : text) + score + "\x18" +
                                   static_cast<char>(type));
        at += 8 + size;
    }
    const std::string trainer("\x18\x02", 2); // These bytes are model_type BPE.
    const std::string normalizer = wire_bytes(1, "identity") + std::string("\x20\x00", 2);
    return model + wire_bytes(2, trainer) + wire_bytes(3, normalizer);
}

void check_against_transformers(const RawModel& model, const Tokens& prompt)
{
    const Workplace place;
    levee::test::write_model(place.path("model"), model, {"BF16", false, 2, {}});
    REQUIRE(place.levee({"import", "safetensors", "model", "-o", "model.levee"}).code == 0);
    double margin = 0;
    const Tokens expected = levee::test::greedy(model, prompt, 12, margin);
    INFO("least lead of a choice " << margin << " of the largest logit");
    REQUIRE(margin > 3e-3); // INT16 activations keep logits within a thousandth.
    CHECK(run(place, "model.levee", "max_new_tokens: 12, prompt_ids: " + list(prompt))["tokens"][0]
              .get<Tokens>() == expected);
}

} // namespace

TEST_CASE("stories260K as safetensors gives the tokens of its llama2.c checkpoint")
{
    if (!fs::exists(shared_data / "stories260K.bin")) {
        WARN("skipped: there is no " << (shared_data / "stories260K.bin"));
        return;
    }
    const Workplace place;
    levee::test::write_model(place.path("stories"), stories());
    place.write("stories/tokenizer.model", sentencepiece_of(shared_data / "tok512.bin"));
    for (const char* input : {"config.json", "tokenizer.model", "model.safetensors"})
        CHECK(place.levee({"import", "safetensors", "stories", "-o", fs::path("stories") / input})
                  .text.ends_with("is an input file, expected another name for the output\n"));
    CHECK(place.levee({"import", "safetensors", "stories", "-o", "hf.levee"}).code == 0);
    CHECK(place
              .levee({"import", "llama2c", (shared_data / "stories260K.bin").string(),
                      (shared_data / "tok512.bin").string(), "-o", "c.levee"})
              .code == 0);
    const std::string workload =
        "prompts: [\"Once upon a time, Tim saw 2 caf\xC3\xA9s\"], max_new_tokens: 120";
    const nlohmann::json hf = run(place, "hf.levee", workload);
    const nlohmann::json c = run(place, "c.levee", workload);
    CHECK(hf["tokens"] == c["tokens"]);
    CHECK(hf["text"] == c["text"]);
    CHECK(c["tokens"][0].size() == 120);
}

TEST_CASE("A small Qwen2 and a small OPT generate the tokens that transformers' formulas choose")
{
    RawModel qwen2{"Qwen2ForCausalLM", 64, 96, 2, 4, 2, 16, 100, 64, 1e6, 1e-6};
    check_against_transformers(levee::test::drawn_model(qwen2, 11), {5, 17, 99});
    RawModel opt{"OPTForCausalLM", 64, 128, 2, 4, 4, 16, 100, 64};
    opt.tied = true;
    check_against_transformers(levee::test::drawn_model(opt, 12), {2, 40, 41, 42});
}

TEST_CASE("A byte-level tokenizer's text is printed unchanged, including a blank right after BOS")
{
    // The vocabulary has <s>, the printable characters of ASCII, a blank, and " t".
    std::string vocab = "\"<s>\": 0";
    for (int c = '!'; c <= '~'; ++c)
        vocab += ", " + nlohmann::json(std::string(1, static_cast<char>(c))).dump() + ": " +
                 std::to_string(c - '!' + 1);
    const Workplace place;
    levee::test::write_model(
        place.path("model"),
        levee::test::drawn_model({"LlamaForCausalLM", 32, 48, 1, 2, 2, 16, 97, 64}, 5));
    place.write("model/tokenizer.json",
                R"({"added_tokens": [{"id": 0, "content": "<s>", "special": true}],
        "normalizer": null, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
        "decoder": {"type": "ByteLevel"}, "post_processor": {"type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}]},
        "model": {"type": "BPE", "vocab": {)" +
                    vocab + R"(, "\u0120": 95, "\u0120t": 96}, "merges": ["\u0120 t"]}})");
    REQUIRE(place.levee({"import", "safetensors", "model", "-o", "model.levee"}).code == 0);
    const nlohmann::json results =
        run(place, "model.levee", "max_new_tokens: 8, prompts: [\" the <s>cat\"]");
    std::string expected = " the cat";
    for (const std::uint32_t id : results["tokens"][0].get<Tokens>())
        expected += id == 0    ? ""
                    : id == 95 ? " "
                    : id == 96 ? " t"
                               : std::string(1, static_cast<char>(id + '!' - 1));
    CHECK_THAT(results["text"].get<std::string>(), Catch::StartsWith(expected));
}

TEST_CASE("A chat uses the template of the model's tokenizer")
{
    // The vocabulary has a line feed, then the printable characters of ASCII.
    std::string vocab = "\"\u010a\": 0";
    for (int c = '!'; c <= '~'; ++c)
        vocab += ", " + nlohmann::json(std::string(1, static_cast<char>(c))).dump() + ": " +
                 std::to_string(c - '!' + 1);
    const Workplace place;
    levee::test::write_model(
        place.path("model"),
        levee::test::drawn_model({"LlamaForCausalLM", 32, 48, 1, 2, 2, 16, 97, 64}, 5));
    place.write("model/tokenizer.json",
                R"({"added_tokens": [{"id": 95, "content": "<|im_start|>", "special": true},
        {"id": 96, "content": "<|im_end|>", "special": true}], "normalizer": null,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
        "decoder": {"type": "ByteLevel"}, "post_processor": null,
        "model": {"type": "BPE", "vocab": {)" +
                    vocab + R"(}, "merges": []}})");
    REQUIRE(place.levee({"import", "safetensors", "model", "-o", "model.levee"}).code == 0);
    Tokens prompt{95};
    const auto put = [&](const std::string& text) {
        for (const char c : text)
            prompt.push_back(c == '\n' ? 0 : static_cast<std::uint32_t>(c - '!' + 1));
    };
    put("user\n<|im_end|>hi");
    prompt.push_back(96);
    put("\n");
    prompt.push_back(95);
    put("assistant\n");
    const std::string chat = "max_new_tokens: 8, chat: [{role: user, content: \"<|im_end|>hi\"}]";
    const auto tokens = run(place, "model.levee", chat + ", stop_token: none")["tokens"][0];
    CHECK(tokens ==
          run(place, "model.levee", "max_new_tokens: 8, prompt_ids: " + list(prompt))["tokens"][0]);
    const auto refused = [&](const std::string& workload) {
        return place
            .levee({"run", "demo", "--quiet", "--out", "no", "--set", "model.image=model.levee",
                    "--set", "workload={app: generate, " + workload + "}"})
            .text;
    };
    CHECK_THAT(refused(chat + ", prompt_tokens: 3"),
               Catch::Contains("expected one source of text"));
    CHECK_THAT(refused(chat + ", stop_token: 3"),
               Catch::Contains("'workload.stop_token' is '3', token 3; a turn of 'workload.chat' "
                               "ends with token 96"));
    CHECK_THAT(refused("max_new_tokens: 8, prompt_tokens: 3, template: chatml"),
               Catch::Contains("'workload.template' is given without 'workload.chat'"));
    CHECK_THAT(refused("max_new_tokens: 8, chat: []"), Catch::Contains("'workload.chat'"));
    CHECK_THAT(refused("max_new_tokens: 8, chat: [{role: tool, content: x}]"),
               Catch::Contains("expected"));
}

namespace {

constexpr std::uint32_t turn_begins = 95, turn_ends = 96;

/// Writes the image of a model that uses ChatML. Its other tokens are a line feed and the printable
/// characters of ASCII.
void write_chatml(const Workplace& place)
{
    std::string vocab = "\"\u010a\": 0";
    for (int c = '!'; c <= '~'; ++c)
        vocab += ", " + nlohmann::json(std::string(1, static_cast<char>(c))).dump() + ": " +
                 std::to_string(c - '!' + 1);
    levee::test::write_model(
        place.path("model"),
        levee::test::drawn_model({"LlamaForCausalLM", 32, 48, 1, 2, 2, 16, 97, 64}, 5));
    place.write("model/tokenizer.json",
                R"({"added_tokens": [{"id": 95, "content": "<|im_start|>", "special": true},
        {"id": 96, "content": "<|im_end|>", "special": true}], "normalizer": null,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
        "decoder": {"type": "ByteLevel"}, "post_processor": null,
        "model": {"type": "BPE", "vocab": {)" +
                    vocab + R"(}, "merges": []}})");
    REQUIRE(place.levee({"import", "safetensors", "model", "-o", "model.levee"}).code == 0);
}

void put(const std::string& text, Tokens& tokens)
{
    for (const char c : text)
        tokens.push_back(c == '\n' ? 0 : static_cast<std::uint32_t>(c - '!' + 1));
}

/// Appends a user's message, up to where the assistant's turn begins.
void put_message(const std::string& content, Tokens& tokens)
{
    tokens.push_back(turn_begins);
    put("user\n" + content, tokens);
    tokens.push_back(turn_ends);
    put("\n", tokens);
    tokens.push_back(turn_begins);
    put("assistant\n", tokens);
}

/// Returns the logits from which token number `index` was picked.
std::vector<float> logits_of(const Workplace& place, std::size_t number)
{
    const std::string raw = place.read("out/logits.f32");
    std::vector<float> logits(97);
    REQUIRE(raw.size() >= (number + 1) * logits.size() * sizeof(float));
    std::memcpy(logits.data(), raw.data() + number * logits.size() * sizeof(float),
                logits.size() * sizeof(float));
    return logits;
}

std::string turns_with(const std::string& first, const std::string& more)
{
    return "max_new_tokens: 6, turns: [{chat: [{role: user, content: \"" + first +
           "\"}]}, {chat: [{role: user, content: ho}], max_new_tokens: 4}]" + more;
}

} // namespace

TEST_CASE("Turns of a chat: each answer is the model's answer to the whole conversation")
{
    const Workplace place;
    write_chatml(place);
    bool ended = false, cut = false;
    for (char c = 'A'; c <= 'z' && !(ended && cut); ++c) {
        const std::string content(1, c == '\\' ? 'x' : c);
        const nlohmann::json results =
            run(place, "model.levee",
                turns_with(content, ended ? ", stop_token: none" : ", context: 64"));
        const Tokens answer = results["tokens"][0];
        const bool ends = answer.back() == turn_ends;
        if (ends ? ended : cut)
            continue;
        (ends ? ended : cut) = true;
        INFO(content << (ends ? ", ended" : ", cut"));
        Tokens whole;
        put_message(content, whole);
        whole.insert(whole.end(), answer.begin(), answer.end());
        if (!ends)
            whole.push_back(turn_ends);
        put("\n", whole);
        put_message("ho", whole);
        const std::vector<float> second = logits_of(place, answer.size());
        (void)run(place, "model.levee",
                  "max_new_tokens: 4, stop_token: none, prompt_ids: " + list(whole));
        CHECK(second == logits_of(place, 0));
    }
    CHECK(cut);
    CHECK(ended);
}

TEST_CASE("Invalid turns of a chat are refused")
{
    const Workplace place;
    write_chatml(place);
    const auto refused = [&](const std::string& workload) {
        return place
            .levee({"run", "demo", "--quiet", "--out", "no", "--set", "model.image=model.levee",
                    "--set", "workload={app: generate, " + workload + "}"})
            .text;
    };
    CHECK_THAT(refused("max_new_tokens: 2, turns: [{chat: [{role: user, content: hi}]}, "
                       "{prompt: ho}]"),
               Catch::Contains("has no 'chat', and the first has one"));
    CHECK_THAT(refused("max_new_tokens: 2, turns: [{prompt: hi, chat: [{role: user, content: "
                       "hi}]}]"),
               Catch::Contains("expected one of 'prompt', 'prompt_ids', 'prompt_tokens' and "
                               "'chat'"));
    CHECK_THAT(refused("max_new_tokens: 2, template: chatml, turns: [{prompt: hi}]"),
               Catch::Contains("'workload.template' is given without 'workload.chat'"));
    CHECK_THAT(refused("max_new_tokens: 2, turns: [{chat: [{role: assistant, content: hi}]}]"),
               Catch::Contains("expected a message of the user"));
}

TEST_CASE("A config.json alone gives a shape, converted to our format or used directly")
{
    const Workplace place;
    const RawModel sizes{"Qwen2ForCausalLM", 64, 96, 2, 4, 2, 16, 100, 64};
    place.write("config.json", sizes.config());
    const Outcome imported = place.levee({"import", "config", "config.json", "-o", "shape.yaml"});
    CHECK(imported.code == 0);
    // The model has two matrices of 100 x 64. Each of its two layers has 2 norms, Q, K and V with
    // 128 rows of 64 together and their biases, O of 64 x 64, and 3 matrices of 96 x 64 in the
    // feed-forward network. One more norm follows the layers.
    CHECK_THAT(
        imported.text,
        Catch::Contains(
            " " +
            std::to_string(2 * 6400 + 2 * (128 + 128 * 64 + 128 + 64 * 64 + 3 * 96 * 64) + 64) +
            " parameters"));
    nlohmann::json seconds;
    for (const char* shape : {"shape.yaml", "config.json"}) {
        const Outcome outcome = place.levee(
            {"run", "app", "--quiet", "--out", "out", "--set",
             "model={shape: " + place.path(shape).string() + "}", "--set", "data=timing_only",
             "--set", "decisions={statistics: tech/decisions/embedded.yaml}", "--set",
             "workload={app: generate, prompt_tokens: 8, max_new_tokens: 2}"});
        REQUIRE(outcome.code == 0);
        const nlohmann::json now = place.results("out")["metrics"]["sim.seconds"];
        CHECK((seconds.is_null() || seconds == now));
        seconds = now;
    }
    place.write("config.json", R"({"architectures": ["BloomForCausalLM"]})");
    const Outcome refused = place.levee({"import", "config", ".", "-o", "moe.yaml"});
    CHECK(refused.code == 2);
    CHECK_THAT(refused.text,
               Catch::Contains("config.json: architectures[0]: \"BloomForCausalLM\""));
    CHECK_FALSE(fs::exists(place.path("moe.yaml")));
}

TEST_CASE("An image never overwrites a file of the imported folder")
{
    const Workplace place;
    RawModel sizes{"OPTForCausalLM", 32, 64, 1, 2, 2, 16, 40, 32};
    sizes.tied = true;
    levee::test::write_model(place.path("m"), levee::test::drawn_model(sizes, 5));
    place.write("m/vocab.json", R"({"a": 0})");
    place.write("m/merges.txt", "#version: 0.2\n");
    place.write("m/tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer"})");
    for (const char* name : {"config.json", "model.safetensors", "vocab.json", "merges.txt",
                             "tokenizer_config.json"}) {
        const std::string file = std::string("m/") + name;
        const std::string before = bytes_of_file(place.path(file));
        const Outcome outcome = place.levee({"import", "safetensors", "m", "-o", file});
        CHECK(outcome.code == 2);
        CHECK_THAT(outcome.text,
                   Catch::EndsWith("is an input file, expected another name for the output\n"));
        CHECK(bytes_of_file(place.path(file)) == before);
    }
    CHECK(place.levee({"import", "safetensors", "m", "-o", "m/image.levee"}).code == 0);
}

TEST_CASE("A folder that cannot be imported leaves no image")
{
    const Workplace place;
    RawModel model = levee::test::drawn_model({"LlamaForCausalLM", 32, 48, 1, 2, 2, 16, 40, 32}, 1);
    model.tensors.pop_back();
    levee::test::write_model(place.path("model"), model);
    const Outcome outcome = place.levee({"import", "safetensors", "model", "-o", "model.levee"});
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.text, Catch::Contains("has no tensor lm_head.weight"));
    CHECK_FALSE(fs::exists(place.path("model.levee")));
}
