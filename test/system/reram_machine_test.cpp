// SPDX-License-Identifier: Apache-2.0
// Tests models whose layers are in crossbars. In each form of attention the logits equal the
// composed reference's bit for bit, and timing-only runs have the figures of functional ones.
// Columns of K and V are written only in those forms of attention that need them.
#include "test/reference/decomposed_transformer.hpp"
#include "test/system/machine_case.hpp"

using namespace levee;
using namespace levee::test;

namespace {

constexpr std::size_t layers = 2;

ModelShape opt()
{
    return opt_shape(96, 384, layers, 6, 300, 128);
}

ModelShape llama()
{
    return llama_shape(96, 200, layers, 6, 2, 300, 160);
}

std::string scenario_of(const std::string& scheduler, const std::string& reram = "")
{
    return "system: {extends: pim/systems/retransformer_small.yaml, memories: {reram: {" + reram +
           "}}}\n" + model_and_workload(scheduler);
}

void save(const Workplace& place, const ModelShape& shape, const std::string& scenario,
          levee_type weights = LEVEE_TYPE_INT8)
{
    save_model(place, shape, weights);
    place.write("scenario.yaml", scenario);
}

/// Runs a scenario whose logits must equal the reference's; returns its metrics.
template <typename Reference>
nlohmann::json check_bits(const ModelShape& shape, const std::string& scenario,
                          const std::vector<std::string>& more = {},
                          levee_type weights = LEVEE_TYPE_INT8)
{
    const Workplace place;
    save_model(place, shape, weights);
    return check_logits(
        place, scenario, [](const ModelImage& image) { return Reference(image); }, more);
}

/// Returns the number of columns that a run writes, except those of the last token, which are never
/// read.
std::size_t columns(const nlohmann::json& metrics)
{
    return metrics.at("reram.column_writes").get<std::size_t>();
}

constexpr std::size_t passed = 7 + new_tokens - 1; ///< Tokens that pass through the model.

} // namespace

TEST_CASE("weights in crossbars, attention on the array: the composed reference's bits")
{
    CHECK(columns(check_bits<ComposedTransformer>(llama(), scenario_of("reram_weights"))) == 0);
    CHECK(columns(check_bits<ComposedTransformer>(opt(), scenario_of("reram_weights"))) == 0);
}

TEST_CASE("plain attention in crossbars: the same bits, columns of K and V of every head written")
{
    const nlohmann::json grouped =
        check_bits<ComposedTransformer>(llama(), scenario_of("reram_plain"));
    CHECK(columns(grouped) == layers * passed * 2 * 2);
    const nlohmann::json full = check_bits<ComposedTransformer>(opt(), scenario_of("reram_plain"));
    CHECK(columns(full) == layers * passed * 2 * 6);
    CHECK(full.at("retransformer.plain_products") == 2 * layers);
}

TEST_CASE(
    "decomposed attention: the decomposed reference's bits, one column of X per token, none of K")
{
    for (const char* scheduler : {"reram_layers", "retransformer"}) {
        INFO(scheduler);
        const nlohmann::json metrics =
            check_bits<DecomposedTransformer>(opt(), scenario_of(scheduler));
        CHECK(columns(metrics) == layers * passed);
        CHECK(metrics.at("retransformer.decomposed_products") == 2 * layers);
        CHECK(metrics.at("retransformer.plain_products") == 0);
    }
}

TEST_CASE("with RoPE the scores are plain products, and the run names the layers and the cost")
{
    const nlohmann::json metrics =
        check_bits<DecomposedTransformer>(llama(), scenario_of("retransformer"));
    // The columns are X, and the keys of two heads.
    CHECK(columns(metrics) == layers * passed * (1 + 2));
    CHECK(metrics.at("retransformer.plain_products") == layers);
    CHECK(metrics.at("retransformer.layer0.plain_scores_ns_a_token") == 86);
    CHECK(metrics.at("retransformer.layer1.plain_scores_ns_a_token") == 86);
    CHECK(metrics.find("retransformer.layer2.plain_scores_ns_a_token") == metrics.end());
}

TEST_CASE("any crossbars, mappings and converters that are wide enough give the same bits")
{
    for (const char* reram : {"rows: 32, columns: 64, units: 4096", "adc: null",
                              "mapping: offset, cell_bits: 4, adc: {bits: 12, range: unit}",
                              "cell_bits: 1, units: 4096, adc: {bits: 9, range: unit}"}) {
        INFO(reram);
        check_bits<DecomposedTransformer>(opt(), scenario_of("retransformer", reram));
        check_bits<ComposedTransformer>(opt(), scenario_of("reram_plain", reram));
    }
}

TEST_CASE("a prompt token by token and in one chunk gives the same bits")
{
    for (const char* chunk : {"1", "3"})
        check_bits<DecomposedTransformer>(
            opt(), scenario_of("retransformer"),
            {"--set", std::string("workload.prefill_chunk=") + chunk});
}

TEST_CASE("execution vector by vector is faster than product by product, with the same text")
{
    const auto seconds = [](const char* scheduler) {
        return check_bits<DecomposedTransformer>(opt(), scenario_of(scheduler))
            .at("decode.seconds")
            .get<double>();
    };
    CHECK(seconds("retransformer") < seconds("reram_layers"));
}

