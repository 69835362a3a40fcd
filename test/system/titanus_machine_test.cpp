// SPDX-License-Identifier: Apache-2.0
// Tests models whose layers are in cores of compute-in-memory macros. Logits equal the composed
// reference's bit for bit with any overlap, and timing-only runs have the figures of functional
// ones.
#include "test/system/machine_case.hpp"

using namespace levee;
using namespace levee::test;

namespace {

struct TitanusCase {
    ModelShape shape;
    std::string cim; ///< Keys of the cores in the small system.
    unsigned input_bits = 8;
    std::string workload{};               ///< further keys of the workload section
    std::string system = "titanus_small"; ///< name of a system in pim/systems
    std::string more{};                   ///< further sections of the scenario
};

std::string scenario_of(const TitanusCase& which)
{
    return "system: {extends: pim/systems/" + which.system + ".yaml, memories: {cim: {" +
           which.cim + "}}}\n" + model_and_workload("titanus", which.workload) + which.more;
}

nlohmann::json check_bits(const TitanusCase& which)
{
    const Workplace place;
    save_model(place, which.shape);
    return check_logits(place, scenario_of(which), [&](const ModelImage& image) {
        return ComposedTransformer(image, which.input_bits);
    });
}

TitanusCase llama(const std::string& keys)
{
    return {llama_shape(96, 200, 2, 6, 2, 300, 160),
            "cores: 2, hidden: 96, feed_forward: 400, " + keys};
}

TitanusCase opt(const std::string& keys)
{
    return {opt_shape(96, 384, 2, 6, 300, 128), "cores: 2, hidden: 96, feed_forward: 384, " + keys};
}

} // namespace

TEST_CASE("a model of OPT's shape in cores has the reference's bits with any overlap")
{
    double before = 1;
    for (const char* pipeline : {"none", "intra_core", "inter_core"}) {
        INFO(pipeline);
        const nlohmann::json metrics =
            check_bits(opt("rotation: null, pipeline: " + std::string(pipeline)));
        // The seven tokens of a prompt and four more pass through two layers.
        CHECK(metrics.at("cim.tokens") == 11);
        CHECK(metrics.at("cim.layer_tokens") == 22);
        CHECK(metrics.at("cim.macs") == 22 * (4 * 96 * 96 + 2 * 96 * 384));
        const double busy = metrics.at("cim.busy_seconds");
        CHECK(busy < before);
        before = busy;
    }
}

TEST_CASE("grouped queries, gate and rotation, and sixteen-bit inputs, have the reference's bits")
{
    check_bits(llama("pipeline: intra_core"));
    TitanusCase wide = llama("input: 2 B");
    wide.input_bits = 16;
    check_bits(wide);
}

TEST_CASE("a prompt in chunks gives the bits of a prompt in one pass")
{
    TitanusCase which = opt("rotation: null");
    which.workload = ", prefill_chunk: 3";
    check_bits(which);
}

namespace {

/// Runs a scenario under a name; returns its metrics.
nlohmann::json metrics_of(const Workplace& place, const std::string& name, const std::string& text)
{
    const bool data = text.find("data: timing_only") == std::string::npos;
    place.write(name + ".yaml", text + (data ? "observe: {logits: logits.f32}\n" : ""));
    REQUIRE(place.levee({"run", name + ".yaml", "--out", name, "--allow-outside"}).code == 0);
    return place.results(name).at("metrics");
}

/// Returns the same scenario on the baseline system with a compression block.
std::string on_array(std::string text)
{
    text.replace(0, text.find('\n'),
                 "system: {extends: systems/original.yaml, blocks: {cpq: {type: cpq, clock: 200 "
                 "MHz, width: 32, prune_cycles: 2, quantise_cycles: 3, dequantise_cycles: 2, "
                 "level_cycles: 36, sz_buffer: 1 MiB}}}");
    return text.replace(text.find("titanus"), 7, "baseline");
}

} // namespace

