// SPDX-License-Identifier: Apache-2.0
// Tests the table of policies and keys of `kv_cache:`. It is complete for firmware and platform,
// and the platform declares and reads the keys as the table says.
#include "platform/input/config/kv_cache.hpp"
#include "platform/input/config/kv_keys.hpp"
#include "test/unit/config/files.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <span>

using namespace levee::config;

namespace {

KvCacheConfig cache(const std::string& yaml)
{
    return read_kv_cache(parse_yaml(yaml, "s.yaml"));
}

std::vector<const levee_kv_rule*> rules()
{
    std::vector<const levee_kv_rule*> all;
    for (std::uint32_t kind = 0; const levee_kv_rule* rule = levee_kv_rule_of(kind); ++kind)
        all.push_back(rule);
    return all;
}

bool is_sentence(const std::string& text)
{
    return text.size() > 10 && text.back() == '.';
}

} // namespace

TEST_CASE("policies: each row is complete, and each name belongs to one policy")
{
    std::set<std::string> names;
    for (const levee_kv_rule* rule : rules()) {
        INFO(rule->name);
        CHECK(names.insert(rule->name).second);
        CHECK(kv_policy_named(rule->name) == names.size() - 1);
        CHECK(is_sentence(rule->meaning));
        CHECK((rule->needs & ~rule->uses) == 0);
        CHECK((rule->refuses & rule->uses) == 0);
        CHECK((rule->protect != nullptr) == rule->evicts);
        CHECK(((rule->uses & LEVEE_KV_BIT(BUDGET)) != 0) == rule->evicts);
    }
    CHECK(levee_kv_rule_of(static_cast<std::uint32_t>(names.size())) == nullptr);
    CHECK_FALSE(kv_policy_named("h20"));
}

TEST_CASE("policies: no more tokens are protected than the budget allows")
{
    levee_kv_policy kv{};
    kv.budget = 64;
    kv.window = 16;
    kv.sinks = 4;
    levee_kv_voting voting{};
    voting.protect = 7;
    for (const levee_kv_rule* rule : rules()) {
        if (!rule->evicts)
            continue;
        INFO(rule->name);
        levee_kv_protection protection{};
        rule->protect(&kv, &voting, &protection);
        CHECK(protection.sinks + protection.window <= kv.budget);
        CHECK(protection.fixed < kv.budget);
        const bool stated = (rule->uses & LEVEE_KV_BIT(RECENT_WINDOW)) != 0;
        if (stated)
            CHECK(protection.window == kv.window);
    }
}

TEST_CASE("keys of kv_cache: each row is complete, and declared for schema and reference page")
{
    const std::span<const Key> declared = kv_cache_keys();
    CHECK(declared.size() == LEVEE_KV_KEYS + 2); // `policy` and `with` are declared, too.
    for (const levee_kv_key& key : levee_kv_keys) {
        INFO(key.name);
        CHECK(is_sentence(key.meaning));
        CHECK((key.type == LEVEE_KV_TYPE_WORD) == (key.words != nullptr));
        CHECK((key.type == LEVEE_KV_TYPE_SECTION) == (key.keys != nullptr));
        const Key* const found = find_key(declared, key.name);
        REQUIRE(found != nullptr);
        CHECK(std::string(found->meaning) == key.meaning);
        for (const Word& word : found->words)
            CHECK(key.words[word.value] == std::string(word.text));
        for (const Key& inner : found->keys)
            CHECK(is_sentence(inner.meaning));
    }
    CHECK(find_key(declared, "policy")->words.size() == rules().size());
    CHECK(find_key(find_key(declared, "cpq")->keys, "key_threshold")->is_required());
    CHECK(std::string(find_key(declared, "view_bits")->otherwise) == "4");
}

