// SPDX-License-Identifier: Apache-2.0
// Tests models with biases on VEDA, where the function unit adds them to sums in transit. Logits
// equal the composed reference's bit for bit, and biases take no time.
#include "test/system/veda_case.hpp"

#include <string>

using namespace levee;
using namespace levee::test;

namespace {

VedaCase opt(std::uint32_t heads, std::uint32_t head_dim, std::vector<Ids> prompts)
{
    return {.shape = opt_shape(heads * head_dim, 4 * heads * head_dim, 2, heads, 300, 160),
            .prompts = std::move(prompts),
            .more = "",
            .rest = ""};
}

nlohmann::json metrics_of(const VedaCase& which)
{
    const Workplace place;
    save_model(place, which);
    place.write("scenario.yaml", scenario_of(which));
    REQUIRE(place.levee({"run", "scenario.yaml", "--out", "out", "--allow-outside"}).code == 0);
    return place.results("out").at("metrics");
}

} // namespace

TEST_CASE("biases, layer norms, ReLU and learned positions have the reference's bits on VEDA")
{
    for (const auto& [heads, dim] : {std::pair{6u, 16u}, std::pair{2u, 64u}, std::pair{3u, 128u}}) {
        INFO(heads << " heads of " << dim);
        check_bits(opt(heads, dim, {drawn_ids(1, 33)}));
    }
    VedaCase gelu = opt(6, 16, {drawn_ids(2, 20)});
    gelu.shape->activation = LEVEE_ACTIVATION_GELU;
    gelu.shape->tied = false;
    check_bits(gelu);
}

TEST_CASE("biases on only Q, K and V with a gated network have the reference's bits on VEDA")
{
    VedaCase which = opt(6, 16, {drawn_ids(3, 20)});
    which.shape = llama_shape(96, 200, 2, 6, 2, 300, 160);
    which.shape->qkv_biases = true;
    check_bits(which);
}

TEST_CASE("a biased model has the reference's bits in chunks and in a batch")
{
    for (const char* chunk : {"1", "7", "64"}) {
        VedaCase which = opt(4, 32, {drawn_ids(4, 37)});
        which.more = std::string(", prefill_chunk: ") + chunk;
        which.new_tokens = 3;
        check_bits(which);
    }
    check_bits(opt(4, 32, {drawn_ids(5, 3), drawn_ids(6, 33), drawn_ids(7, 14)}));
}

TEST_CASE("a biased model has the reference's bits with any order of its matrices, and on groups")
{
    VedaCase rows = opt(4, 32, {drawn_ids(8, 19)});
    rows.columns_first = false;
    check_bits(rows);
    for (const char* chunk : {"1", "16"}) {
        VedaCase eight = opt(8, 48, {drawn_ids(9, 21)}); // Q, K and V have 9 pieces of 128 columns.
        eight.more = std::string(", prefill_chunk: ") + chunk;
        eight.new_tokens = 4;
        eight.system = "veda/systems/eight.yaml";
        check_bits(eight);
    }
}

TEST_CASE("a timing-only run of a biased model has the figures of the functional one")
{
    check_timing_only(opt(4, 32, {drawn_ids(10, 30)}));
    check_timing_only(opt(4, 32, {drawn_ids(11, 5), drawn_ids(12, 17)}));
    for (const levee_kv_policy_kind kind : {LEVEE_KV_VOTING, LEVEE_KV_H2O}) {
        VedaCase limited = opt(4, 32, {drawn_ids(13, 30)});
        limited.more = ", prefill_chunk: 16";
        limited.rule = rule_of(kind, 20);
        limited.system = "veda/systems/evicting.yaml";
        check_timing_only(limited);
    }
}

TEST_CASE(
    "machines without an element-serial unit run a biased model, those without a port refuse it")
{
    for (const char* system : {"systems/veda_flexible.yaml", "systems/veda_adder_tree.yaml"}) {
        VedaCase which = opt(4, 32, {drawn_ids(14, 20)});
        which.system = system;
        CHECK(metrics_of(which).at("decode.tokens_per_s").get<double>() > 0);
    }
    const Workplace place;
    VedaCase which = opt(4, 32, {drawn_ids(15, 20)});
    which.system = "systems/veda_flexible.yaml";
    save_model(place, which);
    place.write("scenario.yaml", scenario_of(which));
    const Outcome outcome = place.levee(
        {"run", "scenario.yaml", "--allow-outside", "--set", "system.streams.results=null", "--set",
         "system.streams.normalised=null", "--set", "system.streams.passed_on=null"});
    CHECK(outcome.code == 1);
    CHECK(outcome.text.find("has biases, but this system has no stream port") != std::string::npos);
}

TEST_CASE("a bias takes the function unit's pace while the arrays work, plus its own bytes")
{
    // With 4 heads of 128, each product (Q, K, V, output, up, down) delivers an element in 4 or
    // more cycles. The unit's two lanes need half a cycle for it.
    VedaCase biased = opt(4, 128, {drawn_ids(16, 8)});
    VedaCase plain = biased;
    plain.shape->biases = false;
    const nlohmann::json with = metrics_of(biased), without = metrics_of(plain);
    const double elements = 2 * (3 * 512 + 512 + 2048 + 512); // Elements of two layers per token.
    const double steps = 8 + 11; // 8 prompt tokens and 11 of 12 new ones pass the layers.
    CHECK(with.at("sfu.elements").get<double>() - without.at("sfu.elements").get<double>() ==
          steps * elements);
    const double slower =
        with.at("decode.seconds").get<double>() / without.at("decode.seconds").get<double>();
    CHECK(slower > 1.0);
    CHECK(slower < 1.03);
}