TEST_CASE("cores compress like a block next to them, and like the systolic machine")
{
    // The same policy and model run in cores, and on an array with 16-bit inputs, alone and in a
    // batch.
    for (const char* batch : {"", ", batch: 2"}) {
        const Workplace place;
        TitanusCase which = opt("rotation: null, input: 2 B");
        which.workload = batch;
        which.more = "kv_cache: {policy: cpq, cpq: {key_bits: 4, value_bits: 3, max_levels: 3, "
                     "key_threshold: 0.1, value_threshold: 0.05, tolerance: 0.1}}\n";
        save_model(place, which.shape);
        std::string text = scenario_of(which);
        if (*batch != '\0')
            text.replace(text.find("[["), 2, "[[5, 6, 7], [");
        const nlohmann::json cores = metrics_of(place, "cores", text);
        const nlohmann::json array = metrics_of(place, "array", on_array(text));
        which.system = "titanus_small_cpq";
        text.replace(text.find("titanus_small"), 13, "titanus_small_cpq");
        const nlohmann::json block = metrics_of(place, "block", text);
        CHECK(place.read("cores/logits.f32") == place.read("array/logits.f32"));
        CHECK(place.read("block/logits.f32") == place.read("array/logits.f32"));
        for (const char* figure : {"cpq.non_zeros", "cpq.packed_bytes", "cpq.levels", "cpq.rows"})
            CHECK(block.at(figure) == array.at(figure));
        CHECK(cores.at("cim.compressed_values") == block.at("cpq.values"));
        CHECK(cores.at("cim.survivors") == block.at("cpq.survivors"));
        CHECK(cores.at("cim.non_zeros") == block.at("cpq.non_zeros"));
        CHECK(cores.at("cim.clamped") == block.at("cpq.clamped"));
        CHECK(block.at("cpq.non_zeros") < block.at("cpq.values"));
        // Cores move packed rows, and each vector of the prompts once, on arrival.
        const std::uint64_t tokens = *batch == '\0' ? 7 : 10;
        const std::uint64_t vectors = tokens * 2 * 2 * 96 * 2;
        CHECK(cores.at("cim.kv_bytes") ==
              block.at("cpq.packed_bytes").get<std::uint64_t>() +
                  block.at("cpq.expanded.packed_bytes").get<std::uint64_t>() + vectors);
    }
}

