// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/kv_cache.hpp"

#include "core/config/reader.hpp"
#include "platform/input/config/kv_keys.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace levee::config {

namespace {

const char* name_of(levee_kv_key_number key)
{
    return levee_kv_keys[key].name;
}

/// Reason why a budget is too small for the protected tokens; empty: it is large enough.
std::string too_small(std::uint32_t budget, const KvCacheConfig& config)
{
    levee_kv_protection protection{};
    kv_rule(config.boot.kv.kind).protect(&config.boot.kv, &config.boot.voting, &protection);
    if (budget > protection.fixed)
        return "";
    return "is " + std::to_string(budget) + "; expected more than the " +
           std::to_string(protection.fixed) + " tokens the policy protects";
}

void check_refused(const MapReader& reader, const levee_kv_rule& rule)
{
    for (unsigned key = 0; key < LEVEE_KV_KEYS; ++key)
        if ((rule.refuses >> key & 1) != 0 && reader.node().find(levee_kv_keys[key].name))
            throw reader.error(levee_kv_keys[key].name,
                               std::string("has no effect with 'policy: ") + rule.name +
                                   "', under which no token is evicted; expected it to be left "
                                   "out");
}

void check_budget(const MapReader& reader, const KvCacheConfig& config)
{
    const levee_kv_rule& rule = kv_rule(config.boot.kv.kind);
    if (!rule.evicts)
        return;
    if (config.ratio != 0) {
        if (config.boot.kv.budget != 0)
            throw reader.error(name_of(LEVEE_KV_KEY_RATIO),
                               "is given, and so is 'budget'; expected one of the two");
        return;
    }
    if (config.boot.kv.budget == 0)
        throw reader.error(name_of(LEVEE_KV_KEY_RATIO), "is 0; expected more");
    if (const std::string wrong = too_small(config.boot.kv.budget, config); !wrong.empty())
        throw reader.error(name_of(LEVEE_KV_KEY_BUDGET), wrong);
}

void check_votes(const MapReader& reader, const KvCacheConfig& config)
{
    if (!kv_rule(config.boot.kv.kind).votes)
        return;
    const std::string policy =
        std::string(" with 'policy: ") + kv_rule(config.boot.kv.kind).name + "'";
    if (config.boot.kv.score != LEVEE_KV_SCORE_SOFTMAX)
        throw reader.error(name_of(LEVEE_KV_KEY_SCORE), "is logit; expected softmax" + policy +
                                                            ", whose tokens vote by probabilities");
    if (config.boot.kv.search != LEVEE_KV_SEARCH_BESIDE)
        throw reader.error(name_of(LEVEE_KV_KEY_SEARCH), "is after; expected beside" + policy);
}

/// With `layers: all`, tokens are evicted although attention beyond a window does not count in
/// their importance.
void check_layers(const MapReader& reader, const KvCacheConfig& config)
{
    const levee_kv_rule& rule = kv_rule(config.boot.kv.kind);
    const char* const name = name_of(LEVEE_KV_KEY_LAYERS);
    const std::string policy = std::string("'policy: ") + rule.name + "'";
    if (config.boot.codes.layers != LEVEE_KV_LAYERS_ALL)
        return;
    if (!rule.evicts)
        throw reader.error(name, "is all with " + policy +
                                     ", under which no token leaves; expected full");
    if (rule.scores && config.boot.kv.score == LEVEE_KV_SCORE_LOGIT)
        throw reader.error(name, "is all with 'score: logit', which tokens beyond a window have, "
                                 "too; expected full, or 'score: softmax'");
}

/// The number of tokens that a step attends to is given exactly once.
void check_retrieval(const Node* node, const levee_kv_retrieval& retrieval)
{
    if (node != nullptr && (retrieval.top_k != 0) == (retrieval.share != 0))
        throw Error(node->place, "'kv_cache.retrieval' needs one of 'top_k' and 'ratio' (above 0), "
                                 "and has " +
                                     std::string(retrieval.share != 0 ? "both" : "neither"));
}

/// The policy combined with those of `with`, which process the tokens that it keeps.
levee_kv_rule joined(levee_kv_rule rule, std::span<const std::uint32_t> with)
{
    for (const std::uint32_t kind : with) {
        const levee_kv_rule& other = kv_rule(kind);
        rule.uses |= other.needs;
        if (!rule.evicts)
            rule.refuses |= other.refuses;
    }
    return rule;
}

void read_with(MapReader& reader, KvCacheConfig& config)
{
    constexpr const char* key = "with";
    for (const std::int64_t word : reader.words(key)) {
        const auto kind = static_cast<std::uint32_t>(word);
        const std::string name = kv_rule(kind).name;
        if (kind == config.boot.kv.kind || std::ranges::count(config.with, kind) != 0)
            throw reader.error(key, "has '" + name + "' twice, 'policy' counted; expected it once");
        for (unsigned needed = 0; needed < LEVEE_KV_KEYS; ++needed)
            if ((kv_rule(kind).needs >> needed & 1) != 0 && !reader.has(levee_kv_keys[needed].name))
                throw reader.error(key, "has '" + name + "'; expected '" +
                                            levee_kv_keys[needed].name + "' beside it");
        config.with.push_back(kind);
    }
}

/// The policies in the words of a scenario.
std::string said(const KvCacheConfig& config)
{
    std::string text = std::string("'policy: ") + kv_rule(config.boot.kv.kind).name + "'";
    for (const std::uint32_t kind : config.with)
        text += std::string(" and 'with: ") + kv_rule(kind).name + "'";
    return text;
}

/// Reads `bits`, the width of stored keys and values. Compressed rows, and keys with proxies, use
/// the machine's own codes.
void read_codes(MapReader& reader, KvCacheConfig& config)
{
    const levee_kv_key& key = levee_kv_keys[LEVEE_KV_KEY_BITS];
    const std::uint32_t bits = reader.quantity32(key.name);
    if (bits != 16 && bits != 8 && bits != 4)
        throw reader.error(key.name, "is " + std::to_string(bits) + "; expected 16, 8 or 4");
    if (bits == key.otherwise)
        return;
    for (const levee_kv_key& other : levee_kv_keys)
        if (other.beside != nullptr && is_kv_given(other, config.boot))
            throw reader.error(key.name, "is " + std::to_string(bits) + " with " + said(config) +
                                             ", whose block takes keys of 16 bits; expected 16");
    config.boot.codes.bits = bits;
}

/// Reads all keys that fill a field of boot information. Keys that the policy does not use are
/// treated as not given, with a note in the run.
void read_fields(MapReader& reader, const levee_kv_rule& rule, KvCacheConfig& config)
{
    for (unsigned number = 0; number < LEVEE_KV_KEYS; ++number) {
        const levee_kv_key& key = levee_kv_keys[number];
        if (key.type == LEVEE_KV_TYPE_OWN)
            continue;
        levee_boot_info with = config.boot;
        read_kv_key(reader, key, with);
        if (number == LEVEE_KV_KEY_RETRIEVAL)
            check_retrieval(reader.raw(key.name, false), with.retrieval);
        const bool unused = (rule.uses >> number & 1) == 0 && key.announced != 0;
        if (unused && reader.has(key.name))
            config.unused.emplace_back(key.name);
        if (!unused)
            config.boot = with;
    }
    if (!rule.votes)
        config.boot.voting = {}; // a part that older programs do not know
}

} // namespace

