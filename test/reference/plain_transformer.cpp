// SPDX-License-Identifier: Apache-2.0
#include "test/reference/plain_transformer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace levee::test {
namespace {

using Vector = std::vector<double>;

class PlainTransformer {
public:
    explicit PlainTransformer(const ModelImage& image)
        : image_(image), shape_(image.shape()), keys_(shape_.layers), values_(shape_.layers)
    {
    }

    Vector step(std::uint32_t token)
    {
        Vector x = row(LEVEE_TENSOR_EMBEDDING, token);
        if (!shape_.rotated())
            x = sum(x, row(LEVEE_TENSOR_POSITION, position_));
        for (std::uint32_t layer = 0; layer < shape_.layers; ++layer) {
            const Vector input = norm(x, LEVEE_TENSOR_NORM_ATTENTION, layer);
            x = sum(x, norm(attention(input, layer), LEVEE_TENSOR_NORM_ATTENTION_AFTER, layer));
            const Vector& second = shape_.parallel ? input : norm(x, LEVEE_TENSOR_NORM_FFN, layer);
            x = sum(x, norm(feed_forward(second, layer), LEVEE_TENSOR_NORM_FFN_AFTER, layer));
        }
        ++position_;
        x = norm(x, LEVEE_TENSOR_NORM_FINAL, LEVEE_NO_LAYER);
        x = times(shape_.tied ? LEVEE_TENSOR_EMBEDDING : LEVEE_TENSOR_CLASSIFIER, LEVEE_NO_LAYER,
                  x);
        for (double& logit : x)
            logit = capped(logit, shape_.logit_cap);
        return x;
    }

private:
    static double capped(double x, double cap) { return cap == 0.0 ? x : cap * std::tanh(x / cap); }

    static Vector sum(Vector x, const Vector& y)
    {
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] += y[i];
        return x;
    }

    Vector tensor(int kind, std::uint32_t layer) const
    {
        const auto values = image_.values(static_cast<levee_tensor_kind>(kind), layer);
        return {values.begin(), values.end()};
    }

    Vector row(int kind, std::uint32_t number) const
    {
        const Vector all = tensor(kind, LEVEE_NO_LAYER);
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(number) * shape_.dim;
        return {first, first + shape_.dim};
    }

    // Applies a norm; returns x if the model has none. In the enumeration of tensor kinds, the
    // norm's bias follows its gain.
    Vector norm(const Vector& x, int kind, std::uint32_t layer) const
    {
        if (!image_.has(static_cast<levee_tensor_kind>(kind), layer))
            return x;
        const Vector gain = tensor(kind, layer);
        const bool centred = shape_.norm == LEVEE_NORM_LAYER;
        const Vector bias = centred ? tensor(kind + 1, layer) : Vector(x.size(), 0.0);
        double mean = 0.0, square = 0.0;
        for (const double value : x)
            mean += centred ? value / shape_.dim : 0.0;
        for (const double value : x)
            square += (value - mean) * (value - mean) / shape_.dim;
        Vector out(x.size());
        for (std::size_t i = 0; i < x.size(); ++i)
            out[i] = (x[i] - mean) / std::sqrt(square + shape_.norm_epsilon) * gain[i] + bias[i];
        return out;
    }

    Vector times(int kind, std::uint32_t layer, const Vector& x, int bias = 0) const
    {
        const Vector matrix = tensor(kind, layer);
        Vector out(matrix.size() / x.size(), 0.0);
        for (std::size_t i = 0; i < out.size(); ++i)
            for (std::size_t j = 0; j < x.size(); ++j)
                out[i] += matrix[i * x.size() + j] * x[j];
        const bool biased = bias != 0 && image_.has(static_cast<levee_tensor_kind>(bias), layer);
        return biased ? sum(out, tensor(bias, layer)) : out;
    }

    // Normalises queries or keys, each head separately or all heads together, if the model does so.
    // Then rotates them.
    void place(Vector& x, int kind, std::uint32_t layer) const
    {
        if (shape_.head_norm != HeadNorm::none) {
            const Vector gain = tensor(kind, layer);
            for (std::size_t first = 0; first < x.size(); first += gain.size()) {
                double square = 0.0;
                for (std::size_t i = 0; i < gain.size(); ++i)
                    square += x[first + i] * x[first + i] / static_cast<double>(gain.size());
                for (std::size_t i = 0; i < gain.size(); ++i)
                    x[first + i] *= gain[i] / std::sqrt(square + shape_.norm_epsilon);
            }
        }
        const std::uint32_t flags = shape_.flags_of(layer);
        const bool local = (flags & LEVEE_LAYER_LOCAL) != 0 && shape_.local_phases;
        if (shape_.rotated() && (flags & LEVEE_LAYER_UNROTATED) == 0)
            rotate(x, local ? LEVEE_TENSOR_ROPE_PHASE_LOCAL : LEVEE_TENSOR_ROPE_PHASE);
    }

