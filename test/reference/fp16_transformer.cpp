// SPDX-License-Identifier: Apache-2.0
#include "test/reference/fp16_transformer.hpp"

#include "ip/element_serial/model.hpp"
#include "ip/sfu/model.hpp"
#include "ip/veda/model.hpp"
#include "test/reference/layer_structure.hpp"
#include "test/reference/window_order.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace levee::test {
namespace {

namespace es = element_serial;

constexpr veda::ArrayShape arrays{2, 8, 8};
constexpr std::uint32_t tile = 32;

std::vector<float> widened(std::span<const std::uint16_t> halves)
{
    std::vector<float> values(halves.size());
    std::transform(halves.begin(), halves.end(), values.begin(), fp16_to_fp32);
    return values;
}

Halves rounded(std::span<const float> values)
{
    Halves halves(values.size());
    std::transform(values.begin(), values.end(), halves.begin(), fp32_to_fp16);
    return halves;
}

std::vector<float> product(veda::Mode mode, veda::Product product)
{
    std::vector<std::uint32_t> bits(product.n);
    product.out = bits.data();
    veda::multiply(arrays, {mode, false, false}, product);
    std::vector<float> sums(product.n);
    std::transform(bits.begin(), bits.end(), sums.begin(),
                   [](std::uint32_t word) { return std::bit_cast<float>(word); });
    return sums;
}

Halves normalised(es::Function function, const Halves& v, float epsilon,
                  std::span<const float> gain, std::span<const float> bias)
{
    const es::Factors factors = es::factors_of(function, es::reduce(function, tile, v),
                                               static_cast<std::uint32_t>(v.size()), epsilon);
    Halves out(v.size());
    for (std::size_t i = 0; i < v.size(); ++i)
        out[i] = es::normalised(function, factors, v[i], gain.empty() ? es::no_factor : gain[i],
                                bias.empty() ? es::no_addend : bias[i]);
    return out;
}

void append(Halves& all, const Halves& more)
{
    all.insert(all.end(), more.begin(), more.end());
}

} // namespace

Fp16Transformer::Fp16Transformer(const ModelImage& image, std::set<levee_tensor_kind> columns_first,
                                 Fp16Cache cache)
    : Fp16Transformer(image, std::move(cache))
{
    columns_first_ = std::move(columns_first);
    if (image.weight_type() != LEVEE_TYPE_FP16)
        throw std::invalid_argument(image.name() + ": weights of type " +
                                    type_name(shape_.weight_type) + ", the arrays take FP16");
}

Fp16Transformer::Fp16Transformer(const ModelImage& image, Fp16Cache cache)
    : image_(image), shape_(image.header()), cache_(std::move(cache)), layers_(empty_layers())
{
}

std::vector<Fp16Transformer::Layer> Fp16Transformer::empty_layers() const
{
    Layer empty;
    empty.keys.resize(shape_.kv_heads);
    empty.values.resize(shape_.kv_heads);
    empty.given.resize(shape_.kv_heads);
    empty.tables.index = cache_.entry;
    empty.tables.heads.resize(shape_.kv_heads);
    std::vector<Layer> layers(shape_.layers, empty);
    const ModelShape& shape = image_.shape();
    for (std::uint32_t i = 0; i < shape_.layers; ++i) {
        const bool local = (shape.flags_of(i) & LEVEE_LAYER_LOCAL) != 0;
        layers[i].number = i;
        layers[i].reach = cache_.rule.reach_of(i);
        const bool keeps = local && layers[i].reach == 0 && shape.window < shape.max_context;
        layers[i].window = keeps ? shape.window : 0;
    }
    return layers;
}

Halves Fp16Transformer::embed(std::uint32_t token) const
{
    const TensorView table = image_.tensor(LEVEE_TENSOR_EMBEDDING);
    std::span<const float> learned;
    TensorView positions{};
    if (shape_.position == LEVEE_POSITION_LEARNED) {
        positions = image_.tensor(LEVEE_TENSOR_POSITION);
        learned = {reinterpret_cast<const float*>(positions.row(position_).data()), shape_.dim};
    }
    std::vector<float> x(shape_.dim);
    sfu::embed(std::as_bytes(table.row(token)), table.type(), {}, 0, learned, x);
    return rounded(x);
}

