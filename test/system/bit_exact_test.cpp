// SPDX-License-Identifier: Apache-2.0
// Requires that the logits of every token, as produced by firmware and blocks, equal those of the
// composed reference bit for bit.
#include "platform/input/import/llama2c.hpp"
#include "platform/input/import/synthetic.hpp"
#include "platform/input/model/model_image.hpp"
#include "test/reference/composed_transformer.hpp"
#include "test/system/program.hpp"

#include <cstdint>
#include <cstring>
#include <vector>

using namespace levee;
using namespace levee::test;

namespace fs = std::filesystem;

namespace {

const fs::path embedded = fs::path(LEVEE_SOURCE) / "models/embedded/stories.levee";
const fs::path shared_data = LEVEE_SHARED_DATA; ///< Real models and texts next to the checkout.

using Ids = std::vector<std::uint32_t>;

/// Returns token ids that no trained model would write, so that the comparison is not trivial.
Ids drawn_ids(std::uint32_t seed, std::size_t count, std::uint32_t vocab)
{
    Ids ids;
    for (std::size_t i = 0; i < count; ++i) {
        seed = seed * 1664525u + 1013904223u;
        ids.push_back((seed >> 8) % vocab);
    }
    return ids;
}

void save(const Workplace& place, const std::string& name, const std::vector<std::uint8_t>& bytes)
{
    place.write(name, std::string(bytes.begin(), bytes.end()));
}

/// The results of a run.
struct Run {
    nlohmann::json results;
    std::vector<float> logits; ///< Each logits vector from which a token was picked, in order.