    void rotate(Vector& x, levee_tensor_kind phases) const
    {
        const auto turns = image_.tensor(phases).words(); // Turns per position, in units of 2^-32.
        const bool halves = shape_.position == LEVEE_POSITION_ROPE_HALVES;
        const std::size_t pairs = shape_.rotary() / 2;
        for (std::size_t head = 0; head < x.size(); head += shape_.head_dim)
            for (std::size_t i = 0; i < pairs; ++i) {
                const double angle = 2.0 * std::acos(-1.0) * position_ * (turns[i] * 0x1p-32);
                double& a = x[head + (halves ? i : 2 * i)];
                double& b = x[head + (halves ? i + pairs : 2 * i + 1)];
                const double turned = a * std::cos(angle) - b * std::sin(angle);
                b = a * std::sin(angle) + b * std::cos(angle);
                a = turned;
            }
    }

    // Scales x's elements from `first` on to a root mean square of 1, then applies the gain.
    void norm_end(Vector& x, std::size_t first, int kind, std::uint32_t layer) const
    {
        const Vector gain = tensor(kind, layer);
        double square = 0.0;
        for (std::size_t i = 0; i < gain.size(); ++i)
            square += x[first + i] * x[first + i] / static_cast<double>(gain.size());
        for (std::size_t i = 0; i < gain.size(); ++i)
            x[first + i] *= gain[i] / std::sqrt(square + shape_.norm_epsilon);
    }

    // Latent attention as published: the heads' keys and values are computed from the latent vector
    // before the scores.
    Vector latent_attention(const Vector& x, std::uint32_t layer)
    {
        Vector input = x;
        if (shape_.query_latent != 0) {
            input = times(LEVEE_TENSOR_W_QUERY_LATENT, layer, x);
            norm_end(input, 0, LEVEE_TENSOR_NORM_QUERY_LATENT, layer);
        }
        const Vector q = times(LEVEE_TENSOR_WQ, layer, input);
        Vector c = times(LEVEE_TENSOR_W_KV_LATENT, layer, x);
        norm_end(c, shape_.rotary_dim, LEVEE_TENSOR_NORM_KV_LATENT, layer);
        place(c, LEVEE_TENSOR_NORM_KEY, layer);
        keys_[layer].push_back(c);
        Vector out(shape_.heads * shape_.value_dim, 0.0);
        for (std::uint32_t head = 0; head < shape_.heads; ++head)
            attend_latent(q, layer, head, out);
        return times(LEVEE_TENSOR_WO, layer, out);
    }

    // Returns a head's query, the rotated part first.
    Vector latent_query(const Vector& q, std::uint32_t layer, std::uint32_t head) const
    {
        const auto own = q.begin() + static_cast<std::ptrdiff_t>(head) * shape_.raw_query();
        Vector turned(shape_.head_dim, 0.0); // It has the length of the vectors that place()
                                             // rotates.
        std::copy(own + shape_.nope_dim, own + shape_.raw_query(), turned.begin());
        place(turned, LEVEE_TENSOR_NORM_QUERY, layer);
        turned.resize(shape_.rotary_dim);
        turned.insert(turned.end(), own, own + shape_.nope_dim);
        return turned;
    }

    // Returns the head's key from a cached vector, the rotated part first.
    Vector latent_key(const Vector& up, const Vector& c, std::uint32_t head) const
    {
        Vector key(c.begin(), c.begin() + shape_.rotary_dim);
        key.resize(shape_.raw_query(), 0.0);
        for (std::uint32_t l = 0; l < shape_.kv_latent; ++l)
            for (std::uint32_t d = 0; d < shape_.nope_dim; ++d)
                key[shape_.rotary_dim + d] +=
                    up[(std::size_t{head} * shape_.kv_latent + l) * shape_.nope_dim + d] *
                    c[shape_.rotary_dim + l];
        return key;
    }