Halves Fp16Transformer::norm(const Halves& x, levee_tensor_kind gain, levee_tensor_kind bias,
                             std::uint32_t layer) const
{
    const auto gains = image_.tensor(gain, layer).floats();
    if (shape_.norm == LEVEE_NORM_RMS)
        return normalised(es::Function::RmsNorm, x, shape_.norm_epsilon, gains, {});
    return normalised(es::Function::LayerNorm, x, shape_.norm_epsilon, gains,
                      image_.tensor(bias, layer).floats());
}

std::vector<float> Fp16Transformer::multiply(const Halves& x, levee_tensor_kind weights,
                                             std::uint32_t layer, levee_tensor_kind first) const
{
    const TensorView matrix = image_.tensor(weights, layer);
    veda::Product of;
    of.k = matrix.cols();
    of.n = matrix.rows();
    of.a = x.data();
    of.b = reinterpret_cast<const std::uint16_t*>(matrix.data.data());
    of.b_pitch = of.k;
    of.b_transposed = true;
    return product(columns_first_.contains(first) ? veda::Mode::Outer : veda::Mode::Inner, of);
}

std::vector<float> Fp16Transformer::biased(const Halves& x, levee_tensor_kind weights,
                                           levee_tensor_kind bias, std::uint32_t layer,
                                           levee_tensor_kind first) const
{
    std::vector<float> sums = multiply(x, weights, layer, first);
    if (image_.has(bias, layer))
        sfu::add(std::vector<float>(sums), image_.tensor(bias, layer).floats(), sums);
    return sums;
}

void Fp16Transformer::add(Halves& x, const std::vector<float>& sums) const
{
    const auto function =
        shape_.norm == LEVEE_NORM_RMS ? es::Function::RmsNorm : es::Function::LayerNorm;
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = es::entered(function, es::no_factor, sums[i], fp16_to_fp32(x[i]));
}

Halves Fp16Transformer::placed(std::vector<float> x, levee_tensor_kind norm,
                               std::uint32_t layer) const
{
    place_heads(image_, {norm, layer, position_}, x);
    return rounded(x);
}

Halves Fp16Transformer::attend(std::span<const std::uint16_t> query, const Halves& keys,
                               const Halves& values, std::vector<float>& given) const
{
    const auto tokens = static_cast<std::uint32_t>(keys.size() / shape_.head_dim);
    veda::Product of;
    of.k = shape_.head_dim;
    of.n = tokens;
    of.a = query.data();
    of.b = keys.data();
    of.b_pitch = shape_.head_dim;
    of.b_transposed = true;
    const float scale = 1.0f / std::sqrt(static_cast<float>(shape_.head_dim));
    Halves scores;
    for (const float sum : product(veda::Mode::Inner, of))
        scores.push_back(es::entered(es::Function::Softmax, scale, sum, es::no_addend));
    const Halves probabilities = normalised(es::Function::Softmax, scores, 0.0f, {}, {});
    given = widened(probabilities);
    of.k = tokens;
    of.n = shape_.head_dim;
    of.a = probabilities.data();
    of.b = values.data();
    of.b_transposed = false;
    return rounded(product(veda::Mode::Outer, of));
}

std::vector<std::uint32_t> Fp16Transformer::store(const Halves& keys, const Halves& values,
                                                  Layer& layer) const
{
    const std::size_t width = shape_.head_dim;
    std::vector<std::uint32_t> slots;
    for (std::size_t head = 0; head < shape_.kv_heads; ++head) {
        const std::uint32_t slot = layer.tables.heads[head].next;
        const auto put = [&](const Halves& from, Halves& into) {
            into.resize(std::max(into.size(), (slot + std::size_t{1}) * width));
            std::copy_n(&from[head * width], width, &into[slot * width]);
        };
        put(keys, layer.keys[head]);
        put(values, layer.values[head]);
        layer.slots = std::max(layer.slots, slot + 1);
        slots.push_back(slot);
    }
    return slots;
}

