// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/kv_cache.hpp"

#include "core/config/reader.hpp"
#include "ip/cam/regs.h"
#include "ip/cpq/regs.h"
#include "ip/edram/regs.h"
#include "ip/kv_tables/operations.h"
#include "ip/rsa/regs.h"
#include "ip/voting_engine/regs.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

namespace levee::config {

namespace {

constexpr std::uint64_t most_protected = 0xFFFF;     // 16 bits in an eviction operation
constexpr Limits interval{1, 3'600'000'000'000'000}; // an hour, as of an eDRAM's own
constexpr std::uint64_t most_kept = 0xFFFE;          // and a spare slot beside them

void read_refresh(MapReader& outer, levee_kv_policy& policy)
{
    policy.activation_refresh_ps =
        outer.quantity("activation_refresh", Dimension::Time, interval, 0);
    const Node* const node = outer.raw("refresh", false);
    if (node == nullptr)
        return;
    MapReader reader(*node, "kv_cache.refresh");
    const char* const names[] = {"high_msb", "high_lsb", "low_msb", "low_lsb"};
    static_assert(std::size(names) == LEVEE_EDRAM_GROUPS);
    for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
        policy.refresh_ps[group] = reader.quantity(names[group], Dimension::Time, interval, 0);
    reader.finish();
}

/// What must be left over for the policy to choose from.
std::uint64_t protected_tokens(const KvCacheConfig& policy)
{
    if (policy.kind == LEVEE_KV_VOTING)
        return policy.voting.protect;
    if (policy.kind == LEVEE_KV_STREAMING) // the rest of its budget is the most recent tokens
        return policy.sinks;
    if (policy.kind == LEVEE_KV_H2O) // half of its budget, whatever that is
        return 0;
    return std::uint64_t{policy.window} + policy.sinks;
}

/// What is wrong with a budget that the policy protects too much of; empty: nothing.
std::string too_small(std::uint32_t budget, const KvCacheConfig& config)
{
    const std::uint64_t least = protected_tokens(config);
    if (budget > least)
        return "";
    return "is " + std::to_string(budget) + "; expected more than the " + std::to_string(least) +
           " tokens the policy protects";
}

void check_budget(const MapReader& reader, const KvCacheConfig& config)
{
    if (config.kind == LEVEE_KV_CPQ || config.kind == LEVEE_KV_RETRIEVAL)
        for (const char* const key : {"budget", "ratio"})
            if (reader.node().find(key) != nullptr)
                throw reader.error(key,
                                   "has no effect with 'policy: " + kv_policy_name(config.kind) +
                                       "', under which no token leaves; expected none of it");
    if (keeps_all(config.kind))
        return;
    if (config.ratio != 0) {
        if (config.budget != 0)
            throw reader.error("ratio", "stands beside 'budget'; expected one of the two");
        return;
    }
    if (config.budget == 0)
        throw Error(reader.node().place, "'kv_cache' lacks the key 'budget' (or 'ratio'), which "
                                         "every policy but 'full' and 'cpq' needs");
    if (const std::string wrong = too_small(config.budget, config); !wrong.empty())
        throw reader.error("budget", wrong);
}

/// A factor of the threshold, as the voting engine takes it.
float read_factor(MapReader& reader, const std::string& key)
{
    const double value = reader.real(key, 0.0, LEVEE_VE_GREATEST_FACTOR);
    if (reader.has(key) && value != 0 && value < LEVEE_VE_LEAST_FACTOR)
        throw reader.error(key, "is too small; expected 0 or at least 1/" +
                                    std::to_string(std::lround(1 / LEVEE_VE_LEAST_FACTOR)));
    return static_cast<float>(value);
}

/// What `policy: voting` needs; other policies ignore it.
void read_voting(MapReader& reader, KvCacheConfig& config)
{
    const bool votes = config.kind == LEVEE_KV_VOTING;
    if (const Node* const threshold = reader.raw("threshold", votes)) {
        MapReader factors(*threshold, "kv_cache.threshold");
        config.voting.mean_factor = read_factor(factors, "mean");
        config.voting.deviation_factor = read_factor(factors, "deviation");
        factors.finish();
    }
    constexpr Limits tokens{0, most_protected};
    config.voting.reserved =
        votes ? reader.count32("reserved", tokens) : reader.count32("reserved", tokens, 0);
    config.voting.protect = reader.count32("protect", tokens, 0);
    if (votes && config.score != LEVEE_SE_SOFTMAX)
        throw reader.error("score",
                           "is logit; expected softmax with 'policy: voting', whose tokens "
                           "vote by probabilities");
    if (votes && config.search != LEVEE_KV_SEARCH_BESIDE)
        throw reader.error("search", "is after; expected beside with 'policy: voting'");
}

/// How many tokens a step attends to: `top_k`, or `ratio` of those there are.
void read_count(MapReader& reader, levee_kv_retrieval& retrieval)
{
    constexpr double whole = 2147483648;
    retrieval.top_k = reader.count32("top_k", {1, most_kept}, 0);
    const double ratio = reader.real("ratio", 0.0, 1.0, 0.0);
    if ((retrieval.top_k != 0) == (ratio != 0))
        throw Error(reader.node().place, "'kv_cache.retrieval' needs one of 'top_k' and 'ratio' "
                                         "(above 0), and has " +
                                             std::string(ratio != 0 ? "both" : "neither"));
    retrieval.share =
        static_cast<std::uint32_t>(ratio * whole); // down, as the product is rounded up
    if (ratio != 0 && retrieval.share == 0)
        throw reader.error("ratio", "is too small; expected at least 2^-31");
}

/// What `policy: retrieval` needs, and `policy: cpq` may have; others have no use for it.
void read_retrieval(MapReader& reader, KvCacheConfig& config)
{
    const bool searches = config.kind == LEVEE_KV_RETRIEVAL;
    const Node* const node = reader.raw("retrieval", searches);
    if (node == nullptr)
        return;
    MapReader keys(*node, "kv_cache.retrieval");
    levee_kv_retrieval& retrieval = config.retrieval;
    retrieval.bits = keys.count32("bits", {1, LEVEE_CAM_MAX_BITS});
    retrieval.distance = keys.choice<std::uint32_t>(
        "distance",
        {{"hamming", LEVEE_CAM_HAMMING}, {"l2", LEVEE_CAM_L2}, {"product", LEVEE_CAM_L2_PRODUCT}},
        LEVEE_CAM_L2_PRODUCT);
    retrieval.merge = keys.choice<std::uint32_t>(
        "merge", {{"least", LEVEE_CAM_LEAST}, {"sum", LEVEE_CAM_SUM}}, LEVEE_CAM_SUM);
    constexpr double least = 1e-6, most = 1e6;
    retrieval.range = static_cast<float>(keys.real("range", 0.0, most, 0.0));
    if (retrieval.range < least && keys.real("range", 0.0, most, 0.0) != 0)
        throw keys.error("range", "is too small; expected 0 or at least 1e-6");
    read_count(keys, retrieval);
    keys.finish();
    if (searches || config.kind == LEVEE_KV_CPQ)
        return;
    retrieval = {};
    config.unused.emplace_back("retrieval");
}

/// Thresholds of the layers: a number for all of them, or a list with one for each.
std::uint32_t read_thresholds(MapReader& reader, const std::string& key,
                              float (&thresholds)[LEVEE_KV_MAX_LAYERS])
{
    constexpr double most = 1e18;
    const Node* const node = reader.raw(key, true);
    if (node == nullptr || !node->is_list()) {
        thresholds[0] = static_cast<float>(reader.real(key, 0.0, most));
        return 1;
    }
    const std::size_t count = node->items.size();
    if (count == 0 || count > LEVEE_KV_MAX_LAYERS)
        throw reader.error(key, "has " + std::to_string(count) +
                                    " numbers; expected one for each layer, up to " +
                                    std::to_string(LEVEE_KV_MAX_LAYERS));
    for (std::size_t i = 0; i < count; ++i) {
        const Node one{Node::Kind::Map,
                       node->place,
                       {},
                       false,
                       false,
                       {},
                       {{key, node->items[i].place, node->items[i]}}};
        MapReader item(one, reader.path());
        thresholds[i] = static_cast<float>(item.real(key, 0.0, most));
    }
    return static_cast<std::uint32_t>(count);
}

/// What `policy: cpq` needs; others have no use for it.
void read_cpq(MapReader& outer, KvCacheConfig& config)
{
    const Node* const node = outer.raw("cpq", config.kind == LEVEE_KV_CPQ);
    if (node == nullptr)
        return;
    MapReader reader(*node, "kv_cache.cpq");
    constexpr double most_tolerance = 1048576, least_tolerance = 1 / most_tolerance;
    levee_kv_cpq& cpq = config.cpq;
    cpq.key_bits = reader.count32("key_bits", {1, LEVEE_CPQ_MOST_BITS});
    cpq.value_bits = reader.count32("value_bits", {1, LEVEE_CPQ_MOST_BITS});
    cpq.max_levels = reader.count32("max_levels", {1, LEVEE_CPQ_MOST_LEVELS});
    const double tolerance = reader.real("tolerance", 0.0, most_tolerance, 0.0);
    if (tolerance != 0 && tolerance < least_tolerance)
        throw reader.error("tolerance", "is too small; expected 0 or at least 2^-20");
    cpq.tolerance = static_cast<float>(tolerance);
    cpq.key_layers = read_thresholds(reader, "key_threshold", cpq.key_threshold);
    cpq.value_layers = read_thresholds(reader, "value_threshold", cpq.value_threshold);
    reader.finish();
    if (config.kind != LEVEE_KV_CPQ)
        config.unused.emplace_back("cpq");
}

/// `draw`: what `policy: random` draws; others have no use for it.
void read_draw(MapReader& reader, KvCacheConfig& config)
{
    config.random.draw = reader.choice<std::uint32_t>(
        "draw", {{"victim", LEVEE_KV_DRAW_VICTIM}, {"rank", LEVEE_KV_DRAW_RANK}},
        LEVEE_KV_DRAW_VICTIM);
    if (!reader.has("draw") || config.kind == LEVEE_KV_RANDOM)
        return;
    config.random = {};
    config.unused.emplace_back("draw");
}

/// `bits`: of the codes that keys and values are kept as. Where rows are compressed or proxies are
/// made of keys, they are what the machine has always had.
void read_codes(MapReader& reader, KvCacheConfig& config)
{
    const std::uint32_t bits = reader.count32("bits", {4, 16}, 16);
    if (bits != 16 && bits != 8 && bits != 4)
        throw reader.error("bits", "is " + std::to_string(bits) + "; expected 16, 8 or 4");
    if (bits == 16)
        return;
    if (config.kind == LEVEE_KV_CPQ || config.retrieval.bits != 0)
        throw reader.error("bits", "is " + std::to_string(bits) +
                                       " with 'policy: " + kv_policy_name(config.kind) +
                                       "', whose block takes keys of 16 bits; expected 16");
    config.codes.bits = bits;
}

} // namespace

std::span<const KvPolicyName> kv_policies()
{
    static const KvPolicyName policies[] = {{"full", LEVEE_KV_FULL},
                                            {"streaming", LEVEE_KV_STREAMING},
                                            {"h2o", LEVEE_KV_H2O},
                                            {"random", LEVEE_KV_RANDOM},
                                            {"aep", LEVEE_KV_AEP},
                                            {"aerp", LEVEE_KV_AERP},
                                            {"voting", LEVEE_KV_VOTING},
                                            {"cpq", LEVEE_KV_CPQ},
                                            {"retrieval", LEVEE_KV_RETRIEVAL}};
    return policies;
}

const std::string& kv_policy_name(std::uint32_t kind)
{
    const std::span<const KvPolicyName> policies = kv_policies();
    return std::find_if(policies.begin(), policies.end(),
                        [&](const KvPolicyName& policy) { return policy.kind == kind; })
        ->name;
}

KvProtection kv_protection(const levee_kv_policy& policy)
{
    if (policy.kind == LEVEE_KV_STREAMING)
        return {policy.sinks, policy.budget - policy.sinks};
    if (policy.kind == LEVEE_KV_H2O)
        return {0, policy.budget / 2};
    return {policy.sinks, policy.window};
}

KvCacheConfig full_kv_cache()
{
    KvCacheConfig policy{};
    policy.kind = LEVEE_KV_FULL;
    policy.score = LEVEE_SE_SOFTMAX;
    policy.view_bits = 4;
    return policy;
}

KvCacheConfig read_kv_cache(const Node& node)
{
    MapReader reader(node, "kv_cache");
    KvCacheConfig policy = full_kv_cache();
    policy.place = node.place;
    std::vector<std::pair<std::string, std::uint32_t>> names;
    for (const KvPolicyName& known : kv_policies())
        names.emplace_back(known.name, known.kind);
    policy.kind = reader.choice<std::uint32_t>("policy", names, LEVEE_KV_FULL);
    policy.budget = reader.count32("budget", {1, most_kept}, 0);
    policy.window = reader.count32("recent_window", {1, most_protected}, 1);
    policy.sinks = reader.count32("sinks", {0, most_protected}, 0);
    policy.score = reader.choice<std::uint32_t>(
        "score", {{"softmax", LEVEE_SE_SOFTMAX}, {"logit", LEVEE_SE_LOGIT}}, LEVEE_SE_SOFTMAX);
    policy.search = reader.choice<std::uint32_t>(
        "search", {{"beside", LEVEE_KV_SEARCH_BESIDE}, {"after", LEVEE_KV_SEARCH_AFTER}},
        LEVEE_KV_SEARCH_BESIDE);
    policy.view_bits = reader.count32("view_bits", {1, 7}, policy.view_bits);
    policy.recent_high = reader.boolean("recent_high", false) ? 1 : 0;
    policy.recompute = reader.choice<std::uint32_t>("recompute",
                                                    {{"off", LEVEE_KV_RECOMPUTE_OFF},
                                                     {"hidden", LEVEE_KV_RECOMPUTE_HIDDEN},
                                                     {"all", LEVEE_KV_RECOMPUTE_ALL},
                                                     {"free", LEVEE_KV_RECOMPUTE_FREE}},
                                                    LEVEE_KV_RECOMPUTE_HIDDEN);
    policy.staging_bytes =
        static_cast<std::uint32_t>(reader.quantity("staging", Dimension::Size, {0, 1u << 30}, 0));
    read_refresh(reader, policy);
    policy.ratio = reader.real("ratio", 0.0, 1.0, 0.0);
    read_voting(reader, policy);
    read_retrieval(reader, policy);
    read_cpq(reader, policy);
    read_codes(reader, policy);
    read_draw(reader, policy);
    reader.finish();
    check_budget(reader, policy);
    return policy;
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
    const auto budget = static_cast<std::uint32_t>(std::min<double>(kept, most_kept));
    if (const std::string wrong = too_small(budget, config); !wrong.empty())
        throw Error(config.place,
                    "'kv_cache.ratio' of " + std::to_string(longest) + " tokens " + wrong);
    return budget;
}

} // namespace levee::config