    [[nodiscard]] double metric(const std::string& name) const
    {
        return results.at("metrics").at(name).get<double>();
    }
};

Run run(const Workplace& place, const std::string& scenario)
{
    place.write("scenario.yaml", scenario + "\nobserve: {logits: logits.f32}\n");
    REQUIRE(place.levee({"run", "scenario.yaml", "--out", "out", "--allow-outside"}).code == 0);
    const std::string raw = place.read("out/logits.f32");
    Run result{place.results("out"), std::vector<float>(raw.size() / sizeof(float))};
    std::memcpy(result.logits.data(), raw.data(), raw.size());
    return result;
}

/// Whether the platform's vector number `index` has the bits of `expected`.
bool same_bits(const Run& run, std::size_t index, const std::vector<float>& expected)
{
    return (index + 1) * expected.size() <= run.logits.size() &&
           std::memcmp(&run.logits[index * expected.size()], expected.data(),
                       expected.size() * sizeof(float)) == 0;
}

/// Runs `generate` on the prompts as one batch, compares all logits vectors and returns the
/// results. Logits are compared in this order: those of each prompt's last token, then, for each
/// step, those of each sequence.
Run check_generate(const Workplace& place, const fs::path& image_file,
                   const std::vector<Ids>& prompts, std::uint32_t new_tokens,
                   const std::string& more = "",
                   const std::string& system = "systems/original.yaml")
{
    const Run seen = run(
        place, "system: " + system + "\nmodel: {image: " + image_file.string() +
                   "}\nworkload: {app: generate, prompt_ids: " + nlohmann::json(prompts).dump() +
                   ", batch: " + std::to_string(prompts.size()) + ", max_new_tokens: " +
                   std::to_string(new_tokens) + ", stop_token: none" + more + "}");
    const auto generated = seen.results.at("tokens").get<std::vector<Ids>>();
    REQUIRE(generated.size() == prompts.size());

    const ModelImage image = ModelImage::open(image_file);
    const std::size_t vocab = image.shape().vocab;
    const auto key_tile = static_cast<std::size_t>(seen.metric("prefill.key_tile"));
    REQUIRE(seen.logits.size() == vocab * prompts.size() * new_tokens);
    for (std::size_t s = 0; s < prompts.size(); ++s) {
        REQUIRE(generated[s].size() == new_tokens);
        ComposedTransformer reference(image);
        std::vector<float> logits;
        for (const std::uint32_t token : prompts[s])
            logits = reference.step(token, key_tile);
        for (std::size_t step = 0; step < new_tokens; ++step) {
            INFO("sequence " << s << ", new token " << step);
            REQUIRE(same_bits(seen, step * prompts.size() + s, logits));
            if (step + 1 < new_tokens)
                logits = reference.step(generated[s][step]);
        }
    }
    CHECK(seen.metric("generate.descriptors_per_layer_step") <= 64);
    return seen;
}

/// Returns the baseline system with an SRAM of this size.
std::string with_sram(const std::string& size)
{
    return "{extends: systems/original.yaml, memories: {sram: {size: " + size + "}}}";
}

/// Runs prompts of 120 and 75 tokens, whose attention takes several tiles of keys.
Run check_tiles(const ModelShape& shape, const std::string& sram, const std::string& more,
                std::size_t keys, std::size_t queries)
{
    const Workplace place;
    save(place, "model.levee", import_synthetic(shape, {}));
    const Run seen =
        check_generate(place, place.path("model.levee"),
                       {drawn_ids(21, 120, 300), drawn_ids(22, 75, 300)}, 6, more, with_sram(sram));
    CHECK(seen.metric("prefill.key_tile") == keys);
    CHECK(seen.metric("prefill.query_tile") == queries);
    return seen;
}

/// A turn of a conversation.
struct Turn {
    Ids prompt;
    std::size_t answer; ///< length of the answer in tokens
};

/// The prompts repeat tokens, so that there are guesses.
const std::vector<Turn> conversation{
    {drawn_ids(31, 41, 12), 9}, {drawn_ids(32, 30, 12), 21}, {drawn_ids(33, 25, 12), 30}};

std::string turns_of(const std::vector<Turn>& turns)
{
    nlohmann::json list = nlohmann::json::array();
    for (const Turn& turn : turns)
        list.push_back({{"prompt_ids", turn.prompt}, {"max_new_tokens", turn.answer}});
    return list.dump();
}

/// Returns the reference's logits before each token of each answer. Prompts are prefilled in tiles,
/// and answers are decoded with whole softmaxes.
std::vector<std::vector<float>> logits_of_turns(const ModelImage& image,
                                                const nlohmann::json& answers, std::size_t key_tile)
{
    ComposedTransformer reference(image);
    std::vector<std::vector<float>> all;
    std::vector<float> logits;
    for (std::size_t i = 0; i < conversation.size(); ++i) {
        // No step has read the answer's last token, so that token comes with the next prompt.
        if (i != 0)
            logits = reference.step(answers.at(i - 1).back().get<std::uint32_t>(), key_tile);
        for (const std::uint32_t token : conversation[i].prompt)
            logits = reference.step(token, key_tile);
        for (std::size_t made = 0; made < conversation[i].answer; ++made) {
            all.push_back(logits);
            if (made + 1 < conversation[i].answer)
                logits = reference.step(answers.at(i).at(made).get<std::uint32_t>());
        }
    }
    return all;
}

/// Compares the logits vectors in order. A run also has vectors for wrong guesses, which are
/// skipped.
void check_in_order(const Run& seen, const std::vector<std::vector<float>>& expected)
{
    std::size_t at = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        INFO("new token " << i);
        while (at * expected[i].size() < seen.logits.size() && !same_bits(seen, at, expected[i]))
            ++at;
        REQUIRE(same_bits(seen, at++, expected[i]));
    }
}

Run check_turns(const ModelShape& shape, const std::string& sram, const std::string& more)
{
    const Workplace place;
    save(place, "model.levee", import_synthetic(shape, {}));
    const fs::path image = place.path("model.levee");
    const Run seen =
        run(place, "system: " + with_sram(sram) + "\nmodel: {image: " + image.string() +
                       "}\nworkload: {app: generate, stop_token: none, turns: " +
                       turns_of(conversation) + more + "}");
    const auto key_tile = static_cast<std::size_t>(seen.metric("prefill.key_tile"));
    CHECK(key_tile < 140);
    check_in_order(seen,
                   logits_of_turns(ModelImage::open(image), seen.results.at("tokens"), key_tile));
    return seen;
}

} // namespace

