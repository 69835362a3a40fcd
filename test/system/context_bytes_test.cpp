// SPDX-License-Identifier: Apache-2.0
// Checks the bytes that longer contexts add. Keys and values are read once per step for all query
// heads that share them, on every machine, for any batch and ratio of heads.
#include "test/system/program.hpp"

using namespace levee::test;

namespace {

struct Heads {
    unsigned heads, kv_heads, dim;
};

/// A machine, the name prefix of its memories for the cache, and the bytes that it stores per
/// vector in addition to the 16-bit elements.
struct Keeper {
    const char* scenario;
    const char* memory;
    unsigned beside;
    std::vector<std::string> sets;
};

const Keeper keepers[] = {
    {"veda/llama2_7b", "hbm", 0, {}},
    {"veda/llama2_7b", "hbm", 0, {"system={extends: systems/veda_flexible.yaml}"}},
    {"veda/llama2_7b_eight", "hbm", 0, {}},
    {"kelle/original_sram", "dram", 4, {}},
};

std::string shape_of(const Heads& heads)
{
    const auto text = [](unsigned value) { return std::to_string(value); };
    return "name: heads\nsource: none\ndim: " + text(heads.heads * heads.dim) +
           "\nhidden: 512\nlayers: 2\nheads: " + text(heads.heads) +
           "\nkv_heads: " + text(heads.kv_heads) + "\nhead_dim: " + text(heads.dim) +
           "\nvocab: 512\nmax_context: 4096\nnorm: rms\nnorm_epsilon: 1e-5\nactivation: "
           "silu_glu\nposition: rope_halves\nbiases: none\ntied: false\nweights: int8\n";
}

nlohmann::json run(const Workplace& place, const Keeper& keeper, const Heads& heads,
                   const std::vector<std::string>& more)
{
    place.write("heads.yaml", shape_of(heads));
    std::vector<std::string> arguments{"run", keeper.scenario, "--quiet",        "--out",
                                       "out", "--no-report",   "--allow-outside"};
    std::vector<std::string> sets{"model.shape=" + place.path("heads.yaml").string(),
                                  "sampling=off", "workload.context=512"};
    sets.insert(sets.end(), keeper.sets.begin(), keeper.sets.end());
    sets.insert(sets.end(), more.begin(), more.end());
    for (const std::string& set : sets)
        arguments.insert(arguments.end(), {"--set", set});
    const Outcome outcome = place.levee(arguments);
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    return place.results("out").at("metrics");
}

/// Returns the sum of a figure over the memories of the cache.
double sum_of(const nlohmann::json& metrics, const std::string& before, const std::string& memory,
              const std::string& after)
{
    double sum = 0;
    for (const auto& [name, value] : metrics.items())
        if (name.starts_with(before + memory) && name.ends_with(after) &&
            name.find('.', before.size()) == name.size() - after.size())
            sum += value.get<double>();
    return sum;
}

/// Returns the bytes of the keys and values of this many tokens, including the additional bytes.
double cache_bytes(const nlohmann::json& metrics, const Keeper& keeper, const Heads& heads,
                   double tokens)
{
    const double vector = 2.0 * heads.dim;
    return tokens * metrics.at("kv.bytes_per_token").get<double>() * (vector + keeper.beside) /
           vector;
}

} // namespace

TEST_CASE("a decode step with more tokens reads their keys and values once for all query heads")
{
    const Workplace place;
    const Heads heads = GENERATE(Heads{8, 8, 64}, Heads{8, 2, 64}, Heads{14, 2, 64},
                                 Heads{16, 1, 32}, Heads{6, 3, 128});
    const std::string batch = GENERATE("1", "3");
    for (const Keeper& keeper : keepers) {
        INFO(keeper.scenario << ", " << heads.heads << " heads on " << heads.kv_heads << ", batch "
                             << batch);
        const auto bytes = [&](const char* prompt, nlohmann::json& metrics) {
            metrics =
                run(place, keeper, heads,
                    {"workload.batch=" + batch, "workload.prefill_chunk=8",
                     std::string("workload.prompt_tokens=") + prompt, "workload.max_new_tokens=3"});
            return sum_of(metrics, "roofline.decode.", keeper.memory, ".bytes");
        };
        nlohmann::json metrics;
        const double fewer = bytes("200", metrics), more = bytes("400", metrics);
        const double steps = 2, tokens = 200 * std::stod(batch);
        CHECK(more - fewer == cache_bytes(metrics, keeper, heads, steps * tokens));
    }
}