TEST_CASE("the crossbars' work follows from the actual tokens, not from the reserved slots")
{
    const auto figures = [](const std::string& scheduler, const char* context) {
        const nlohmann::json metrics =
            check_bits<DecomposedTransformer>(opt(), scenario_of(scheduler),
                                              {"--set", std::string("workload.context=") + context,
                                               "--set", "workload.prefill_chunk=4"});
        return std::pair{metrics.at("reram.macs"), metrics.at("reram.conversions")};
    };
    CHECK(figures("retransformer", "16") == figures("retransformer", "128"));
    CHECK(figures("reram_layers", "16") == figures("reram_layers", "128"));
}

TEST_CASE("a timing-only run of each form has the figures of the functional one")
{
    for (const char* scheduler : {"reram_weights", "reram_plain", "reram_layers", "retransformer"})
        for (const bool rotated : {false, true}) {
            INFO(scheduler << (rotated ? ", RoPE" : ", learned positions"));
            const Workplace place;
            save(place, rotated ? llama() : opt(), scenario_of(scheduler));
            (void)check_timing_only(place);
        }
}

TEST_CASE("sequences of a batch get the same tokens as alone")
{
    const auto tokens = [](const std::vector<Ids>& prompts, const std::string& scheduler) {
        const Workplace place;
        save(place, opt(), scenario_of(scheduler));
        REQUIRE(place
                    .levee({"run", "scenario.yaml", "--out", "out", "--allow-outside", "--set",
                            "workload.prompt_ids=" + nlohmann::json(prompts).dump()})
                    .code == 0);
        return place.results("out").at("tokens").get<std::vector<Ids>>();
    };
    const Ids other{5, 77, 31};
    for (const char* scheduler : {"reram_plain", "retransformer"}) {
        const auto both = tokens({prompt(), other}, scheduler);
        CHECK(both.at(0) == tokens({prompt()}, scheduler).at(0));
        CHECK(both.at(1) == tokens({other}, scheduler).at(0));
    }
}

TEST_CASE("disturbances change the text with the seed, and the same seed gives the same bytes")
{
    const Workplace place;
    save(place, opt(),
         scenario_of("retransformer", "disturbances: {programming: 0.1, read: 0.02, stuck: 0.01}") +
             "observe: {logits: logits.f32}\n");
    const auto logits = [&](const std::string& seed) {
        REQUIRE(place
                    .levee({"run", "scenario.yaml", "--out", "out", "--allow-outside", "--set",
                            "seed=" + seed})
                    .code == 0);
        return place.read("out/logits.f32");
    };
    const std::string one = logits("1");
    CHECK(logits("1") == one);
    CHECK(logits("2") != one);
}

TEST_CASE("too few crossbars are refused, with the number that is needed")
{
    const Workplace place;
    save(place, opt(), scenario_of("retransformer", "units: 22"));
    const Outcome outcome =
        place.levee({"run", "scenario.yaml", "--out", "out", "--allow-outside"});
    CHECK(outcome.code == 1);
    CHECK(outcome.text.find("the crossbars have 22 units") != std::string::npos);
    place.write("scenario.yaml", scenario_of("retransformer", "units: 4"));
    const Outcome fewer = place.levee({"run", "scenario.yaml", "--out", "out", "--allow-outside"});
    CHECK(fewer.code == 2);
    CHECK(fewer.text.find("has 4 units, which is too few") != std::string::npos);
}

TEST_CASE("four-bit weights in cells of eight-bit elements give the same bits")
{
    check_bits<DecomposedTransformer>(opt(), scenario_of("retransformer"), {}, LEVEE_TYPE_INT4);
    check_bits<ComposedTransformer>(llama(), scenario_of("reram_plain"), {}, LEVEE_TYPE_INT4);
}

TEST_CASE("invalid keys of crossbars are refused by name")
{
    const Workplace place;
    const auto refused = [&](const std::string& keys, const std::string& text) {
        save(place, opt(), scenario_of("retransformer", keys));
        const Outcome outcome =
            place.levee({"run", "scenario.yaml", "--out", "out", "--allow-outside"});
        INFO(outcome.text);
        CHECK(outcome.code == 2);
        CHECK(outcome.text.find(text) != std::string::npos);
    };
    refused("rows: 100, units: 3", "expected a multiple of 4096");
    refused("mapping: both", "'system.memories.reram.mapping'");
    refused("on_off: 0.5", "'system.memories.reram.on_off' is at most 1");
    refused("adc: {bits: 8, range: explicit, low: -3, high: 0}", "reram.adc.high' is 0");
    refused("adc: {bits: 8, range: explicit, low: -0.3, high: 1}", "reram.adc.low' puts no code");
    refused("rows: 2048, columns: 1024", "2097152 cells in a crossbar; expected at most 2^20");
    refused("disturbances: {drift: {exponent: 0.1, age: 1 s, reference: 2 s}}",
            "reram.disturbances.drift.age' is below 'reference'");
    refused("disturbances: {programing: 0.1}", "'system.memories.reram.disturbances.programing'");
    refused("disturbances: {drift: {exponent: 0.1, age: 1 s}}", "reference");
}

TEST_CASE("placing a model in crossbars reports cells, programming, time and energy")
{
    const Workplace place;
    const Outcome outcome = place.levee({"import", "place", "opt-125m", "--to", "reram", "--system",
                                         "pim/systems/retransformer.yaml", "--set",
                                         "tech.energy=tech/energy/reram_events.yaml"});
    INFO(outcome.text);
    CHECK(outcome.code == 0);
    // Each of 12 layers has 6 x 18, 6 x 6, 6 x 24 and 24 x 6 tiles, and an element takes 8 cells.
    CHECK(outcome.text.find("5184 of 16384, 8 crossbars each") != std::string::npos);
    CHECK(outcome.text.find("679477248 programmed") != std::string::npos);
}
