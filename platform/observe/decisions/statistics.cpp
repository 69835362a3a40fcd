// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/decisions/statistics.hpp"

#include "core/config/reader.hpp"
#include "platform/input/config/kv_cache.hpp"

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

Row read_row(const config::Node& node, const std::string& path)
{
    config::MapReader reader(node, path);
    Row row;
    DecisionStatistics& statistics = row.statistics;
    row.budget = reader.count32("budget", {1});
    statistics.holders = reader.real("holders", 0.0, 1.0);
    statistics.newest_victims = reader.real("newest_victims", 0.0, 1.0);
    statistics.high_victims = reader.real("high_victims", 0.0, 1.0);
    statistics.popular = reader.real("popular", 0.0, 1.0);
    statistics.turnover = reader.real("turnover", 0.0, 1000.0);
    statistics.arrivals_high = reader.real("arrivals_high", 0.0, 1.0);
    statistics.swaps = reader.real("swaps", 0.0, 1.0);
    reader.finish();
    return row;
}

std::vector<Row> read_rows(const config::Node& node, const std::string& path)
{
    std::vector<Row> rows;
    if (!node.is_list() || node.items.empty())
        throw config::Error(node.place, "'" + path + "' is " + std::string(node.kind_name()) +
                                            "; expected a list of maps, one for each budget");
    for (const config::Node& item : node.items) {
        rows.push_back(read_row(item, path));
        if (rows.size() > 1 && rows.back().budget <= rows[rows.size() - 2].budget)
            throw config::Error(item.place, "'" + path + "' has a budget of " +
                                                std::to_string(rows.back().budget) +
                                                " here; expected more than the one before");
    }
    return rows;
}

/// Every kind that a policy can ask for.
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

} // namespace

std::string statistics_kind(const levee_kv_rule& policy, const std::string& score,
                            const std::string& draw)
{
    if (policy.random && draw == config::kv_word(LEVEE_KV_KEY_DRAW, LEVEE_KV_DRAW_RANK))
        return draw;
    return policy.scores ? score : policy.name;
}

DecisionStatistics read_statistics(const config::Node& node, const std::string& kind,
                                   std::uint32_t budget)
{
    config::MapReader reader(node, "decisions.statistics");
    const config::Node* mine = nullptr;
    for (const std::string& name : all_kinds())
        if (const config::Node* const rows = reader.raw(name, false); rows && name == kind)
            mine = rows;
    reader.finish();
    if (mine == nullptr)
        throw config::Error(node.place, "there are no statistics of '" + kind +
                                            "', which the policy of 'kv_cache' needs");
    const std::vector<Row> rows = read_rows(*mine, "decisions.statistics." + kind);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (budget > rows[i].budget)
            continue;
        return i == 0 ? rows[0].statistics : interpolated(rows[i - 1], rows[i], budget);
    }
    return rows.back().statistics;
}

} // namespace levee