    void attend_latent(const Vector& q, std::uint32_t layer, std::uint32_t head, Vector& out) const
    {
        const Vector query = latent_query(q, layer, head);
        const Vector key_up = tensor(LEVEE_TENSOR_W_KEY_UP, layer);
        const Vector value_up = tensor(LEVEE_TENSOR_W_VALUE_UP, layer);
        Vector scores;
        for (const Vector& c : keys_[layer]) {
            const Vector key = latent_key(key_up, c, head);
            double score = 0.0;
            for (std::size_t i = 0; i < key.size(); ++i)
                score += query[i] * key[i] / std::sqrt(static_cast<double>(shape_.head_dim));
            scores.push_back(score);
        }
        const Vector p = probabilities(scores, layer, head);
        for (std::size_t token = 0; token < p.size(); ++token)
            for (std::uint32_t i = 0; i < shape_.value_dim; ++i)
                for (std::uint32_t l = 0; l < shape_.kv_latent; ++l)
                    out[head * shape_.value_dim + i] +=
                        p[token] *
                        value_up[(std::size_t{head} * shape_.value_dim + i) * shape_.kv_latent +
                                 l] *
                        keys_[layer][token][shape_.rotary_dim + l];
    }

    Vector attention(const Vector& x, std::uint32_t layer)
    {
        if (shape_.kv_latent != 0)
            return latent_attention(x, layer);
        Vector q = times(LEVEE_TENSOR_WQ, layer, x, LEVEE_TENSOR_BQ);
        Vector k = times(LEVEE_TENSOR_WK, layer, x, LEVEE_TENSOR_BK);
        place(q, LEVEE_TENSOR_NORM_QUERY, layer);
        place(k, LEVEE_TENSOR_NORM_KEY, layer);
        keys_[layer].push_back(k);
        values_[layer].push_back(times(LEVEE_TENSOR_WV, layer, x, LEVEE_TENSOR_BV));
        Vector out(q.size(), 0.0);
        for (std::uint32_t head = 0; head < shape_.heads; ++head)
            attend(q, layer, head, out);
        return times(LEVEE_TENSOR_WO, layer, out, LEVEE_TENSOR_BO);
    }

    // Returns the weight of each token in a head, from the head's scores of all tokens.
    Vector probabilities(const Vector& scores, std::uint32_t layer, std::uint32_t head) const
    {
        // Tokens at a distance of `window` or more are masked.
        const bool local = (shape_.flags_of(layer) & LEVEE_LAYER_LOCAL) != 0;
        const double masked = -std::numeric_limits<double>::infinity();
        Vector p;
        for (const double score : scores)
            p.push_back(local && p.size() + shape_.window <= position_
                            ? masked
                            : capped(score, shape_.score_cap));
        if (shape_.sinks)
            p.push_back(tensor(LEVEE_TENSOR_ATTENTION_SINKS, layer)[head]);
        const double largest = *std::max_element(p.begin(), p.end());
        double total = 0.0;
        for (double& value : p)
            total += value = std::exp(value - largest);
        p.resize(scores.size());
        for (double& value : p)
            value /= total;
        return p;
    }

    void attend(const Vector& q, std::uint32_t layer, std::uint32_t head, Vector& out) const
    {
        const std::uint32_t n = shape_.head_dim;
        const std::uint32_t shared = head / (shape_.heads / shape_.kv_heads) * n;
        Vector scores;
        for (const Vector& k : keys_[layer]) {
            double score = 0.0;
            for (std::uint32_t i = 0; i < n; ++i)
                score += q[head * n + i] * k[shared + i] / std::sqrt(static_cast<double>(n));
            scores.push_back(score);
        }
        const Vector p = probabilities(scores, layer, head);
        for (std::size_t token = 0; token < p.size(); ++token)
            for (std::uint32_t i = 0; i < n; ++i)
                out[head * n + i] += p[token] * values_[layer][token][shared + i];
    }

    Vector feed_forward(const Vector& x, std::uint32_t layer) const
    {
        return shape_.has_experts(layer) ? mixture(x, layer) : network(x, layer);
    }

    Vector network(const Vector& x, std::uint32_t layer) const
    {
        Vector h = times(LEVEE_TENSOR_W_UP, layer, x, LEVEE_TENSOR_B_UP);
        const Vector gate = shape_.gated() ? times(LEVEE_TENSOR_W_GATE, layer, x) : Vector{};
        for (std::size_t i = 0; i < h.size(); ++i)
            h[i] = shape_.gated() ? gated(gate[i], h[i]) : function(h[i]);
        return times(LEVEE_TENSOR_W_DOWN, layer, h, LEVEE_TENSOR_B_DOWN);
    }

    double gated(double gate, double up) const
    {
        if (shape_.activation != LEVEE_ACTIVATION_CLAMPED_GLU)
            return function(gate) * up;
        const double limit = shape_.glu_limit;
        const double g = std::min(gate, limit);
        const double swish = g / (1.0 + std::exp(-static_cast<double>(shape_.glu_alpha) * g));
        return swish * (std::clamp(up, -limit, limit) + 1.0);
    }

