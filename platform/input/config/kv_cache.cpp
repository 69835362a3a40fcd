// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/kv_cache.hpp"

#include "ip/edram/regs.h"
#include "ip/kv_tables/operations.h"
#include "ip/rsa/regs.h"
#include "platform/input/config/reader.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace levee::config {

namespace {

constexpr std::uint64_t most_protected = 0xFFFF;     // 16 bits in an eviction operation
constexpr Limits interval{1, 3'600'000'000'000'000}; // an hour, as of an eDRAM's own
constexpr std::uint64_t most_kept = 0xFFFE;          // and a spare slot beside them

void read_refresh(const Node& node, levee_kv_policy& policy)
{
    MapReader reader(node, "kv_cache.refresh");
    const char* const names[] = {"high_msb", "high_lsb", "low_msb", "low_lsb"};
    static_assert(std::size(names) == LEVEE_EDRAM_GROUPS);
    for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
        policy.refresh_ps[group] = reader.quantity(names[group], Dimension::Time, interval, 0);
    reader.finish();
}

/// What must be left over for the policy to choose from.
std::uint64_t protected_tokens(const levee_kv_policy& policy)
{
    if (policy.kind == LEVEE_KV_STREAMING) // the rest of its budget is the most recent tokens
        return policy.sinks;
    if (policy.kind == LEVEE_KV_H2O) // half of its budget, whatever that is
        return 0;
    return std::uint64_t{policy.window} + policy.sinks;
}

void check_budget(const MapReader& reader, const levee_kv_policy& policy)
{
    if (policy.kind == LEVEE_KV_FULL)
        return;
    if (policy.budget == 0)
        throw Error(reader.node().place, "'kv_cache' lacks the key 'budget', which every policy "
                                         "but 'full' needs");
    if (policy.budget <= protected_tokens(policy))
        throw reader.error(
            "budget", "is " + std::to_string(policy.budget) + "; expected more than the " +
                          std::to_string(protected_tokens(policy)) + " tokens the policy protects");
}

} // namespace

std::span<const KvPolicyName> kv_policies()
{
    static const KvPolicyName policies[] = {
        {"full", LEVEE_KV_FULL}, {"streaming", LEVEE_KV_STREAMING},
        {"h2o", LEVEE_KV_H2O},   {"random", LEVEE_KV_RANDOM},
        {"aep", LEVEE_KV_AEP},   {"aerp", LEVEE_KV_AERP}};
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

levee_kv_policy full_kv_cache()
{
    levee_kv_policy policy{};
    policy.kind = LEVEE_KV_FULL;
    policy.score = LEVEE_SE_SOFTMAX;
    policy.view_bits = 4;
    return policy;
}

levee_kv_policy read_kv_cache(const Node& node)
{
    MapReader reader(node, "kv_cache");
    levee_kv_policy policy = full_kv_cache();
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
    if (const Node* refresh = reader.raw("refresh", false))
        read_refresh(*refresh, policy);
    policy.activation_refresh_ps =
        reader.quantity("activation_refresh", Dimension::Time, interval, 0);
    reader.finish();
    check_budget(reader, policy);
    return policy;
}

} // namespace levee::config