Fp16Transformer::Projected Fp16Transformer::project(std::uint32_t layer) const
{
    const Halves normed =
        norm(x_, LEVEE_TENSOR_NORM_ATTENTION, LEVEE_TENSOR_NORM_ATTENTION_BIAS, layer);
    const auto projected = [&](levee_tensor_kind kind, levee_tensor_kind bias) {
        return widened(rounded(biased(normed, kind, bias, layer, LEVEE_TENSOR_WQ)));
    };
    return {projected(LEVEE_TENSOR_WQ, LEVEE_TENSOR_BQ),
            projected(LEVEE_TENSOR_WK, LEVEE_TENSOR_BK),
            projected(LEVEE_TENSOR_WV, LEVEE_TENSOR_BV)};
}

Halves Fp16Transformer::attention(const Projected& token, Layer& layer) const
{
    const Halves queries = placed(token.queries, LEVEE_TENSOR_NORM_QUERY, layer.number);
    layer.arrival = store(placed(token.keys, LEVEE_TENSOR_NORM_KEY, layer.number),
                          rounded(token.values), layer);
    const std::size_t width = shape_.head_dim;
    Halves out;
    if (layer.window != 0)
        return attend_window(queries, layer);
    const bool passes = !prefilled_ && layer.reach != 0 && position_ >= layer.reach;
    const std::size_t first = passes ? position_ + std::size_t{1} - layer.reach : 0;
    for (std::size_t head = 0; head < shape_.heads; ++head) {
        const std::size_t shared = head / (shape_.heads / shape_.kv_heads);
        const auto seen = [&](const Halves& all) {
            return Halves(all.begin() + static_cast<std::ptrdiff_t>(first * width), all.end());
        };
        std::vector<float> given;
        append(out, attend(std::span(queries).subspan(head * width, width),
                           seen(layer.keys[shared]), seen(layer.values[shared]), given));
        given.insert(given.begin(), first, 0.0f);
        layer.given[shared].push_back(std::move(given));
    }
    return out;
}

Halves Fp16Transformer::attend_window(const Halves& queries, const Layer& layer) const
{
    const WindowOrder window{layer.window, prefilled_.value_or(0)};
    const auto seen = prefilled_ ? window.by_slot(position_) : window.by_position(position_);
    const std::size_t width = shape_.head_dim;
    Halves out;
    for (std::size_t head = 0; head < shape_.heads; ++head) {
        const std::size_t shared = head / (shape_.heads / shape_.kv_heads);
        Halves keys, values;
        for (const std::uint32_t token : seen) {
            const auto row = [&](const Halves& all) {
                const auto first = all.begin() + static_cast<std::ptrdiff_t>(token * width);
                return Halves(first, first + static_cast<std::ptrdiff_t>(width));
            };
            append(keys, row(layer.keys[shared]));
            append(values, row(layer.values[shared]));
        }
        std::vector<float> given;
        append(out, attend(std::span(queries).subspan(head * width, width), keys, values, given));
    }
    return out;
}

void Fp16Transformer::begin(std::uint32_t token)
{
    x_ = embed(token);
}

void Fp16Transformer::end_attention(const Halves& attended, std::uint32_t layer)
{
    add(x_, biased(attended, LEVEE_TENSOR_WO, LEVEE_TENSOR_BO, layer, LEVEE_TENSOR_WO));
}

void Fp16Transformer::feed_forward(std::uint32_t layer)
{
    const Halves normed = norm(x_, LEVEE_TENSOR_NORM_FFN, LEVEE_TENSOR_NORM_FFN_BIAS, layer);
    const bool gated = image_.shape().gated();
    const levee_tensor_kind first = gated ? LEVEE_TENSOR_W_GATE : LEVEE_TENSOR_W_UP;
    const auto expanded = [&](levee_tensor_kind kind) {
        return widened(rounded(biased(normed, kind, LEVEE_TENSOR_B_UP, layer, first)));
    };
    std::vector<float> hidden = expanded(LEVEE_TENSOR_W_UP);
    if (gated)
        activate(image_.shape(), expanded(LEVEE_TENSOR_W_GATE), hidden, hidden);
    else
        activate(image_.shape(), hidden, {}, hidden);
    add(x_, biased(rounded(hidden), LEVEE_TENSOR_W_DOWN, LEVEE_TENSOR_B_DOWN, layer,
                   LEVEE_TENSOR_W_DOWN));
}

void Fp16Transformer::forward(std::uint32_t token, std::vector<Layer>& layers)
{
    begin(token);
    for (std::uint32_t layer = 0; layer < shape_.layers; ++layer) {
        end_attention(attention(project(layer), layers[layer]), layer);
        feed_forward(layer);
    }
    ++position_;
}