TEST_CASE("bit exact: embedded model, one sequence")
{
    const Workplace place;
    check_generate(place, embedded, {drawn_ids(1, 70, 256)}, 60);
}

TEST_CASE("bit exact: embedded model, batch of three with unequal lengths")
{
    const Workplace place;
    check_generate(place, embedded,
                   {drawn_ids(2, 3, 256), drawn_ids(3, 90, 256), drawn_ids(4, 33, 256)}, 40);
}

TEST_CASE("bit exact: OPT shape with layer norm, biases, ReLU, learned positions, batch of three")
{
    const Workplace place;
    save(place, "opt.levee", import_synthetic(opt_shape(96, 384, 3, 6, 300, 128), {}));
    check_generate(place, place.path("opt.levee"),
                   {drawn_ids(5, 40, 300), drawn_ids(6, 1, 300), drawn_ids(7, 17, 300)}, 24);
}

TEST_CASE("bit exact: grouped-query attention with three query heads per KV head, batch of three")
{
    const Workplace place;
    save(place, "gqa.levee", import_synthetic(llama_shape(96, 200, 3, 6, 2, 300, 160), {}));
    check_generate(place, place.path("gqa.levee"),
                   {drawn_ids(8, 66, 300), drawn_ids(9, 2, 300), drawn_ids(10, 30, 300)}, 24);
}

TEST_CASE("bit exact: INT4 weights")
{
    const Workplace place;
    SyntheticOptions options;
    options.weights = LEVEE_TYPE_INT4;
    save(place, "int4.levee", import_synthetic(llama_shape(64, 172, 2, 4, 4, 256, 128), options));
    check_generate(place, place.path("int4.levee"), {drawn_ids(11, 20, 256)}, 16);
}

TEST_CASE("prefill chunks of any size give the same bits")
{
    const Workplace place;
    save(place, "gqa.levee", import_synthetic(llama_shape(64, 172, 2, 4, 2, 256, 128), {}));
    check_generate(place, place.path("gqa.levee"), {drawn_ids(12, 50, 256)}, 2,
                   ", prefill_chunk: 7");
    check_generate(place, place.path("gqa.levee"), {drawn_ids(12, 50, 256)}, 2,
                   ", prefill_chunk: 1");
}

TEST_CASE("prefills run in tiles of keys, and in tiles of queries if there are too many")
{
    const ModelShape llama = llama_shape(64, 172, 2, 4, 4, 300, 160);
    check_tiles(llama, "40 KiB", ", prefill_chunk: 32", 32, 32);
    // The SRAM's 8192 bytes, less 512 for alignment, leave 240 for each of 32 queries. A query
    // needs 116 for its own vectors and 6 for each key, so only 20 keys would fit. With 16 queries,
    // each has space for 60 keys; 48 are whole tiles of 16 and whole folds of 24.
    check_tiles(llama, "8 KiB", ", prefill_chunk: 32", 48, 16);
    // The SRAM's 16384 bytes, less 512 for alignment, leave 1587 for each of 10 queries. With 3
    // heads, a query needs 348 for its own vectors and 18 for each key, so 68 keys fit; 60 keys are
    // a multiple of ten.
    check_tiles(llama_shape(96, 200, 2, 6, 2, 300, 160), "16 KiB", ", prefill_chunk: 10", 60, 10);
    check_tiles(opt_shape(64, 256, 2, 4, 300, 160), "8 KiB", ", prefill_chunk: 7", 77, 7);
}

TEST_CASE("bit exact: later turns of a conversation may begin anywhere in a tile of keys")
{
    const ModelShape llama = llama_shape(64, 172, 2, 4, 4, 300, 160);
    for (const std::string chunk : {", prefill_chunk: 32", ", prefill_chunk: 10", ""}) {
        INFO(chunk);
        check_turns(llama, "40 KiB", chunk);
        check_turns(llama, "8 KiB", chunk);
        check_turns(llama_shape(96, 200, 2, 6, 2, 300, 160), "16 KiB", chunk);
        check_turns(opt_shape(64, 256, 2, 4, 300, 160), "8 KiB", chunk);
    }
}

