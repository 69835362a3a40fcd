// SPDX-License-Identifier: Apache-2.0
// Tests caches of limited size on VEDA in FP16. Every logits vector equals the composed
// reference's, which keeps the tokens that the references of voting engine and evictor keep.
#include "test/system/veda_case.hpp"

#include <string>

using namespace levee;
using namespace levee::test;

namespace {

/// Returns a case with grouped queries, on the machine with both blocks that can select a victim.
VedaCase limited(levee_kv_policy_kind kind, std::uint32_t budget, std::vector<Ids> prompts)
{
    return {.shape = llama_shape(128, 200, 2, 4, 2, 300, 160),
            .prompts = std::move(prompts),
            .more = "",
            .rest = "",
            .new_tokens = 24,
            .system = "veda/systems/evicting.yaml",
            .rule = rule_of(kind, budget)};
}

} // namespace

TEST_CASE("voting and every other policy have the reference's bits on VEDA")
{
    for (const levee_kv_policy_kind kind : veda_policies) {
        INFO("policy " << kind);
        check_bits(limited(kind, 20, {drawn_ids(1, 50)}));
        check_bits(limited(kind, 20, {drawn_ids(2, 12)})); // The budget is reached while decoding.
    }
}

TEST_CASE("prompts in passes of any size keep the same tokens as the reference on VEDA")
{
    for (const levee_kv_policy_kind kind : veda_policies)
        for (const char* chunk : {"1", "7", "16"}) {
            INFO("policy " << kind << ", chunks of " << chunk);
            VedaCase which = limited(kind, 17, {drawn_ids(3, 45)});
            which.more = std::string(", prefill_chunk: ") + chunk;
            which.new_tokens = 6;
            check_bits(which);
        }
}

TEST_CASE("a batch of sequences with caches of limited size has the reference's bits on VEDA")
{
    for (const levee_kv_policy_kind kind : veda_policies) {
        INFO("policy " << kind);
        check_bits(limited(kind, 20, {drawn_ids(4, 5), drawn_ids(5, 50), drawn_ids(6, 19)}));
    }
}

TEST_CASE("thresholds, tokens that cast no votes, and protected tokens, bit for bit on VEDA")
{
    for (const levee_kv_voting& voting :
         {levee_kv_voting{1.0f, 2.0f, 0, 0}, levee_kv_voting{0.5f, 0.0f, 32, 10},
          levee_kv_voting{1.5f, 0.7f, 100, 15}}) {
        INFO("mean " << voting.mean_factor);
        VedaCase which = limited(LEVEE_KV_VOTING, 20, {drawn_ids(7, 60)});
        which.rule.voting = voting;
        check_bits(which);
    }
}

TEST_CASE("the embedded model and a biased one, with caches of limited size, bit for bit on VEDA")
{
    for (const levee_kv_policy_kind kind : {LEVEE_KV_VOTING, LEVEE_KV_STREAMING, LEVEE_KV_H2O}) {
        INFO("policy " << kind);
        VedaCase which = limited(kind, 40, {drawn_ids(8, 70)});
        which.shape.reset();
        check_bits(which);
        which.shape = opt_shape(96, 384, 2, 6, 300, 160);
        check_bits(which);
    }
}

TEST_CASE("half of a story's tokens in the cache, as in veda/recall, bit for bit")
{
    VedaCase which = limited(LEVEE_KV_VOTING, 140, {drawn_ids(10, 281)});
    which.shape.reset();
    which.system = "systems/veda.yaml";
    check_bits(which);
}

TEST_CASE("VEDA as shipped votes with the reference's bits, also with heads of 64 and unit groups")
{
    VedaCase which = limited(LEVEE_KV_VOTING, 20, {drawn_ids(9, 40)});
    which.shape = llama_shape(256, 300, 2, 4, 4, 300, 160);
    which.system = "systems/veda.yaml";
    check_bits(which);
    which.new_tokens = 6;
    which.system = "veda/systems/eight.yaml";
    check_bits(which);
}
