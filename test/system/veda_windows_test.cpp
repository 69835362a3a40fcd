// SPDX-License-Identifier: Apache-2.0
// Tests layers with windowed attention on VEDA. Logits equal the reference's bit for bit, with and
// without an element-serial unit, under every cache policy of the other layers.
#include "test/reference/structured_shapes.hpp"
#include "test/system/veda_case.hpp"

using namespace levee;
using namespace levee::test;

namespace {

VedaCase with_window(std::uint32_t window)
{
    VedaCase which;
    which.shape = plain_shape();
    which.shape->max_context = 128;
    which.shape->window = window;
    which.shape->layer_flags = {LEVEE_LAYER_LOCAL, 0, LEVEE_LAYER_LOCAL, LEVEE_LAYER_LOCAL};
    which.prompts = {drawn_ids(5, 1), drawn_ids(6, 71)};
    which.new_tokens = 20;
    return which;
}

std::string logits_of(const VedaCase& which)
{
    const Workplace place;
    save_model(place, which);
    place.write("scenario.yaml", scenario_of(which) + "observe: {logits: logits.f32}\n");
    REQUIRE(place.levee({"run", "scenario.yaml", "--out", "out"}).code == 0);
    return place.read("out/logits.f32");
}

} // namespace

TEST_CASE("windows on VEDA: the reference's bits, decoded and in chunks")
{
    for (const std::uint32_t window : {1U, 12U, 40U})
        for (const char* const chunk : {"1", "7", "32"}) {
            INFO("window " << window << ", chunk " << chunk);
            VedaCase which = with_window(window);
            which.more = std::string(", prefill_chunk: ") + chunk;
            check_bits(which);
        }
}

TEST_CASE("windows on VEDA: without an element-serial unit no chunk changes a bit")
{
    for (const std::uint32_t window : {1U, 12U, 40U}) {
        INFO("window " << window);
        std::string expected;
        for (const char* const chunk : {"1", "7", "32"}) {
            VedaCase which = with_window(window);
            which.system = "systems/veda_flexible.yaml";
            which.more = std::string(", prefill_chunk: ") + chunk;
            const std::string logits = logits_of(which);
            CHECK(!logits.empty());
            CHECK((expected.empty() || logits == expected));
            expected = logits;
        }
    }
}

TEST_CASE("windows on VEDA: layers with full attention follow the policy")
{
    for (const levee_kv_policy_kind policy : veda_policies) {
        INFO("policy " << policy);
        VedaCase which = with_window(12);
        which.rule = rule_of(policy, 24);
        which.system = "veda/systems/evicting.yaml";
        check_bits(which);
    }
}

TEST_CASE("windows on VEDA: all layers follow the policy, local ones within their window")
{
    for (const levee_kv_policy_kind policy : veda_policies)
        for (const std::uint32_t window : {26U, 40U}) {
            INFO("policy " << policy << ", window " << window);
            VedaCase which = with_window(window);
            which.rule = rule_of(policy, 24);
            which.rule.reach = {window, 0, window, window};
            which.system = "veda/systems/evicting.yaml";
            which.more = window == 26 ? ", prefill_chunk: 7" : ", prefill_chunk: 32";
            check_bits(which);
        }
}

TEST_CASE("windows on VEDA: timing-only runs with votes in all layers")
{
    VedaCase which = with_window(26);
    which.rule = rule_of(LEVEE_KV_VOTING, 24);
    which.rule.reach = {26, 0, 26, 26};
    check_timing_only(which);
}

TEST_CASE("windows on VEDA: timing-only runs have the figures of functional ones")
{
    check_timing_only(with_window(12));
}
