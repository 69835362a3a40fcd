// SPDX-License-Identifier: Apache-2.0
#include "test/reference/plain_transformer.hpp"

#include <algorithm>
#include <cmath>

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

    // The norm's bias follows its gain in the enumeration of kinds. x where there is no norm.
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

    // Queries or keys: normalised where the model does that, by head or all, then rotated.
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
        const auto turns = image_.tensor(phases).words(); // per position, in units of 2^-32
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

    Vector attention(const Vector& x, std::uint32_t layer)
    {
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

    void attend(const Vector& q, std::uint32_t layer, std::uint32_t head, Vector& out) const
    {
        const std::uint32_t n = shape_.head_dim;
        const std::uint32_t shared = head / (shape_.heads / shape_.kv_heads) * n;
        Vector p;
        for (const Vector& k : keys_[layer]) {
            double score = 0.0;
            for (std::uint32_t i = 0; i < n; ++i)
                score += q[head * n + i] * k[shared + i] / std::sqrt(static_cast<double>(n));
            p.push_back(capped(score, shape_.score_cap));
        }
        const double largest = *std::max_element(p.begin(), p.end());
        double total = 0.0;
        for (double& value : p)
            total += value = std::exp(value - largest);
        for (std::size_t token = 0; token < p.size(); ++token)
            for (std::uint32_t i = 0; i < n; ++i)
                out[head * n + i] += p[token] / total * values_[layer][token][shared + i];
    }

    Vector feed_forward(const Vector& x, std::uint32_t layer) const
    {
        if (shape_.experts != 0)
            return mixture(x, layer);
        Vector h = times(LEVEE_TENSOR_W_UP, layer, x, LEVEE_TENSOR_B_UP);
        const Vector gate = shape_.gated() ? times(LEVEE_TENSOR_W_GATE, layer, x) : Vector{};
        for (std::size_t i = 0; i < h.size(); ++i)
            h[i] = shape_.gated() ? h[i] * function(gate[i]) : function(h[i]);
        return times(LEVEE_TENSOR_W_DOWN, layer, h, LEVEE_TENSOR_B_DOWN);
    }

    // The largest scores, the largest first.
    Vector mixture(const Vector& x, std::uint32_t layer) const
    {
        const Vector scores = times(LEVEE_TENSOR_W_ROUTER, layer, x);
        std::vector<std::size_t> order(scores.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
        double total = 0.0;
        for (std::size_t i = 0; i < order.size(); ++i)
            total += i < shape_.chosen || !shape_.among_chosen ? std::exp(scores[order[i]]) : 0.0;
        Vector out(shape_.dim);
        for (std::size_t j = 0; j < shape_.chosen; ++j) {
            const Vector one = expert(x, layer, order[j]);
            for (std::size_t i = 0; i < out.size(); ++i)
                out[i] += std::exp(scores[order[j]]) / total * one[i];
        }
        return out;
    }

    Vector expert(const Vector& x, std::uint32_t layer, std::size_t number) const
    {
        const Vector ups = tensor(LEVEE_TENSOR_W_EXPERTS_UP, layer);
        const Vector downs = tensor(LEVEE_TENSOR_W_EXPERTS_DOWN, layer);
        const std::size_t halves = shape_.gated() ? 2 : 1, n = shape_.hidden;
        const auto dot = [](const Vector& matrix, std::size_t row, const Vector& y) {
            double sum = 0.0;
            for (std::size_t i = 0; i < y.size(); ++i)
                sum += matrix[row * y.size() + i] * y[i];
            return sum;
        };
        Vector h(n), out(shape_.dim);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t first = number * halves * n + i;
            h[i] = function(dot(ups, first, x)) * (shape_.gated() ? dot(ups, first + n, x) : 1.0);
        }
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = dot(downs, number * shape_.dim + i, h);
        return out;
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
