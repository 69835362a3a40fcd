// SPDX-License-Identifier: Apache-2.0
#include "test/reference/evicting_transformer.hpp"

#include "test/reference/window_order.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace levee::test {
namespace {

namespace kv = kv_tables;

void append(std::vector<float>& to, const std::vector<float>& what)
{
    to.insert(to.end(), what.begin(), what.end());
}

} // namespace

EvictingTransformer::EvictingTransformer(const ModelImage& image, Eviction eviction)
    : parts_(image, eviction.input_bits, eviction.kv_bits, eviction.hadamard),
      eviction_(std::move(eviction))
{
    // With grouped queries, a layer's input is larger than the keys and values of its few heads
    // (Kelle, section 4.1.2).
    if (eviction_.input_rows != 0 && parts_.shape().kv_heads != parts_.shape().heads)
        throw std::invalid_argument("grouped queries: nothing is stored as an input");
    layers_.assign(parts_.shape().layers, empty_cache(eviction_.input_rows));
    for (std::uint32_t layer = 0; eviction_.all_layers && layer < layers_.size(); ++layer) {
        const std::uint32_t window = parts_.window_of(layer);
        eviction_.reach.push_back(window > eviction_.policy.budget + 1 ? window : 0);
    }
}

bool EvictingTransformer::keeps_window(std::uint32_t layer) const
{
    const bool follows = layer < eviction_.reach.size() && eviction_.reach[layer] != 0;
    return parts_.window_of(layer) != 0 && !follows;
}

LayerCache EvictingTransformer::empty_cache(std::size_t inputs) const
{
    const std::size_t heads = parts_.shape().kv_heads;
    LayerCache cache;
    cache.keys.resize(heads);
    cache.values.resize(heads);
    cache.inputs.resize(inputs);
    cache.tables.index = eviction_.entry;
    cache.tables.heads.resize(heads);
    if (inputs == 0)
        return cache;
    const auto rows = static_cast<std::uint32_t>(inputs);
    cache.tables.formats = kv::Formats{};
    kv::Formats& formats = *cache.tables.formats;
    formats.rows = rows;
    formats.arrival_row = rows;
    formats.holders.assign(rows, 0);
    formats.x_positions.assign(rows, kv::none);
    formats.x_gather.assign(rows, kv::none);
    formats.current = 0;
    for (kv::Head& head : cache.tables.heads)
        head.slot_of.assign(rows, kv::none);
    return cache;
}

std::vector<std::vector<float>> EvictingTransformer::prefill(std::span<const std::uint32_t> tokens)
{
    std::vector<LayerCache> staging(layers_.size(), empty_cache(0));
    std::vector<LayerCache>& caches = eviction_.evicts() ? staging : layers_;
    Rows logits;
    for (std::size_t first = 0; first < tokens.size(); first += eviction_.chunk) {
        const std::size_t rows = std::min<std::size_t>(eviction_.chunk, tokens.size() - first);
        for (Vector& row : prefill_chunk(tokens.subspan(first, rows), caches))
            logits.push_back(std::move(row));
    }
    if (eviction_.evicts())
        for (std::uint32_t layer = 0; layer < layers_.size(); ++layer)
            if (!keeps_window(layer))
                keep(layer, staging[layer]);
    prefilled_ = position_;
    return logits;
}

EvictingTransformer::Rows EvictingTransformer::prefill_chunk(std::span<const std::uint32_t> tokens,
                                                             std::vector<LayerCache>& caches)
{
    Rows x;
    for (std::size_t row = 0; row < tokens.size(); ++row)
        x.push_back(parts_.embed(tokens[row], position_ + static_cast<std::uint32_t>(row)));
    for (std::uint32_t layer = 0; layer < layers_.size(); ++layer)
        prefill_layer(x, layer, keeps_window(layer) ? layers_[layer] : caches[layer]);
    position_ += static_cast<std::uint32_t>(tokens.size());
    Rows logits;
    for (const Vector& row : x)
        logits.push_back(parts_.logits(row));
    return logits;
}