TEST_CASE("combined policies: what each needs, and what must not be given twice")
{
    using Catch::Contains;
    const std::string listed = "retrieval: {bits: 4, top_k: 8}";
    const KvCacheConfig some =
        cache("{policy: aep, budget: 64, with: [retrieval], " + listed + "}");
    CHECK(some.boot.kv.kind == LEVEE_KV_AEP);
    CHECK(some.boot.retrieval.top_k == 8);
    CHECK(some.with == std::vector<std::uint32_t>{LEVEE_KV_RETRIEVAL});
    CHECK(some.unused.empty());
    const KvCacheConfig none = cache("{policy: aep, budget: 64, " + listed + "}");
    CHECK(none.boot.retrieval.bits == 0);
    CHECK(none.unused == std::vector<std::string>{"retrieval"});
    CHECK(cache("{policy: full, with: [retrieval], " + listed + "}").boot.retrieval.bits == 4);
    CHECK_THROWS_WITH(cache("{policy: full, budget: 64, with: [retrieval], " + listed + "}"),
                      Contains("'kv_cache.budget' has no effect"));
    CHECK_THROWS_WITH(cache("{policy: aep, budget: 64, with: [retrieval]}"),
                      Contains("'kv_cache.with' has 'retrieval', whose settings are missing; "
                               "expected them in 'kv_cache.retrieval'"));
    CHECK_THROWS_WITH(cache("{policy: retrieval, with: [retrieval], " + listed + "}"),
                      Contains("names 'retrieval' twice"));
    CHECK_THROWS_WITH(cache("{policy: aep, budget: 64, with: [voting]}"),
                      Contains("expected one of: cpq, retrieval"));
    CHECK_THROWS_WITH(
        cache("{policy: aep, budget: 64, bits: 8, with: [retrieval], " + listed + "}"),
        Contains("'policy: aep' and 'with: retrieval', whose block reads only 16-bit keys"));
}

TEST_CASE("keys of kv_cache: values outside a row's bounds are refused at the key")
{
    using Catch::Contains;
    CHECK_THROWS_WITH(cache("{policy: voting, budget: 9, reserved: 1, threshold: {mean: 1e-9, "
                            "deviation: 0}}"),
                      Contains("'kv_cache.threshold.mean' is too small; expected 0 or at least"));
    CHECK_THROWS_WITH(
        cache("{policy: voting, budget: 9}"),
        Contains("lacks the keys 'threshold', 'reserved', which 'policy: voting' needs"));
    CHECK_THROWS_WITH(cache("{policy: aep}"),
                      Contains("lacks the key 'budget' (or 'ratio'), which 'policy: aep' needs"));
    CHECK_THROWS_WITH(cache("{policy: aep, ratio: 0}"), Contains("'kv_cache.ratio' is 0"));
    CHECK_THROWS_WITH(cache("{policy: aep, ratio: 0, budget: 64}"),
                      Contains("'kv_cache.ratio' is given, and so is 'budget'"));
    CHECK_THROWS_WITH(cache("{policy: retrieval, retrieval: {bits: 9, top_k: 1}}"),
                      Contains("'kv_cache.retrieval.bits'") && Contains("8"));
    CHECK_THROWS_WITH(cache("{policy: retrieval, retrieval: {bits: 1}}"), Contains("neither"));
    CHECK_THROWS_WITH(cache("{recompute: some}"), Contains("hidden"));
    CHECK_THROWS_WITH(cache("{staging: 2 GiB}"), Contains("'kv_cache.staging'"));
    CHECK_THROWS_WITH(cache("{policy: retrieval, budget: 9, retrieval: {bits: 1, top_k: 1}}"),
                      Contains("'kv_cache.budget' has no effect with 'policy: retrieval'"));
    CHECK_THROWS_WITH(
        cache("{policy: full, with: [retrieval], budget: 9, retrieval: {bits: 1, top_k: 1}}"),
        Contains("'kv_cache.budget' has no effect with 'policy: full' and 'with: retrieval'"));
}

TEST_CASE("keys of kv_cache: thresholds are one for all layers, or a list")
{
    const std::string head = "{policy: cpq, cpq: {key_bits: 4, value_bits: 4, max_levels: 2, ";
    const KvCacheConfig config = cache(head + "key_threshold: 0.5, value_threshold: [1, 2, 3]}}");
    CHECK(config.boot.cpq.key_layers == 1);
    CHECK(config.boot.cpq.key_threshold[0] == 0.5f);
    CHECK(config.boot.cpq.value_layers == 3);
    CHECK(config.boot.cpq.value_threshold[2] == 3.0f);
    CHECK_THROWS_WITH(cache(head + "key_threshold: [1, -1], value_threshold: 1}}"),
                      Catch::Contains("'kv_cache.cpq.key_threshold' is -1"));
    CHECK_THROWS_WITH(cache(head + "key_threshold: [], value_threshold: 1}}"),
                      Catch::Contains("has 0 numbers"));
}