TEST_CASE("guesses beyond a tile of keys have the bits of decode steps")
{
    const ModelShape llama = llama_shape(64, 172, 2, 4, 4, 300, 160);
    for (const std::string guesses : {"{tokens: 1, match: 1}", "{tokens: 6, match: 1}"}) {
        for (const std::string sram : {"40 KiB", "8 KiB"}) {
            INFO(guesses << " " << sram);
            const std::string chunk = ", prefill_chunk: 32";
            const Run seen = check_turns(llama, sram, chunk + ", speculation: " + guesses);
            CHECK(seen.metric("speculation.right") > 3);
            const Run without = check_turns(llama, sram, chunk);
            CHECK(seen.results.at("tokens") == without.results.at("tokens"));
            CHECK(seen.metric("prefill.key_tile") == without.metric("prefill.key_tile"));
        }
    }
}

TEST_CASE("guesses are refused if no tile has room for all scores of a token")
{
    const Workplace place;
    save(place, "model.levee", import_synthetic(llama_shape(64, 172, 2, 4, 4, 300, 1024), {}));
    place.write("s.yaml", "system: " + with_sram("4 KiB") +
                              "\nmodel: {image: model.levee}\nworkload: {app: generate, "
                              "stop_token: none, prompt_ids: [[1, 2, 1]], max_new_tokens: 5, "
                              "context: 1024, speculation: {tokens: 1, match: 1}}\n");
    const Outcome outcome = place.levee({"run", "s.yaml", "--quiet"});
    CHECK(outcome.code == 1);
    CHECK_THAT(outcome.text,
               Catch::Contains("the scores of 1024 tokens do not fit the 4096 on-chip bytes"));
}

TEST_CASE("a prefill's feed-forward runs in parts if its vectors do not fit on chip")
{
    // The SRAM's 8192 bytes, less 128, hold 23 activated vectors of 348 bytes. So chunks with 32 or
    // 24 vectors need two parts, and those with 11 need one. With vectors of 516 bytes, 15 fit, so
    // 32 vectors need three parts.
    const ModelShape llama = llama_shape(64, 172, 2, 4, 4, 300, 160);
    const std::string chunk = ", prefill_chunk: 32";
    CHECK(check_tiles(llama, "8 KiB", chunk, 48, 16).metric("prefill.activated_tile") == 16);
    // With biases, the array cannot add in place.
    const ModelShape opt = opt_shape(64, 256, 2, 4, 300, 160);
    CHECK(check_tiles(opt, "8 KiB", chunk, 48, 16).metric("prefill.activated_tile") == 11);
    const Workplace place;
    save(place, "model.levee", import_synthetic(llama, {}));
    const Run shared =
        check_generate(place, place.path("model.levee"), {drawn_ids(21, 120, 300)}, 2, chunk,
                       "{extends: systems/two_arrays.yaml, memories: {sram: {size: 8 KiB}}}");
    CHECK(shared.metric("prefill.activated_tile") == 16);
}

TEST_CASE("bit exact: weights of 3 and 4 bits, with scales by row and by group")
{
    // An array has 24 columns, and rows have 72 and 100 weights. So groups end within folds, and
    // some are short.
    const ModelShape shape = llama_shape(72, 100, 2, 6, 3, 300, 96);
    const WeightFormat formats[] = {
        LEVEE_TYPE_INT3, {LEVEE_TYPE_INT4, 32}, {LEVEE_TYPE_INT3, 8}, {LEVEE_TYPE_INT8, 64}};
    for (const WeightFormat& format : formats) {
        INFO(format_name(format));
        const Workplace place;
        save(place, "model.levee", import_synthetic(shape, {.weights = format}));
        (void)check_generate(place, place.path("model.levee"),
                             {drawn_ids(3, 20, 300), drawn_ids(4, 9, 300)}, 3);
    }
    const Workplace place;
    save(place, "two.levee", import_synthetic(shape, {.weights = {LEVEE_TYPE_INT4, 32}}));
    (void)check_generate(place, place.path("two.levee"), {drawn_ids(5, 12, 300)}, 2, "",
                         "systems/two_arrays.yaml");
}

