// SPDX-License-Identifier: Apache-2.0
#include "test/reference/cache_rule.hpp"

#include <algorithm>

namespace levee::test {

namespace kv = kv_tables;

kv::Policy CacheRule::evictor_policy(std::uint32_t layer) const
{
    kv::Policy result;
    result.capacity = policy.budget;
    result.sinks = policy.sinks;
    result.window = policy.window;
    if (policy.kind == LEVEE_KV_STREAMING)
        result.window = policy.budget - policy.sinks;
    if (policy.kind == LEVEE_KV_H2O) {
        result.sinks = 0;
        result.window = policy.budget / 2;
    }
    result.score = static_cast<levee_se_score>(policy.score);
    result.random = policy.kind == LEVEE_KV_RANDOM;
    result.redraws = result.random && draw == LEVEE_KV_DRAW_VICTIM;
    result.ties = ties;
    result.reach = reach_of(layer);
    result.seed = seed ^ layer * 2654435761u;
    return result;
}

void CacheRule::count(std::uint32_t layer, std::span<const Given> given, std::uint32_t position,
                      std::uint32_t rows, std::uint32_t query_tile, CacheTables& cache) const
{
    if (votes()) {
        cache.votes.resize(position + rows);
        cast_votes(given, position, rows, reach_of(layer), cache);
        return;
    }
    for (std::size_t head = 0; evicts() && head < given.size(); ++head) {
        auto& importance = cache.tables.heads[head].importance;
        importance.resize(position + rows);
        const auto group = static_cast<std::uint32_t>(given[head].size() / rows);
        const std::uint32_t step = query_tile == 0 ? rows : query_tile;
        for (std::uint32_t first = 0; counts_scores() && first < rows; first += step)
            add_importance(given[head], group, position, first, std::min(step, rows - first),
                           importance);
    }
}

void CacheRule::add_importance(const Given& given, std::uint32_t group, std::uint32_t position,
                               std::uint32_t first, std::uint32_t rows,
                               std::vector<std::uint16_t>& importance) const
{
    const std::uint32_t length = position + first + rows;
    std::vector<float> scores;
    for (std::uint32_t member = 0; member < group; ++member)
        for (std::uint32_t row = first; row < first + rows; ++row) {
            const std::vector<float>& seen = given[member * (given.size() / group) + row];
            scores.insert(scores.end(), seen.begin(), seen.end());
            // Adds elements for the later tokens, which the row does not see.
            scores.resize(scores.size() + first + rows - row - 1);
        }
    kv::accumulate(std::span(importance).first(length), {scores, length, group, rows}, length, true,
                   static_cast<levee_se_score>(policy.score));
}

void CacheRule::cast_votes(std::span<const Given> given, std::uint32_t position, std::uint32_t rows,
                           std::uint32_t seen, CacheTables& cache) const
{
    const voting_engine::Factors factors{voting.mean_factor, voting.deviation_factor};
    for (const Given& of_head : given)
        for (std::size_t i = 0; i < of_head.size(); ++i) {
            if (position + i % rows < voting.reserved)
                continue;
            const std::size_t all = of_head[i].size();
            const std::size_t valid = seen == 0 ? all : std::min<std::size_t>(seen, all);
            std::vector<std::uint16_t> elements;
            for (const float probability : std::span(of_head[i]).last(valid))
                elements.push_back(voting_engine::to_element(probability));
            const std::span<const std::uint32_t> positions = cache.positions;
            voting_engine::vote(std::span(cache.votes).subspan(all - valid, valid), elements,
                                positions, factors);
        }
}

void CacheRule::select(std::uint32_t layer, const CacheTables& staged, CacheTables& kept) const
{
    if (!votes()) {
        std::vector<std::span<const std::uint16_t>> importance;
        for (const kv::Head& head : staged.tables.heads)
            importance.emplace_back(head.importance);
        kv::select(evictor_policy(layer), kept.tables, importance);
        return;
    }
    const auto length = static_cast<std::uint32_t>(staged.votes.size());
    const std::uint32_t within = reach_of(layer);
    const std::uint32_t passed = within != 0 && length >= within ? length - within + 1 : 0;
    kept.positions = voting_engine::select(staged.votes, policy.budget, voting.protect, passed);
    kept.votes.clear();
    for (const std::uint32_t position : kept.positions)
        kept.votes.push_back(staged.votes[position]);
    for (kv::Head& head : kept.tables.heads) {
        head.next = static_cast<std::uint32_t>(kept.positions.size());
        head.gather = kept.positions;
    }
}

void CacheRule::step(std::uint32_t layer, std::uint32_t position, std::uint32_t length,
                     std::span<const std::uint32_t> arrival,
                     std::span<const std::vector<float>> given, CacheTables& cache) const
{
    if (votes()) {
        step_votes(layer, position, length, arrival[0], given, cache);
    } else if (evicts()) {
        evict(layer, position, length, arrival, given, cache);
    } else {
        for (kv::Head& head : cache.tables.heads)
            ++head.next;
    }
}

void CacheRule::step_votes(std::uint32_t layer, std::uint32_t position, std::uint32_t length,
                           std::uint32_t arrival, std::span<const std::vector<float>> given,
                           CacheTables& cache) const
{
    cache.votes.resize(length);
    cache.positions.resize(length);
    cache.votes[arrival] = 0;
    cache.positions[arrival] = position;
    std::vector<Given> rows(given.size());
    for (std::size_t head = 0; head < given.size(); ++head)
        for (auto row = given[head].begin(); row != given[head].end(); row += length)
            rows[head].emplace_back(row, row + length);
    cast_votes(rows, position, 1, 0, cache);

    std::uint32_t next = length;
    if (length > policy.budget) {
        // At most one token is outside the next token's window, and then it is the earliest one.
        const auto earliest = std::ranges::min_element(cache.positions);
        const std::uint32_t within = reach_of(layer);
        next = within != 0 && *earliest + within <= position + 1
                   ? static_cast<std::uint32_t>(earliest - cache.positions.begin())
                   : voting_engine::elect(cache.votes, cache.positions, voting.protect);
    }
    for (kv::Head& head : cache.tables.heads)
        head.next = next;
}

void CacheRule::evict(std::uint32_t layer, std::uint32_t position, std::uint32_t length,
                      std::span<const std::uint32_t> arrival,
                      std::span<const std::vector<float>> given, CacheTables& cache) const
{
    kv::Arrival token;
    token.position = position;
    token.length = length;
    token.slots.assign(arrival.begin(), arrival.end());
    for (const std::vector<float>& rows : given) {
        kv::ScoreRows of_head{{}, length, static_cast<std::uint32_t>(rows.size() / length), 1};
        if (counts_scores())
            of_head.scores = rows;
        token.scores.push_back(of_head);
    }
    kv::evict(evictor_policy(layer), cache.tables, token);
}

} // namespace levee::test