TEST_CASE("a policy that uses attention weights also reads keys and values once")
{
    const Workplace place;
    const Heads heads = GENERATE(Heads{8, 8, 64}, Heads{8, 2, 64}, Heads{14, 2, 64});
    const Keeper keeper{"veda/llama2_7b_voting", "hbm", 0, {}};
    const auto bytes = [&](const char* budget, nlohmann::json& metrics) {
        metrics = run(place, keeper, heads,
                      {"kv_cache.ratio=null", std::string("kv_cache.budget=") + budget,
                       "workload.prefill_chunk=8", "workload.prompt_tokens=400",
                       "workload.max_new_tokens=3"});
        return metrics.at("roofline.decode.hbm.bytes").get<double>();
    };
    nlohmann::json metrics;
    const double fewer = bytes("128", metrics), more = bytes("256", metrics);
    const double slots = 2 * 2 * 128; // Slots of both layers in both steps.
    const double beyond = more - fewer - cache_bytes(metrics, keeper, heads, 2 * 128);
    CHECK(beyond >= 0);
    CHECK(beyond <= 16 * slots); // The remaining bytes are votes and tables.
}

TEST_CASE("a prefill chunk reads the keys and values before it once for all query heads")
{
    const Workplace place;
    const Heads heads = GENERATE(Heads{8, 8, 64}, Heads{8, 2, 64}, Heads{14, 2, 64});
    for (const Keeper& keeper : keepers) {
        INFO(keeper.scenario << ", " << heads.heads << " heads on " << heads.kv_heads);
        const auto bytes = [&](const char* prompt, nlohmann::json& metrics) {
            metrics =
                run(place, keeper, heads,
                    {"workload.batch=2", "workload.prefill_chunk=8",
                     std::string("workload.prompt_tokens=") + prompt, "workload.max_new_tokens=1"});
            return sum_of(metrics, "", keeper.memory, ".read_bytes");
        };
        nlohmann::json metrics;
        const double two = bytes("256", metrics), three = bytes("264", metrics),
                     four = bytes("272", metrics);
        // Each prompt has one more chunk than the previous one. The second difference between
        // prompts removes all bytes that do not grow with the context.
        CHECK((four - three) - (three - two) == cache_bytes(metrics, keeper, heads, 2 * 8));
    }
}

TEST_CASE("a batch step reads weights once, but a prefill reads them once per sequence")
{
    const Workplace place;
    const Heads heads{8, 2, 64};
    for (const Keeper& keeper : keepers) {
        INFO(keeper.scenario);
        const auto bytes = [&](const char* batch, const char* phase, double& weights) {
            const nlohmann::json metrics =
                run(place, keeper, heads,
                    {std::string("workload.batch=") + batch, "workload.prefill_chunk=8",
                     "workload.prompt_tokens=8", "workload.max_new_tokens=2"});
            weights = metrics.at("model.step_weight_bytes");
            return sum_of(metrics, std::string("roofline.") + phase + ".", keeper.memory, ".bytes");
        };
        double weights = 0;
        const double alone = bytes("1", "decode", weights);
        const double four = bytes("4", "decode", weights);
        CHECK(four - alone < 0.1 * weights);
        const double one = bytes("1", "prefill", weights);
        CHECK(bytes("4", "prefill", weights) == Approx(4 * one).epsilon(0.01));
    }
}