TEST_CASE("OPT-125M, 32 + 32, has the published speeds and energy in the reading sample")
{
    const Workplace place;
    const std::pair<const char*, double> published[] = {
        {"none", 10375.33}, {"intra_core", 14717.52}, {"inter_core", 18801.47}};
    for (const auto& [pipeline, tokens_per_s] : published) {
        REQUIRE(place
                    .levee({"run", "pim/titanus_125m", "--out", "out", "--set",
                            "system.memories.cim.reading={extends: pim/readings/sample.yaml}",
                            "--set", "system.memories.cim.pipeline=" + std::string(pipeline)})
                    .code == 0);
        const nlohmann::json metrics = place.results("out").at("metrics");
        const double tokens = metrics.at("cim.tokens");
        CHECK(tokens == 64);
        const double speed = tokens / metrics.at("cim.busy_seconds").get<double>();
        CHECK(speed == Approx(tokens_per_s).epsilon(1e-6));
        const double with_weights = metrics.at("energy_titanus_loading.cim_j");
        CHECK(with_weights / tokens == Approx(635.04e-6).epsilon(1e-5));
        const double resident = metrics.at("energy.cim_j");
        CHECK(resident / tokens == Approx(84.19e-6).epsilon(0.002)); // The paper's division gives
                                                                     // 84.19 uJ, the run 84.35.
        CHECK(metrics.at("area.cim_mm2").get<double>() / 12 == Approx(83.32).epsilon(1e-4));
        CHECK(metrics.at("cim.kv_bytes") == 12 * 893'376);
    }
}

TEST_CASE("a prompt in chunks is refused in the reading sample, which has no chunks")
{
    const Workplace place;
    const auto run = [&](const char* chunk) {
        return place.levee({"run", "pim/titanus_125m", "--out", "out", "--set",
                            "system.memories.cim.reading={extends: pim/readings/sample.yaml}",
                            "--set", "workload.prefill_chunk=" + std::string(chunk)});
    };
    for (const char* chunk : {"8", "31"}) { // With chunks of 31, the last one has a single token.
        const auto refused = run(chunk);
        INFO(refused.text);
        CHECK(refused.code != 0);
        CHECK(refused.text.find("workload.prefill_chunk is " + std::string(chunk) +
                                " for a prompt of 32 tokens") != std::string::npos);
    }
    REQUIRE(run("32").code == 0);
    CHECK(place.results("out").at("metrics").at("cim.kv_bytes") == 12 * 893'376);
}

TEST_CASE("a model that does not fit the cores is refused with the reason")
{
    const Workplace place;
    const auto refused = [&](const TitanusCase& which, const std::string& why) {
        save_model(place, which.shape);
        place.write("scenario.yaml", scenario_of(which));
        const auto run = place.levee({"run", "scenario.yaml", "--out", "out", "--allow-outside"});
        INFO(run.text);
        CHECK(run.code != 0);
        CHECK(run.text.find(why) != std::string::npos);
    };
    refused(llama("rotation: null"), "RoPE");
    TitanusCase small = opt("");
    small.cim = "cores: 1, hidden: 96, feed_forward: 384, rotation: null";
    refused(small, "it has 1 cores, each for one layer");
    small.cim = "cores: 2, hidden: 96, feed_forward: 256, rotation: null";
    refused(small, "W_up of layer 0 with 384 outputs and 96 inputs");
    refused(opt("compression: {pruned: 0.3, zeros: 0.5, restored: 0.4, key_bits: 3, value_bits: 2, "
                "levels: [{tokens: 64, levels: 5}]}"),
            "data: timing_only");
    refused(opt("rotation: null, reading: {log_block: 100}"),
            "'system.memories.cim.reading.log_block' rounds the cycles of a sample");
    refused(opt("rotation: null, reading: {off_chip_factor: 2}"),
            "'system.memories.cim.reading.off_chip_factor' has no effect");
    refused(opt("compression: {pruned: 0.3, zeros: 0.5, restored: 0.4, key_bits: 3, value_bits: 2, "
                "levels: []}"),
            "'system.memories.cim.compression.levels' is empty");
    TitanusCase packs = opt("rotation: null");
    packs.more =
        "data: timing_only\ndecisions: {statistics: tech/decisions/embedded.yaml}\nkv_cache: "
        "{policy: cpq, cpq: {key_bits: 4, value_bits: 4, max_levels: 2, key_threshold: 0, "
        "value_threshold: 0}}\n";
    refused(packs, "which this run does not have; expected data: functional");
    packs.more.replace(0, packs.more.find("kv_cache"), "");
    packs.cim += ", scale_buffer: 5 kB";
    // The packed rows take 192 x (2 x 8 + 12) bytes.
    refused(packs, "take 5376 bytes; a core has a 'scale_buffer' of 5000");
}

TEST_CASE("a timing-only run of a model in cores has the figures of the functional one")
{
    for (const char* pipeline : {"none", "inter_core"}) {
        const Workplace place;
        const TitanusCase which = opt("rotation: null, pipeline: " + std::string(pipeline));
        save_model(place, which.shape);
        place.write("scenario.yaml",
                    scenario_of(which) + "tech: {energy: tech/energy/titanus.yaml}\n");
        const nlohmann::json functional = check_timing_only(place);
        CHECK(functional.at("metrics").at("energy.cim_j") > 0);
    }
}

TEST_CASE("a timing-only run of cores that compress has the figures of the functional one")
{
    for (const char* pipeline : {"none", "inter_core"}) {
        const Workplace place;
        TitanusCase which = opt("rotation: null, pipeline: " + std::string(pipeline));
        which.workload = ", batch: 2, prefill_chunk: 3";
        which.more = "kv_cache: {policy: cpq, cpq: {key_bits: 4, value_bits: 3, max_levels: 3, "
                     "key_threshold: 0.1, value_threshold: 0.05, tolerance: 0.1}}\n"
                     "tech: {energy: tech/energy/titanus.yaml}\n";
        save_model(place, which.shape);
        std::string text = scenario_of(which);
        text.replace(text.find("[["), 2, "[[5, 6, 7], [");
        place.write("scenario.yaml", text);
        const nlohmann::json metrics = check_timing_only(place).at("metrics");
        CHECK(metrics.at("cim.non_zeros") < metrics.at("cim.compressed_values"));
        // At least level 0 of all channels is written: 384 keys and values of two layers and
        // sequences.
        const double byte = 0.02167018e-9 / 64;
        CHECK(metrics.at("energy.cim.scale_buffer_j").get<double>() >= 4 * 192 * byte);
    }
}

TEST_CASE("without data or a recording, cores that compress keep the expected number of values")
{
    const Workplace place;
    TitanusCase which = opt("rotation: null, expected: {pruned: 0.25, zero: 0.5, levels: 2}");
    which.more =
        "data: timing_only\ndecisions: {statistics: tech/decisions/embedded.yaml}\nkv_cache: "
        "{policy: cpq, cpq: {key_bits: 4, value_bits: 4, max_levels: 2, key_threshold: 0, "
        "value_threshold: 0}}\n";
    save_model(place, which.shape);
    const nlohmann::json metrics = metrics_of(place, "timing_only", scenario_of(which));
    // Eleven tokens in two layers, with keys and values of 96 channels.
    CHECK(metrics.at("cim.compressed_values") == 11 * 2 * 192);
    CHECK(metrics.at("cim.survivors") == 11 * 2 * 144);
    CHECK(metrics.at("cim.non_zeros") == 11 * 2 * 96);
    CHECK(metrics.at("cim.most_levels") == 2);
    // A row has 1 + 12 + 24 + 6 bytes. A row is written once, and each later token reads it.
    const std::uint64_t rows = 2 * 2 * (11 + 7 + 8 + 9 + 10), vectors = 7 * 2 * 2 * 96 * 2;
    CHECK(metrics.at("cim.kv_bytes") == rows * 43 + vectors);
}