TEST_CASE("keys of kv_cache: values that a policy does not use have no effect")
{
    const KvCacheConfig plain = cache("{policy: aep, budget: 64}");
    const KvCacheConfig given = cache(
        "{policy: aep, budget: 64, draw: rank, retrieval: {bits: 4, top_k: 4}, cpq: {key_bits: 4, "
        "value_bits: 4, max_levels: 2, key_threshold: 0.5, value_threshold: 0}}");
    CHECK(given.unused == std::vector<std::string>{"retrieval", "cpq", "draw"});
    CHECK(given.boot.random.draw == plain.boot.random.draw);
    CHECK(given.boot.retrieval.bits == 0);
    CHECK(given.boot.cpq.key_bits == 0);
}

TEST_CASE("keys of kv_cache: all layers follow a policy that evicts tokens of a window")
{
    using Catch::Contains;
    CHECK(cache("{policy: aep, budget: 64}").boot.codes.layers == LEVEE_KV_LAYERS_FULL);
    CHECK(cache("{policy: aep, budget: 64, layers: all}").boot.codes.layers == LEVEE_KV_LAYERS_ALL);
    CHECK(cache("{policy: streaming, budget: 64, score: logit, layers: all}").boot.codes.layers ==
          LEVEE_KV_LAYERS_ALL);
    CHECK_THROWS_WITH(cache("{policy: full, layers: all}"),
                      Contains("'kv_cache.layers' is all with a policy that evicts no token"));
    CHECK_THROWS_WITH(cache("{policy: retrieval, layers: all, retrieval: {bits: 4, top_k: 8}}"),
                      Contains("s.yaml:1:") && Contains("the policy is 'policy: retrieval'"));
    CHECK(cache("{policy: voting, budget: 9, reserved: 1, layers: all, threshold: {mean: 1, "
                "deviation: 0}}")
              .unused.empty());
    CHECK_THROWS_WITH(cache("{policy: h2o, budget: 64, score: logit, layers: all}"),
                      Contains("expected full, or 'score: softmax'"));
    CHECK_THROWS_WITH(cache("{policy: aep, budget: 64, layers: some}"), Contains("full"));
}

TEST_CASE("keys of kv_cache that a policy does not permit together are refused at their place")
{
    using Catch::Contains;
    const auto refused = [](const std::string& keys, const std::string& key,
                            const std::string& expected) {
        INFO(keys);
        CHECK_THROWS_WITH(cache("{budget: 64, " + keys + "}"),
                          Contains("s.yaml:1:") && Contains("'kv_cache." + key + "' ") &&
                              Contains("expected " + expected) && Contains("the policy is"));
    };
    const std::string voting = "policy: voting, reserved: 1, threshold: {mean: 1, deviation: 0}, ";
    const std::string retrieval = "with: [retrieval], retrieval: {bits: 4, top_k: 8}, ";
    const std::string cpq = "with: [cpq], cpq: {key_bits: 4, value_bits: 4, max_levels: 2, "
                            "key_threshold: 0, value_threshold: 0}, ";
    refused(voting + "score: logit", "score", "softmax");
    refused(voting + "search: after", "search", "beside");
    refused("policy: aep, search: after", "search", "'score: logit'");
    refused("policy: h2o, score: logit, layers: all", "layers", "full, or 'score: softmax'");
    refused("policy: aep, score: logit, " + retrieval, "score", "softmax with retrieval");
    refused("policy: aerp, recompute: all, " + retrieval, "recompute", "off with retrieval");
    refused("policy: aep, " + cpq, "cpq", "kv_cache.policy voting or full");
    CHECK_NOTHROW(cache("{budget: 64, " + voting + cpq + "}"));
    CHECK_NOTHROW(cache("{budget: 64, policy: aerp, recompute: off, " + retrieval + "}"));
    CHECK_NOTHROW(cache("{budget: 64, policy: aep, score: logit, search: after}"));
}

TEST_CASE("values of a recording fill the same fields as the scenario's keys")
{
    const KvCacheConfig config =
        cache("{policy: aerp, budget: 96, recent_window: 24, sinks: 5, score: logit, "
              "search: after, view_bits: 6, recent_high: true, recompute: all, staging: 64 KiB}");
    const std::vector<KvValue> values = kv_values(config.boot);
    const auto text_of = [&values](const std::string& name) -> const std::string* {
        for (const KvValue& value : values)
            if (value.name == name)
                return &value.text;
        return nullptr;
    };
    levee_boot_info boot = kv_of_texts(text_of);
    CHECK(boot.kv.budget == 96);
    CHECK(boot.kv.recompute == LEVEE_KV_RECOMPUTE_ALL);
    CHECK(kv_values(boot) == values);
    const auto none = [](const std::string&) -> const std::string* { return nullptr; };
    CHECK(kv_values(kv_of_texts(none)) == kv_values(kv_defaults()));
}
