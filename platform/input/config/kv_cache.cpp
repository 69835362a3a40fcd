// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/kv_cache.hpp"

#include "core/config/reader.hpp"
#include "firmware/policies/conflicts.h"
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

/// Returns why a budget is too small for the protected tokens; empty if it is large enough.
std::string too_small(std::uint32_t budget, const KvCacheConfig& config)
{
    levee_kv_protection protection{};
    kv_rule(config.boot.kv.kind).protect(&config.boot.kv, &config.boot.voting, &protection);
    if (budget > protection.fixed)
        return "";
    return "is " + std::to_string(budget) + "; expected more than the " +
           std::to_string(protection.fixed) + " tokens that the policy protects";
}

void check_budget(const MapReader& reader, const KvCacheConfig& config)
{
    const levee_kv_rule& rule = kv_rule(config.boot.kv.kind);
    if (!rule.evicts)
        return;
    const bool has_ratio = reader.node().find(name_of(LEVEE_KV_KEY_RATIO)) != nullptr;
    if (has_ratio && reader.node().find(name_of(LEVEE_KV_KEY_BUDGET)) != nullptr)
        throw reader.error(name_of(LEVEE_KV_KEY_RATIO),
                           "is given, and so is 'budget'; expected one of the two");
    if (has_ratio && config.ratio == 0)
        throw reader.error(name_of(LEVEE_KV_KEY_RATIO), "is 0; expected a number above 0");
    if (has_ratio)
        return;
    if (const std::string wrong = too_small(config.boot.kv.budget, config); !wrong.empty())
        throw reader.error(name_of(LEVEE_KV_KEY_BUDGET), wrong);
}

/// Returns the names of the policies as the scenario writes them.
std::string said(const KvCacheConfig& config)
{
    std::string text = std::string("'policy: ") + kv_rule(config.boot.kv.kind).name + "'";
    for (const std::uint32_t kind : config.with)
        text += std::string(" and 'with: ") + kv_rule(kind).name + "'";
    return text;
}

void check_refused(const MapReader& reader, const levee_kv_rule& rule, const KvCacheConfig& config)
{
    for (unsigned key = 0; key < LEVEE_KV_KEYS; ++key)
        if ((rule.refuses >> key & 1) != 0 && reader.node().find(levee_kv_keys[key].name))
            throw reader.error(levee_kv_keys[key].name,
                               "has no effect with " + said(config) +
                                   ", under which no token is evicted; expected it to be left "
                                   "out");
}

void check_conflicts(const MapReader& reader, const KvCacheConfig& config)
{
    if (const levee_kv_conflict* const conflict =
            levee_kv_conflict_of(&kv_rule(config.boot.kv.kind), &config.boot))
        throw reader.error(conflict->key,
                           std::string(conflict->message) + ", and the policy is " + said(config));
}

/// Checks that the number of tokens to attend to is given in exactly one way.
void check_retrieval(const Node* node, const levee_kv_retrieval& retrieval)
{
    if (node != nullptr && (retrieval.top_k != 0) == (retrieval.share != 0))
        throw Error(node->place, "'kv_cache.retrieval' needs one of 'top_k' and 'ratio' (above 0), "
                                 "and has " +
                                     std::string(retrieval.share != 0 ? "both" : "neither"));
}

/// Returns the policy's rule, combined with the rules of `with`. The policies of `with` process the
/// tokens that the first policy keeps.
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
            throw reader.error(key, "names '" + name +
                                        "' twice, or 'policy' already names it; expected it once");
        for (unsigned needed = 0; needed < LEVEE_KV_KEYS; ++needed)
            if ((kv_rule(kind).needs >> needed & 1) != 0 && !reader.has(levee_kv_keys[needed].name))
                throw reader.error(key, "has '" + name +
                                            "', whose settings are missing; expected "
                                            "them in 'kv_cache." +
                                            levee_kv_keys[needed].name + "'");
        config.with.push_back(kind);
    }
}

/// Reads `bits`, the width of stored keys and values. The blocks for compressed rows and for
/// proxies of keys read only 16-bit keys, so `bits` must be 16 with these.
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
                                             ", whose block reads only 16-bit keys; expected 16");
    config.boot.codes.bits = bits;
}

/// Reads all keys that set a field of the boot information. A key that the policy does not use is
/// ignored, and the run prints a warning.
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
        config.boot.voting = {}; // left 0, since older programs do not know these fields
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
    check_conflicts(reader, config);
    reader.finish();
    check_refused(reader, rule, config);
    check_budget(reader, config);
    return config;
}

std::uint32_t budget_of(const KvCacheConfig& config, std::span<const std::uint32_t> prompt_lengths)
{
    const auto [shortest, longest] = std::ranges::minmax(prompt_lengths);
    if (shortest != longest)
        throw Error(config.place,
                    "'kv_cache.ratio' is a share of the prompt's length, but the prompts have " +
                        std::to_string(shortest) + " to " + std::to_string(longest) +
                        " tokens; use prompts of equal length, or 'kv_cache.budget'");
    const double kept = std::round(config.ratio * longest);
    const double most = levee_kv_keys[LEVEE_KV_KEY_BUDGET].most;
    const auto budget = static_cast<std::uint32_t>(std::min(kept, most));
    if (const std::string wrong = too_small(budget, config); !wrong.empty())
        throw Error(config.place,
                    "'kv_cache.ratio' of " + std::to_string(longest) + " tokens " + wrong);
    return budget;
}

} // namespace levee::config