const levee_kv_rule& kv_rule(std::uint32_t kind)
{
    return *levee_kv_rule_of(kind);
}

std::optional<std::uint32_t> kv_policy_named(const std::string& name)
{
    for (std::uint32_t kind = 0; const levee_kv_rule* rule = levee_kv_rule_of(kind); ++kind)
        if (rule->name == name)
            return kind;
    return std::nullopt;
}

bool kv_uses(std::uint32_t kind, levee_kv_key_number key)
{
    return (kv_rule(kind).uses >> key & 1) != 0;
}

const char* kv_word(levee_kv_key_number key, std::uint32_t value)
{
    return levee_kv_keys[key].words[value];
}

bool keeps_all(std::uint32_t kind)
{
    return !kv_rule(kind).evicts;
}

KvCacheConfig full_kv_cache()
{
    KvCacheConfig config{};
    config.boot.kv.kind = LEVEE_KV_FULL;
    config.boot.kv.view_bits =
        static_cast<std::uint32_t>(levee_kv_keys[LEVEE_KV_KEY_VIEW_BITS].otherwise);
    return config;
}

KvCacheConfig read_kv_cache(const Node& node)
{
    MapReader reader(node, "kv_cache", kv_cache_keys());
    KvCacheConfig config{};
    config.place = node.place;
    config.boot.kv.kind = reader.word<std::uint32_t>("policy");
    read_with(reader, config);
    const levee_kv_rule rule = joined(kv_rule(config.boot.kv.kind), config.with);
    read_fields(reader, rule, config);
    config.ratio = reader.real(name_of(LEVEE_KV_KEY_RATIO));
    read_codes(reader, config);
    check_votes(reader, config);
    check_layers(reader, config);
    reader.finish();
    check_refused(reader, rule);
    check_budget(reader, config);
    return config;
}

std::uint32_t budget_of(const KvCacheConfig& config, std::span<const std::uint32_t> prompt_lengths)
{
    const auto [shortest, longest] = std::ranges::minmax(prompt_lengths);
    if (shortest != longest)
        throw Error(config.place,
                    "'kv_cache.ratio' is of a prompt's length, and prompts have from " +
                        std::to_string(shortest) + " to " + std::to_string(longest) +
                        " tokens; expected one length, or 'budget'");
    const double kept = std::round(config.ratio * longest);
    const double most = levee_kv_keys[LEVEE_KV_KEY_BUDGET].most;
    const auto budget = static_cast<std::uint32_t>(std::min(kept, most));
    if (const std::string wrong = too_small(budget, config); !wrong.empty())
        throw Error(config.place,
                    "'kv_cache.ratio' of " + std::to_string(longest) + " tokens " + wrong);
    return budget;
}

} // namespace levee::config
