// SPDX-License-Identifier: Apache-2.0
#include "test/reference/plain_transformer.hpp"

#include <algorithm>
#include <cmath>

namespace levee::test {
namespace {

using Vector = std::vector<double>;

class PlainTransformer {
public:
    PlainTransformer(const ModelImage& image, double theta)
        : image_(image), shape_(image.shape()), theta_(theta), keys_(shape_.layers),
          values_(shape_.layers)
    {
    }

    Vector step(std::uint32_t token)
    {
        Vector x = row(LEVEE_TENSOR_EMBEDDING, token);
        if (!shape_.rotated())
            x = sum(x, row(LEVEE_TENSOR_POSITION, position_));
        for (std::uint32_t layer = 0; layer < shape_.layers; ++layer) {
            x = sum(x, attention(norm(x, LEVEE_TENSOR_NORM_ATTENTION, layer), layer));
            x = sum(x, feed_forward(norm(x, LEVEE_TENSOR_NORM_FFN, layer), layer));
        }
        ++position_;
        x = norm(x, LEVEE_TENSOR_NORM_FINAL, LEVEE_NO_LAYER);
        return times(shape_.tied ? LEVEE_TENSOR_EMBEDDING : LEVEE_TENSOR_CLASSIFIER, LEVEE_NO_LAYER,
                     x);
    }

private:
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

    // The norm's bias follows its gain in the enumeration of kinds.
    Vector norm(const Vector& x, int kind, std::uint32_t layer) const
    {
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

    void rotate(Vector& x) const
    {
        if (!shape_.rotated())
            return;
        const bool halves = shape_.position == LEVEE_POSITION_ROPE_HALVES;
        const std::size_t pairs = shape_.head_dim / 2;
        for (std::size_t head = 0; head < x.size(); head += shape_.head_dim)
            for (std::size_t i = 0; i < pairs; ++i) {
                const double angle = position_ * std::pow(theta_, -static_cast<double>(i) / pairs);
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
        rotate(q);
        rotate(k);
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
            p.push_back(score);
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
        Vector h = times(LEVEE_TENSOR_W_UP, layer, x, LEVEE_TENSOR_B_UP);
        const Vector gate = shape_.gated() ? times(LEVEE_TENSOR_W_GATE, layer, x) : Vector{};
        for (std::size_t i = 0; i < h.size(); ++i) {
            if (shape_.activation == LEVEE_ACTIVATION_SILU_GLU)
                h[i] *= gate[i] / (1.0 + std::exp(-gate[i]));
            else if (shape_.activation == LEVEE_ACTIVATION_GELU)
                h[i] *= 0.5 * std::erfc(-h[i] / std::sqrt(2.0));
            else
                h[i] = std::max(h[i], 0.0);
        }
        return times(LEVEE_TENSOR_W_DOWN, layer, h, LEVEE_TENSOR_B_DOWN);
    }

    const ModelImage& image_;
    const ModelShape& shape_;
    double theta_;
    std::uint32_t position_ = 0;
    std::vector<std::vector<Vector>> keys_, values_; // [layer][token]
};

} // namespace

std::vector<std::vector<double>> plain_logits(const ModelImage& image,
                                              std::span<const std::uint32_t> tokens, double theta)
{
    PlainTransformer transformer(image, theta);
    std::vector<Vector> logits;
    for (const std::uint32_t token : tokens)
        logits.push_back(transformer.step(token));
    return logits;
}

} // namespace levee::test