void EvictingTransformer::prefill_layer(Rows& x, std::uint32_t layer, LayerCache& cache)
{
    std::vector<Projections> tokens;
    for (std::uint32_t row = 0; row < x.size(); ++row) {
        const QuantisedVector input = parts_.attention_input(x[row], layer);
        tokens.push_back(parts_.project(input, layer, position_ + row));
        store(tokens.back(), cache);
        for (kv::Head& head : cache.tables.heads)
            ++head.next;
        if (eviction_.evicts())
            cache.inputs.push_back(input);
    }
    if (eviction_.decay && !eviction_.evicts())
        eviction_.decay(layer, cache);
    const bool local = keeps_window(layer);
    const Rows mixed = local ? attend_window(tokens, layer) : attend_chunk(tokens, layer, cache);
    for (std::size_t row = 0; row < x.size(); ++row) {
        parts_.add_attention(x[row], mixed[row], layer);
        parts_.add_feed_forward(x[row], layer);
    }
}

// Each row attends to the tokens up to its own.
EvictingTransformer::Rows EvictingTransformer::attend_chunk(std::span<const Projections> tokens,
                                                            std::uint32_t layer,
                                                            LayerCache& cache) const
{
    const levee_model_header& shape = parts_.shape();
    const auto rows = static_cast<std::uint32_t>(tokens.size());
    const std::uint32_t group = shape.heads / shape.kv_heads;
    const std::size_t key_tile = eviction_.key_tile;
    const std::uint32_t tile = eviction_.query_tile != 0 ? eviction_.query_tile : rows;
    const std::uint32_t reach = parts_.window_of(layer);
    const WindowOrder window{reach != 0 ? reach : position_ + rows, 0};
    std::vector<Rows> given(shape.kv_heads); // [group * rows]
    Rows mixed(rows);
    for (std::uint32_t head = 0; head < shape.heads; ++head) {
        const std::uint32_t shared = head / group;
        const sfu::Running before = parts_.before(layer, head);
        for (std::uint32_t row = 0; row < rows; ++row) {
            const std::uint32_t position = position_ + row;
            const std::vector<std::uint32_t> seen = window.by_position(position);
            const std::size_t lead =
                key_tile != 0 ? window.lead(position, position_ + row / tile * tile) : 0;
            const Vector scores = parts_.scores(tokens[row].queries[head],
                                                cache.keys[shared].listed(seen), seen.size());
            append(mixed[row],
                   parts_.mix(scores, cache.values[shared].listed(seen), key_tile, lead, before));
            Vector counted(position + 1 - seen.size());
            append(counted, what_counts(scores, key_tile, before, lead));
            given[shared].push_back(std::move(counted));
        }
    }
    eviction_.count(layer, given, position_, rows, eviction_.query_tile, cache);
    return mixed;
}

EvictingTransformer::Rows EvictingTransformer::attend_window(std::span<const Projections> tokens,
                                                             std::uint32_t layer) const
{
    const levee_model_header& shape = parts_.shape();
    const WindowOrder window{parts_.window_of(layer), 0};
    const auto tile = eviction_.query_tile != 0 ? eviction_.query_tile
                                                : static_cast<std::uint32_t>(tokens.size());
    Rows mixed(tokens.size());
    for (std::uint32_t row = 0; row < tokens.size(); ++row) {
        const std::uint32_t position = position_ + row;
        const auto seen = window.by_position(position);
        const std::size_t lead = window.lead(position, position_ + row / tile * tile);
        for (std::uint32_t head = 0; head < shape.heads; ++head) {
            const std::uint32_t shared = head / (shape.heads / shape.kv_heads);
            const CacheSlice keys = layers_[layer].keys[shared].listed(seen);
            const Vector scores = parts_.scores(tokens[row].queries[head], keys, seen.size());
            append(mixed[row], parts_.mix(scores, layers_[layer].values[shared].listed(seen),
                                          eviction_.key_tile, eviction_.key_tile != 0 ? lead : 0,
                                          parts_.before(layer, head)));
        }
    }
    return mixed;
}

EvictingTransformer::Vector EvictingTransformer::what_counts(const Vector& scores,
                                                             std::size_t key_tile,
                                                             sfu::Running before,
                                                             std::size_t lead) const
{
    return eviction_.policy.score == LEVEE_SE_LOGIT
               ? scores
               : parts_.probabilities(scores, key_tile, before, lead);
}

