// SPDX-License-Identifier: Apache-2.0
// Tests models whose layers are in a computing flash. Logits equal the composed reference's bit for
// bit, for any division of the work. Timing-only runs have the figures of functional ones.
#include "test/system/machine_case.hpp"

using namespace levee;
using namespace levee::test;

namespace {

struct FlashCase {
    ModelShape shape;
    levee_type weights = LEVEE_TYPE_INT8;
    std::string flash;       ///< Keys of the flash in the small system.
    unsigned input_bits = 8; ///< Bits of the inputs that the flash's cores take.
    std::string workload{};  ///< Further keys of the workload section.
};

std::string scenario_of(const FlashCase& which)
{
    return "system: {extends: cambricon/systems/small.yaml, memories: {flash: {" + which.flash +
           "}}}\n" + model_and_workload("flash", which.workload);
}

nlohmann::json check_bits(const FlashCase& which)
{
    const Workplace place;
    save_model(place, which.shape, which.weights);
    return check_logits(place, scenario_of(which), [&](const ModelImage& image) {
        return ComposedTransformer(image, which.input_bits);
    });
}

FlashCase llama(const std::string& flash)
{
    return {llama_shape(96, 200, 2, 6, 2, 300, 160), LEVEE_TYPE_INT8, flash};
}

} // namespace

TEST_CASE("a model in flash has the reference's bits for any share of work on the cores")
{
    for (const char* alpha : {"0", "0.4", "1", "balanced", "printed"}) {
        INFO(alpha);
        FlashCase which = llama("placing: {alpha: " + std::string(alpha) + "}");
        check_bits(which); // The whole prompt is one chunk.
        which.workload = ", prefill_chunk: 1";
        const nlohmann::json metrics = check_bits(which);
        const std::string share = alpha;
        CHECK((metrics.at("flash.computed_pages").get<int>() == 0) == (share == "0"));
        CHECK((metrics.at("flash.read_pages").get<int>() == 0) == (share == "1"));
        // Each of two layers has matrices of 160 x 96, 96 x 96, 400 x 96 and 96 x 200.
        CHECK(metrics.at("layers.core_weights").get<int>() +
                  metrics.at("layers.array_weights").get<int>() ==
              2 * (160 * 96 + 96 * 96 + 400 * 96 + 96 * 200));
    }
}

TEST_CASE("the other split of figure 7, and tiles that match no matrix, give the reference's bits")
{
    check_bits(llama("placing: {split: diagonal}"));
    check_bits(llama("placing: {core_columns: 7}"));
    check_bits(llama("placing: {tile: least_transfer}"));
}

TEST_CASE("biases, learned positions and layer norms, from flash")
{
    check_bits({opt_shape(96, 384, 2, 6, 300, 128), LEVEE_TYPE_INT8, "channels: 4"});
}

TEST_CASE("four-bit weights and sixteen-bit activations, from flash")
{
    FlashCase which = llama("placing: {input: 2 B}, ecc: {value_bits: 4, address_bits: 11}");
    which.weights = LEVEE_TYPE_INT4;
    which.input_bits = 16;
    check_bits(which);
}

TEST_CASE("a timing-only run of a model in flash has the figures of the functional one")
{
    const Workplace place;
    const FlashCase which = llama("");
    save_model(place, which.shape, which.weights);
    place.write("scenario.yaml", scenario_of(which));
    (void)check_timing_only(place);
}