std::vector<float> Fp16Transformer::logits() const
{
    const bool tied = !image_.has(LEVEE_TENSOR_CLASSIFIER);
    std::vector<float> logits =
        multiply(norm(x_, LEVEE_TENSOR_NORM_FINAL, LEVEE_TENSOR_NORM_FINAL_BIAS, LEVEE_NO_LAYER),
                 tied ? LEVEE_TENSOR_EMBEDDING : LEVEE_TENSOR_CLASSIFIER, LEVEE_NO_LAYER,
                 LEVEE_TENSOR_CLASSIFIER);
    if (image_.shape().logit_cap != 0.0f)
        sfu::soft_cap(logits, image_.shape().logit_cap, logits);
    return logits;
}

// Counts the probabilities of a pass at once. Members of a group follow one another, each with the
// probabilities of every token.
void Fp16Transformer::count(std::uint32_t position, std::uint32_t rows,
                            std::vector<Layer>& layers) const
{
    const std::uint32_t group = shape_.heads / shape_.kv_heads;
    for (Layer& layer : layers) {
        if (layer.window != 0)
            continue;
        std::vector<Given> given(shape_.kv_heads);
        for (std::size_t head = 0; head < given.size(); ++head)
            for (std::uint32_t i = 0; i < group * rows; ++i)
                given[head].push_back(layer.given[head][i % rows * group + i / rows]);
        cache_.rule.count(layer.number, given, position, rows, 0, layer);
        layer.given.assign(shape_.kv_heads, {});
    }
}

void Fp16Transformer::keep(std::uint32_t number, const Layer& staged)
{
    Layer& kept = layers_[number];
    const std::size_t width = shape_.head_dim;
    if (kept.window != 0) {
        kept = staged;
        return;
    }
    cache_.rule.select(number, staged, kept);
    for (std::size_t head = 0; head < shape_.kv_heads; ++head) {
        const kv_tables::Head& table = kept.tables.heads[head];
        for (std::uint32_t slot = 0; slot < table.next; ++slot) {
            const auto from = static_cast<std::ptrdiff_t>(table.gather[slot] * width);
            const auto row = [&](const Halves& all) {
                return Halves(all.begin() + from,
                              all.begin() + from + static_cast<std::ptrdiff_t>(width));
            };
            append(kept.keys[head], row(staged.keys[head]));
            append(kept.values[head], row(staged.values[head]));
        }
        kept.slots = table.next;
    }
}

std::vector<float> Fp16Transformer::prefill(std::span<const std::uint32_t> tokens)
{
    std::vector<Layer> staged = empty_layers();
    for (std::size_t first = 0; first < tokens.size(); first += cache_.chunk) {
        const std::size_t rows = std::min<std::size_t>(cache_.chunk, tokens.size() - first);
        const std::uint32_t position = position_;
        for (const std::uint32_t token : tokens.subspan(first, rows)) {
            forward(token, staged);
            for (Layer& layer : staged)
                for (kv_tables::Head& head : layer.tables.heads)
                    ++head.next;
        }
        count(position, static_cast<std::uint32_t>(rows), staged);
    }
    if (!cache_.rule.evicts())
        layers_ = std::move(staged);
    for (std::uint32_t layer = 0; cache_.rule.evicts() && layer < shape_.layers; ++layer)
        keep(layer, staged[layer]);
    prefilled_ = position_;
    return logits();
}

std::vector<float> Fp16Transformer::step(std::uint32_t token)
{
    const std::uint32_t position = position_;
    forward(token, layers_);
    for (std::uint32_t number = 0; number < shape_.layers; ++number) {
        Layer& layer = layers_[number];
        if (layer.window != 0) {
            for (kv_tables::Head& head : layer.tables.heads)
                ++head.next;
            continue;
        }
        std::vector<std::vector<float>> given(shape_.kv_heads);
        for (std::size_t head = 0; head < given.size(); ++head)
            for (const std::vector<float>& row : layer.given[head])
                given[head].insert(given[head].end(), row.begin(), row.end());
        cache_.rule.step(number, position, layer.slots, layer.arrival, given, layer);
        layer.given.assign(shape_.kv_heads, {});
    }
    return logits();
}

} // namespace levee::test