void EvictingTransformer::keep(std::uint32_t layer, const LayerCache& staged)
{
    LayerCache& kept = layers_[layer];
    eviction_.select(layer, staged, kept);
    if (kept.tables.formats)
        kv::popular(kept.tables);
    for (std::size_t head = 0; head < kept.keys.size(); ++head) {
        const kv::Head& table = kept.tables.heads[head];
        for (std::uint32_t slot = 0; slot < table.next; ++slot) {
            const std::uint32_t from = table.gather[slot];
            if (from == kv::none)
                continue; // The token is stored as an input.
            kept.keys[head].put(slot, staged.keys[head].row(from));
            kept.values[head].put(slot, staged.values[head].row(from));
        }
    }
    if (eviction_.kept) {
        std::vector<std::uint32_t> slots(kept.tables.heads[0].next);
        std::iota(slots.begin(), slots.end(), 0U);
        eviction_.kept(layer, kept, slots);
    }
    for (std::size_t row = 0; row < kept.inputs.size(); ++row)
        if (kept.tables.formats->x_gather[row] != kv::none)
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
    const kv::Formats& formats = *cache.tables.formats;
    for (std::uint32_t row = 0; row < formats.rows; ++row) {
        if (formats.holders[row] == 0)
            continue;
        const Projections token =
            parts_.recompute(cache.inputs[row], layer, formats.x_positions[row]);
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

EvictingTransformer::Vector EvictingTransformer::attend(const Projections& token,
                                                        std::uint32_t layer, std::uint32_t kv_head,
                                                        std::uint32_t arrival, Vector& mixed) const
{
    const std::size_t group = parts_.shape().heads / parts_.shape().kv_heads;
    const std::span queries = std::span(token.queries).subspan(kv_head * group, group);
    const CacheSlice &keys = layers_[layer].keys[kv_head], &values = layers_[layer].values[kv_head];
    const std::size_t length = keys.scales.size();
    std::vector<std::uint32_t> slots(length);
    std::iota(slots.begin(), slots.end(), 0U);
    const WindowOrder window{parts_.window_of(layer), prefilled_};
    if (keeps_window(layer))
        slots = window.by_slot(position_);
    else if (eviction_.attended)
        slots = eviction_.attended(layer, kv_head, queries, keys, arrival);
    const CacheSlice some_keys = keys.listed(slots), some_values = values.listed(slots);
    Vector given;
    for (std::size_t member = 0; member < group; ++member) {
        const Vector scores = parts_.scores(queries[member], some_keys, slots.size());
        const sfu::Running before = parts_.before(layer, kv_head * group + member);
        append(mixed, parts_.mix(scores, some_values, 0, 0, before));
        const Vector counted = what_counts(scores, 0, before);
        Vector to_all(length, 0.0f);
        for (std::size_t i = 0; i < slots.size(); ++i)
            to_all[slots[i]] = counted[i];
        append(given, to_all);
    }
    return given;
}

std::vector<float> EvictingTransformer::step_layer(const QuantisedVector& input,
                                                   std::uint32_t layer)
{
    const levee_model_header& shape = parts_.shape();
    LayerCache& cache = layers_[layer];
    const Projections token = parts_.project(input, layer, position_);
    const std::vector<std::uint32_t> arrival = store(token, cache);
    if (eviction_.decay)
        eviction_.decay(layer, cache);
    if (cache.tables.formats)
        restore(layer, cache);

    const std::size_t length = cache.keys[0].scales.size();
    std::vector<Vector> given;
    Vector mixed;
    for (std::uint32_t kv_head = 0; kv_head < shape.kv_heads; ++kv_head)
        given.push_back(attend(token, layer, kv_head, arrival[kv_head], mixed));
    if (keeps_window(layer)) {
        for (kv::Head& head : cache.tables.heads)
            ++head.next;
        return mixed;
    }
    if (cache.tables.formats && cache.tables.formats->current != kv::none)
        cache.inputs[cache.tables.formats->current] = input;
    eviction_.step(layer, position_, static_cast<std::uint32_t>(length), arrival, given, cache);
    if (eviction_.kept)
        eviction_.kept(layer, cache, std::span(arrival).first(1));
    return mixed;
}

std::vector<float> EvictingTransformer::step(std::uint32_t token)
{
    std::vector<float> x = parts_.embed(token, position_);
    for (std::uint32_t layer = 0; layer < layers_.size(); ++layer) {
        parts_.add_attention(x, step_layer(parts_.attention_input(x, layer), layer), layer);
        parts_.add_feed_forward(x, layer);
    }
    ++position_;
    return parts_.logits(x);
}

} // namespace levee::test