    // Returns the weights of all experts.
    Vector shares(const Vector& results) const
    {
        Vector shares;
        double total = 0.0;
        for (const double result : results) {
            shares.push_back(shape_.sigmoid ? 1.0 / (1.0 + std::exp(-result)) : std::exp(result));
            total += shares.back();
        }
        for (double& share : shares)
            share /= shape_.sigmoid ? 1.0 : total;
        return shares;
    }

    // Returns the weighted sum of the outputs of the chosen experts. With a bias for choosing
    // experts, those with the largest sum of weight and bias are chosen; otherwise those with the
    // largest weights.
    Vector mixture(const Vector& x, std::uint32_t layer) const
    {
        const Vector weights =
            shares(times(LEVEE_TENSOR_W_ROUTER, layer, x, LEVEE_TENSOR_B_ROUTER));
        Vector compared = weights;
        if (shape_.choice_bias)
            compared = sum(compared, tensor(LEVEE_TENSOR_ROUTER_CHOICE_BIAS, layer));
        std::vector<std::size_t> order(weights.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return compared[a] > compared[b]; });
        double total = 0.0;
        for (std::size_t j = 0; j < shape_.chosen; ++j)
            total += weights[order[j]];
        Vector out(shape_.dim);
        for (std::size_t j = 0; j < shape_.chosen; ++j) {
            const Vector one = expert(x, layer, order[j]);
            for (std::size_t i = 0; i < out.size(); ++i)
                out[i] += weights[order[j]] / (shape_.among_chosen ? total : 1.0) * one[i];
        }
        return shape_.shared_hidden != 0 ? sum(out, shared(x, layer)) : out;
    }

    // Returns the contribution of the shared expert, which all tokens use.
    Vector shared(const Vector& x, std::uint32_t layer) const
    {
        Vector out = network(x, layer);
        if (!shape_.shared_gate)
            return out;
        const double gate = times(LEVEE_TENSOR_W_SHARED_GATE, layer, x).front();
        for (double& value : out)
            value /= 1.0 + std::exp(-gate);
        return out;
    }

    // Multiplies x by an expert's matrix and adds its bias.
    Vector times_expert(int kind, int bias, std::uint32_t layer, std::size_t number,
                        const Vector& x) const
    {
        const Vector matrix = tensor(kind, layer);
        const std::size_t rows = matrix.size() / x.size() / shape_.experts, first = number * rows;
        const Vector biases =
            shape_.expert_biases ? tensor(bias, layer) : Vector(first + rows, 0.0);
        Vector out(rows);
        for (std::size_t i = 0; i < rows; ++i) {
            out[i] = biases[first + i];
            for (std::size_t j = 0; j < x.size(); ++j)
                out[i] += matrix[(first + i) * x.size() + j] * x[j];
        }
        return out;
    }

    Vector expert(const Vector& x, std::uint32_t layer, std::size_t number) const
    {
        const Vector up =
            times_expert(LEVEE_TENSOR_W_EXPERTS_UP, LEVEE_TENSOR_B_EXPERTS_UP, layer, number, x);
        Vector h(shape_.hidden);
        for (std::size_t i = 0; i < h.size(); ++i)
            h[i] = shape_.gated() ? gated(up[i], up[h.size() + i]) : function(up[i]);
        return times_expert(LEVEE_TENSOR_W_EXPERTS_DOWN, LEVEE_TENSOR_B_EXPERTS_DOWN, layer, number,
                            h);
    }

    double function(double x) const
    {
        const double inner = std::sqrt(2.0 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
        switch (shape_.activation) {
        case LEVEE_ACTIVATION_SILU_GLU:
            return x / (1.0 + std::exp(-x));
        case LEVEE_ACTIVATION_GELU:
        case LEVEE_ACTIVATION_GELU_GLU:
            return x * 0.5 * std::erfc(-x / std::sqrt(2.0));
        case LEVEE_ACTIVATION_GELU_TANH:
        case LEVEE_ACTIVATION_GELU_TANH_GLU:
            return 0.5 * x * (1.0 + std::tanh(inner));
        case LEVEE_ACTIVATION_RELU_SQUARED:
            return std::max(x, 0.0) * std::max(x, 0.0);
        default:
            return std::max(x, 0.0);
        }
    }

    const ModelImage& image_;
    const ModelShape& shape_;
    std::uint32_t position_ = 0;
    std::vector<std::vector<Vector>> keys_, values_; // [layer][token]
};

} // namespace

std::vector<std::vector<double>> plain_logits(const ModelImage& image,
                                              std::span<const std::uint32_t> tokens)
{
    PlainTransformer transformer(image);
    std::vector<Vector> logits;
    for (const std::uint32_t token : tokens)
        logits.push_back(transformer.step(token));
    return logits;
}

} // namespace levee::test
