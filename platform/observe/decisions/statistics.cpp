// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/decisions/statistics.hpp"

#include "core/config/reader.hpp"
#include "platform/input/config/kv_cache.hpp"

#include <map>
#include <set>

namespace levee {

namespace {

struct Row {
    std::uint32_t budget = 0;
    DecisionStatistics statistics;
};

constexpr double DecisionStatistics::*all_members[] = {
    &DecisionStatistics::holders,      &DecisionStatistics::newest_victims,
    &DecisionStatistics::high_victims, &DecisionStatistics::popular,
    &DecisionStatistics::turnover,     &DecisionStatistics::arrivals_high,
    &DecisionStatistics::swaps};

// The budget comes first. The other keys are in the order of the members above.
constexpr config::Key row_keys[] = {
    config::count32("budget", "Number of tokens that each head keeps.", {1}),
    config::real("holders", 0, 1, "Share of the tokens stored as inputs that one head uses."),
    config::real("newest_victims", 0, 1,
                 "Share of evictions whose victim has just left the recent window; tokens of the "
                 "high group are exempt."),
    config::real("high_victims", 0, 1, "Share of the other evicted tokens whose group is high."),
    config::real("popular", 0, 1,
                 "Share of a prompt's tokens (beyond the budget, neither sinks nor recent) that "
                 "more than half of the heads keep."),
    config::real("turnover", 0, 1000,
                 "Inputs released at an eviction, for each stored input that is not a sink, times "
                 "the number of kept tokens that are not sinks."),
    config::real("arrivals_high", 0, 1,
                 "Share of tokens in the high group once they have a score."),
    config::real("swaps", 0, 1,
                 "Pairs of a high and a low token that exchange groups in a step, divided by the "
                 "number of kept tokens."),
};
static_assert(std::size(row_keys) == 1 + std::size(all_members));

Row read_row(config::MapReader reader)
{
    Row row;
    row.budget = reader.count32("budget");
    for (std::size_t i = 0; i < std::size(all_members); ++i)
        row.statistics.*all_members[i] = reader.real(row_keys[1 + i].name);
    reader.finish();
    return row;
}

std::vector<Row> read_rows(config::MapReader& reader, const std::string& kind)
{
    std::vector<Row> rows;
    const std::vector<config::MapReader> maps = reader.maps(kind);
    if (maps.empty())
        throw reader.error(kind, "is empty; expected a list of maps, one for each budget");
    for (const config::MapReader& map : maps) {
        rows.push_back(read_row(map));
        if (rows.size() > 1 && rows.back().budget <= rows[rows.size() - 2].budget)
            throw config::Error(map.node().place,
                                "'" + map.path() + "' has a budget of " +
                                    std::to_string(rows.back().budget) +
                                    " here; expected a higher budget than in the previous map");
    }
    return rows;
}

/// All kinds of statistics that a policy can need.
std::set<std::string> all_kinds()
{
    std::set<std::string> kinds;
    for (std::uint32_t kind = 0; const levee_kv_rule* rule = levee_kv_rule_of(kind); ++kind) {
        if (!rule->evicts || rule->votes)
            continue;
        for (const char* const* score = levee_kv_keys[LEVEE_KV_KEY_SCORE].words; *score; ++score)
            for (const char* const* draw = levee_kv_keys[LEVEE_KV_KEY_DRAW].words; *draw; ++draw)
                kinds.insert(statistics_kind(*rule, *score, *draw));
    }
    return kinds;
}

DecisionStatistics interpolated(const Row& below, const Row& above, std::uint32_t budget)
{
    const double share = static_cast<double>(budget - below.budget) / (above.budget - below.budget);
    DecisionStatistics result;
    for (double DecisionStatistics::*const member : all_members)
        result.*member = below.statistics.*member +
                         share * (above.statistics.*member - below.statistics.*member);
    return result;
}

std::map<std::string, std::vector<Row>> read_kinds(const config::Node& node)
{
    config::MapReader reader(node, "decisions.statistics", statistics_keys());
    std::map<std::string, std::vector<Row>> kinds;
    for (const config::Key& key : statistics_keys())
        if (reader.has(key.name))
            kinds[key.name] = read_rows(reader, key.name);
    reader.finish();
    return kinds;
}

} // namespace

config::Key statistics_key(const char* kind)
{
    return config::maps(kind, row_keys, "A list with one map for each budget, in ascending order.")
        .filled();
}

std::string statistics_kind(const levee_kv_rule& policy, const std::string& score,
                            const std::string& draw)
{
    if (policy.random && draw == config::kv_word(LEVEE_KV_KEY_DRAW, LEVEE_KV_DRAW_RANK))
        return draw;
    return policy.scores ? score : policy.name;
}

std::span<const config::Key> statistics_keys()
{
    static const std::set<std::string> names = all_kinds(); // the keys below point to these names
    static const std::vector<config::Key> keys = [] {
        std::vector<config::Key> of_kinds;
        for (const std::string& name : names)
            of_kinds.push_back(statistics_key(name.c_str()).optional());
        return of_kinds;
    }();
    return keys;
}

void check_statistics(const config::Node& node)
{
    (void)read_kinds(node);
}

DecisionStatistics read_statistics(const config::Node& node, const std::string& kind,
                                   std::uint32_t budget)
{
    const std::map<std::string, std::vector<Row>> kinds = read_kinds(node);
    if (!kinds.contains(kind))
        throw config::Error(node.place,
                            "there are no statistics of '" + kind +
                                "'; expected this key, which the policy in 'kv_cache' needs");
    const std::vector<Row>& rows = kinds.at(kind);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (budget > rows[i].budget)
            continue;
        return i == 0 ? rows[0].statistics : interpolated(rows[i - 1], rows[i], budget);
    }
    return rows.back().statistics;
}

} // namespace levee
