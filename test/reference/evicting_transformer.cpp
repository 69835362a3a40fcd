// SPDX-License-Identifier: Apache-2.0
#include "test/reference/evicting_transformer.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace levee::test {
namespace {

namespace se = systolic_evictor;

bool counts_scores(const levee_kv_policy& policy)
{
    return policy.kind != LEVEE_KV_STREAMING && policy.kind != LEVEE_KV_RANDOM;
}

void append(std::vector<float>& to, const std::vector<float>& what)
{
    to.insert(to.end(), what.begin(), what.end());
}

// Every policy is the evictor's, with windows of its own (firmware/llm/policy.h).
se::Policy evictor_policy(const Eviction& eviction, std::uint32_t layer)
{
    const levee_kv_policy& policy = eviction.policy;
    se::Policy result;
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
    result.seed = eviction.seed ^ layer * 2654435761u;
    return result;
}

} // namespace

EvictingTransformer::EvictingTransformer(const ModelImage& image, Eviction eviction)
    : m_parts(image), m_eviction(std::move(eviction))
{
    // A layer's input is larger than the keys and values of fewer heads (Kelle, section 4.1.2).
    if (m_eviction.x_rows != 0 && m_parts.shape().kv_heads != m_parts.shape().heads)
        throw std::invalid_argument("grouped queries: nothing is stored as an input");
    m_layers.assign(m_parts.shape().layers, empty_cache(m_eviction.x_rows));
}

LayerCache EvictingTransformer::empty_cache(std::size_t inputs) const
{
    const std::size_t heads = m_parts.shape().kv_heads;
    LayerCache cache;
    cache.keys.resize(heads);
    cache.values.resize(heads);
    cache.inputs.resize(inputs);
    cache.tables.index = m_eviction.entry;
    cache.tables.heads.resize(heads);
    if (inputs == 0)
        return cache;
    const auto rows = static_cast<std::uint32_t>(inputs);
    cache.tables.formats = se::Formats{};
    se::Formats& formats = *cache.tables.formats;
    formats.rows = rows;
    formats.arrival_row = rows;
    formats.holders.assign(rows, 0);
    formats.x_positions.assign(rows, se::none);
    formats.x_gather.assign(rows, se::none);
    formats.current = 0;
    for (se::Head& head : cache.tables.heads)
        head.slot_of.assign(rows, se::none);
    return cache;
}

std::vector<std::vector<float>> EvictingTransformer::prefill(std::span<const std::uint32_t> tokens)
{
    std::vector<LayerCache> staging(m_layers.size(), empty_cache(0));
    std::vector<LayerCache>& caches = evicts() ? staging : m_layers;
    Rows logits;
    for (std::size_t first = 0; first < tokens.size(); first += m_eviction.chunk) {
        const std::size_t rows = std::min<std::size_t>(m_eviction.chunk, tokens.size() - first);
        for (Vector& row : prefill_chunk(tokens.subspan(first, rows), caches))
            logits.push_back(std::move(row));
    }
    if (evicts())
        for (std::uint32_t layer = 0; layer < m_layers.size(); ++layer)
            keep(layer, staging[layer]);
    return logits;
}

EvictingTransformer::Rows EvictingTransformer::prefill_chunk(std::span<const std::uint32_t> tokens,
                                                             std::vector<LayerCache>& caches)
{
    Rows x;
    for (std::size_t row = 0; row < tokens.size(); ++row)
        x.push_back(m_parts.embed(tokens[row], m_position + static_cast<std::uint32_t>(row)));
    for (std::uint32_t layer = 0; layer < m_layers.size(); ++layer)
        prefill_layer(x, layer, caches[layer]);
    m_position += static_cast<std::uint32_t>(tokens.size());
    Rows logits;
    for (const Vector& row : x)
        logits.push_back(m_parts.logits(row));
    return logits;
}

void EvictingTransformer::prefill_layer(Rows& x, std::uint32_t layer, LayerCache& cache)
{
    std::vector<Projections> tokens;
    for (std::uint32_t row = 0; row < x.size(); ++row) {
        const QuantisedVector input = m_parts.attention_input(x[row], layer);
        tokens.push_back(m_parts.project(input, layer, m_position + row));
        store(tokens.back(), cache);
        for (se::Head& head : cache.tables.heads)
            ++head.next;
        if (evicts())
            cache.inputs.push_back(input);
    }
    if (m_eviction.decay && !evicts())
        m_eviction.decay(layer, cache);
    const Rows mixed = attend_chunk(tokens, cache);
    for (std::size_t row = 0; row < x.size(); ++row) {
        m_parts.add_attention(x[row], mixed[row], layer);
        m_parts.add_feed_forward(x[row], layer);
    }
}

// Each row sees the tokens up to its own; importance is added head by head, each its rows.
EvictingTransformer::Rows EvictingTransformer::attend_chunk(std::span<const Projections> tokens,
                                                            LayerCache& cache) const
{
    const levee_model_header& shape = m_parts.shape();
    const auto rows = static_cast<std::uint32_t>(tokens.size());
    const std::uint32_t length = m_position + rows;
    const std::uint32_t group = shape.heads / shape.kv_heads;
    Rows given(shape.kv_heads), mixed(rows);
    for (std::uint32_t head = 0; head < shape.heads; ++head) {
        const std::uint32_t shared = head / group;
        for (std::uint32_t row = 0; row < rows; ++row) {
            const Vector scores =
                m_parts.scores(tokens[row].queries[head], cache.keys[shared], m_position + row + 1);
            append(mixed[row], m_parts.mix(scores, cache.values[shared]));
            append(given[shared], what_counts(scores));
            given[shared].resize(given[shared].size() + length - scores.size());
        }
    }
    for (std::size_t head = 0; evicts() && head < shape.kv_heads; ++head) {
        auto& importance = cache.tables.heads[head].importance;
        importance.resize(length);
        if (counts_scores(m_eviction.policy))
            se::accumulate(importance, {given[head], length, group, rows}, length, true,
                           static_cast<levee_se_score>(m_eviction.policy.score));
    }
    return mixed;
}