TEST_CASE(
    "a prompt in chunks gives the same text as token by token, and reads weights once per chunk")
{
    const Workplace place;
    save_model(place, llama("").shape);
    place.write("scenario.yaml", scenario_of(llama("")));
    const auto run = [&](const char* out, const char* chunk) {
        REQUIRE(place
                    .levee({"run", "scenario.yaml", "--out", out, "--allow-outside", "--set",
                            std::string("workload.prefill_chunk=") + chunk})
                    .code == 0);
        return place.results(out);
    };
    const nlohmann::json chunks = run("chunks", "8"), tokens = run("tokens", "1");
    CHECK(chunks.at("tokens") == tokens.at("tokens"));
    CHECK(chunks.at("warnings").empty());
    const auto pages = [](const nlohmann::json& results, const char* name) {
        return results.at("metrics").at(std::string("flash.") + name).get<std::uint64_t>();
    };
    CHECK(pages(chunks, "computed_pages") < pages(tokens, "computed_pages"));
    CHECK(pages(chunks, "computed_pages") + pages(chunks, "read_pages") <
          pages(tokens, "computed_pages") + pages(tokens, "read_pages"));
}

TEST_CASE("a system without a port for weights is refused, with the port's name")
{
    const Workplace place;
    save_model(place, llama("").shape);
    place.write("scenario.yaml", scenario_of(llama("")));
    const Outcome outcome = place.levee({"run", "scenario.yaml", "--out", "out", "--allow-outside",
                                         "--set", "system.streams.weights=null"});
    CHECK(outcome.code == 1);
    CHECK(outcome.text.find("this system has 2 stream ports") != std::string::npos);
}

TEST_CASE("a decode step without its classifier is allowed only in timing-only runs")
{
    const Workplace place;
    save_model(place, llama("").shape);
    place.write("scenario.yaml", scenario_of(llama("")));
    const Outcome outcome = place.levee({"run", "scenario.yaml", "--out", "out", "--allow-outside",
                                         "--set", "workload.lm_head=false"});
    CHECK(outcome.code == 2);
    CHECK(outcome.text.find("--set workload.lm_head=false: 'workload.lm_head' is false") !=
          std::string::npos);
}

TEST_CASE("a chunk with more tokens than the array can hold sums for is refused")
{
    const Workplace place;
    save_model(place, llama("").shape);
    place.write("scenario.yaml", scenario_of(llama("")));
    const Outcome outcome = place.levee({"run", "scenario.yaml", "--out", "out", "--allow-outside",
                                         "--set", "workload.prefill_chunk=513"});
    CHECK(outcome.code == 1);
    CHECK(outcome.text.find("scheduler flash supports at most 512 tokens per prefill pass") !=
          std::string::npos);
}

TEST_CASE("a flash cannot have roles whose data are written by address")
{
    const Workplace place;
    const auto run =
        place.levee({"run", "cambricon/demo", "--set", "system.memories.flash.roles=[weights, kv]",
                     "--set", "system.memories.dram.roles=[model, spill]"});
    CHECK(run.code == 2);
    CHECK(run.text.find("'system.memories.flash.roles' names data that are written by address") !=
          std::string::npos);
}

TEST_CASE("a slower channel costs the same time whichever it is, and a flash works without a code")
{
    const Workplace place;
    const auto seconds = [&](const std::string& key) {
        REQUIRE(place
                    .levee({"run", "cambricon/demo", "--quiet", "--no-report", "--set",
                            "workload.max_new_tokens=2", "--set", "system.memories.flash." + key})
                    .code == 0);
        return place.results("out/demo")["metrics"]["decode.seconds"].get<double>();
    };
    const double first = seconds("channel_rates=[{channel: 0, rate: 300 MB/s}]");
    // The second division has slightly fewer ragged tiles.
    CHECK(first == Approx(seconds("channel_rates=[{channel: 1, rate: 300 MB/s}]")).epsilon(0.01));
    CHECK(first > seconds("ecc=null")); // Without correction, all channels have the stated rate.
}

TEST_CASE("a policy is refused with the names of the units that a flash machine lacks")
{
    const Workplace place;
    const auto run = place.levee({"run", "cambricon/demo", "--set", "kv_cache.policy=streaming",
                                  "--set", "kv_cache.budget=32"});
    CHECK(run.code != 0);
    CHECK(run.text.find("this system has no systolic evictor, which kv_cache.policy streaming "
                        "needs") != std::string::npos);
}