TEST_CASE("machines that store matrices themselves refuse groups of weights by name")
{
    const Workplace place;
    save(place, "model.levee",
         import_synthetic(llama_shape(64, 128, 2, 4, 4, 300, 64),
                          {.weights = {LEVEE_TYPE_INT8, 32}}));
    for (const auto& [system, scheduler] :
         {std::pair{"cambricon/systems/small.yaml", "flash"},
          std::pair{"pim/systems/titanus_small.yaml", "titanus"}}) {
        place.write("s.yaml", std::string("system: ") + system +
                                  "\nmodel: {image: model.levee}\n"
                                  "workload: {app: generate, prompt_ids: [[1, 2]], scheduler: " +
                                  scheduler + "}\n");
        const auto ended = place.levee({"run", "s.yaml", "--out", "out"});
        CHECK(ended.code != 0);
        CHECK_THAT(ended.text, Catch::Contains("INT8 in groups of 32, expected one scale per row"));
    }
}

TEST_CASE("stories260K: prompts in tiles")
{
    const fs::path model = shared_data / "stories260K.bin";
    if (!fs::exists(model)) {
        WARN("skipped: no ../shared/data");
        return;
    }
    const Workplace place;
    save(place, "stories260K.levee", import_llama2c(model, shared_data / "tok512.bin", {}));
    const Run seen =
        check_generate(place, place.path("stories260K.levee"), {drawn_ids(23, 300, 512)}, 4,
                       ", prefill_chunk: 24", with_sram("24 KiB"));
    CHECK(seen.metric("prefill.key_tile") < 100);
}

TEST_CASE("stories260K: every token of the fp32 goldens, teacher-forced")
{
    const fs::path model = shared_data / "stories260K.bin";
    if (!fs::exists(model)) {
        WARN("skipped: no ../shared/data");
        return;
    }
    const Workplace place;
    save(place, "stories260K.levee", import_llama2c(model, shared_data / "tok512.bin", {}));
    std::vector<Ids> goldens;
    for (const char* name : {"goldens/stories260K_p0.tokens", "goldens/stories260K_p1.tokens"}) {
        std::ifstream file(shared_data / name);
        Ids ids;
        for (std::uint32_t id; file >> id;)
            ids.push_back(id);
        REQUIRE(ids.size() > 200);
        goldens.push_back(ids);
    }
    const Run seen = run(place, "system: systems/original_32x32.yaml\nmodel: {image: " +
                                    (place.path("stories260K.levee")).string() +
                                    "}\nworkload: {app: perplexity, prompt_ids: " +
                                    nlohmann::json(goldens).dump() + "}");
    CHECK(seen.metric("score.top1") / seen.metric("score.tokens") >= 0.98);

    const ModelImage image = ModelImage::open(place.path("stories260K.levee"));
    std::size_t index = 0;
    for (const Ids& ids : goldens) {
        ComposedTransformer reference(image);
        for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
            INFO("token " << i);
            REQUIRE(same_bits(seen, index++, reference.step(ids[i])));
        }
    }
    CHECK(seen.logits.size() == index * image.shape().vocab);
}

TEST_CASE("stories260K: perplexity over the first 2,000 tokens of the sample")
{
    const fs::path model = shared_data / "stories260K.bin";
    if (!fs::exists(model)) {
        WARN("skipped: no ../shared/data");
        return;
    }
    const Workplace place;
    save(place, "stories260K.levee", import_llama2c(model, shared_data / "tok512.bin", {}));
    const Run seen = run(place, "system: systems/original.yaml\nmodel: {image: " +
                                    (place.path("stories260K.levee")).string() +
                                    "}\nworkload: {app: perplexity, text_file: " +
                                    (shared_data / "tinystories_sample.txt").string() +
                                    ", separator: \"<|endoftext|>\", max_tokens: 2000}");
    CHECK(seen.metric("score.tokens") == 2000);
    CHECK(seen.metric("score.perplexity") <= 3.6939 * 1.002);
    // A perplexity far below the model's would be wrong, too.
    CHECK(seen.metric("score.perplexity") >= 3.6);
}