std::vector<float> EvictingTransformer::what_counts(const Vector& scores) const
{
    return m_eviction.policy.score == LEVEE_SE_LOGIT ? scores
                                                     : TransformerParts::probabilities(scores);
}

void EvictingTransformer::keep(std::uint32_t layer, const LayerCache& staged)
{
    LayerCache& kept = m_layers[layer];
    std::vector<std::span<const std::uint16_t>> importance;
    for (const se::Head& head : staged.tables.heads)
        importance.emplace_back(head.importance);
    se::select(evictor_policy(m_eviction, layer), kept.tables, importance);
    if (kept.tables.formats)
        se::popular(kept.tables);
    for (std::size_t head = 0; head < kept.keys.size(); ++head) {
        const se::Head& table = kept.tables.heads[head];
        for (std::uint32_t slot = 0; slot < table.next; ++slot) {
            const std::uint32_t from = table.gather[slot];
            if (from == se::none)
                continue; // stored as an input
            kept.keys[head].put(slot, staged.keys[head].row(from));
            kept.values[head].put(slot, staged.values[head].row(from));
        }
    }
    for (std::size_t row = 0; row < kept.inputs.size(); ++row)
        if (kept.tables.formats->x_gather[row] != se::none)
            kept.inputs[row] = staged.inputs.at(kept.tables.formats->x_gather[row]);
}

std::vector<std::uint32_t> EvictingTransformer::store(const Projections& token,
                                                      LayerCache& cache) const
{
    std::vector<std::uint32_t> slots;
    for (std::size_t head = 0; head < cache.keys.size(); ++head) {
        const std::uint32_t slot = cache.tables.heads[head].next;
        cache.keys[head].put(slot, token.keys[head]);
        cache.values[head].put(slot, token.values[head]);
        slots.push_back(slot);
    }
    return slots;
}

void EvictingTransformer::restore(std::uint32_t layer, LayerCache& cache) const
{
    const se::Formats& formats = *cache.tables.formats;
    for (std::uint32_t row = 0; row < formats.rows; ++row) {
        if (formats.holders[row] == 0)
            continue;
        const Projections token =
            m_parts.recompute(cache.inputs[row], layer, formats.x_positions[row]);
        for (std::size_t head = 0; head < cache.keys.size(); ++head) {
            const auto& redirect = cache.tables.heads[head].redirect;
            const auto slot = static_cast<std::uint32_t>(
                std::find(redirect.begin(), redirect.end(), row) - redirect.begin());
            if (slot == redirect.size())
                continue;
            cache.keys[head].put(slot, token.keys[head]);
            cache.values[head].put(slot, token.values[head]);
        }
    }
}

std::vector<float> EvictingTransformer::step_layer(const QuantisedVector& input,
                                                   std::uint32_t layer)
{
    const levee_model_header& shape = m_parts.shape();
    LayerCache& cache = m_layers[layer];
    const Projections token = m_parts.project(input, layer, m_position);
    const std::vector<std::uint32_t> arrival = store(token, cache);
    if (m_eviction.decay)
        m_eviction.decay(layer, cache);
    if (cache.tables.formats)
        restore(layer, cache);

    const std::uint32_t group = shape.heads / shape.kv_heads;
    const std::size_t length = cache.keys[0].scales.size();
    std::vector<Vector> given(shape.kv_heads);
    Vector mixed;
    for (std::uint32_t head = 0; head < shape.heads; ++head) {
        const std::uint32_t shared = head / group;
        const Vector scores = m_parts.scores(token.queries[head], cache.keys[shared], length);
        append(mixed, m_parts.mix(scores, cache.values[shared]));
        append(given[shared], what_counts(scores));
    }
    if (cache.tables.formats && cache.tables.formats->current != se::none)
        cache.inputs[cache.tables.formats->current] = input;
    evict(layer, arrival, given);
    return mixed;
}

void EvictingTransformer::evict(std::uint32_t layer, std::span<const std::uint32_t> arrival,
                                std::span<const Vector> scores)
{
    LayerCache& cache = m_layers[layer];
    if (!evicts()) {
        for (se::Head& head : cache.tables.heads)
            ++head.next;
        return;
    }
    se::Arrival token;
    token.position = m_position;
    token.length = static_cast<std::uint32_t>(cache.keys[0].scales.size());
    token.slots.assign(arrival.begin(), arrival.end());
    const std::uint32_t group = m_parts.shape().heads / m_parts.shape().kv_heads;
    for (const Vector& rows : scores) {
        se::ScoreRows of_head{{}, token.length, group, 1};
        if (counts_scores(m_eviction.policy))
            of_head.scores = rows;
        token.scores.push_back(of_head);
    }
    se::evict(evictor_policy(m_eviction, layer), cache.tables, token);
}

std::vector<float> EvictingTransformer::step(std::uint32_t token)
{
    std::vector<float> x = m_parts.embed(token, m_position);
    for (std::uint32_t layer = 0; layer < m_layers.size(); ++layer) {
        m_parts.add_attention(x, step_layer(m_parts.attention_input(x, layer), layer), layer);
        m_parts.add_feed_forward(x, layer);
    }
    ++m_position;
    return m_parts.logits(x);
}

} // namespace levee::test
