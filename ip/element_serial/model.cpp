// SPDX-License-Identifier: Apache-2.0
#include "ip/element_serial/model.hpp"

#include "core/numerics/numerics.hpp"

#include <algorithm>
#include <cmath>

namespace levee::element_serial {

namespace {

constexpr std::uint16_t minus_infinity = 0xFC00u;

/// Sums each tile, then each block of `tile` tiles. The rounding error therefore grows with the
/// size of the tile, not with the length of the vector.
class TiledSum {
public:
    explicit TiledSum(std::uint32_t tile) : tile_(tile) {}

    /// Adds the sum of the next tile.
    void add(float tile_sum)
    {
        if (tiles_ % tile_ != 0) {
            block_ = block_ + tile_sum;
        } else {
            before_ = before_ + block_;
            block_ = tile_sum;
        }
        ++tiles_;
    }
    [[nodiscard]] float total() const { return before_ + block_; }

private:
    std::uint32_t tile_;
    std::uint64_t tiles_ = 0;
    float before_ = 0.0f, block_ = 0.0f;
};

/// Returns the largest element so far. NaN is ignored. If elements are equal, the earlier one is
/// returned.
std::uint16_t maximum(std::uint16_t so_far, std::span<const std::uint16_t> tile)
{
    for (const std::uint16_t v : tile)
        if (fp16_to_fp32(v) > fp16_to_fp32(so_far))
            so_far = v;
    return so_far;
}

/// Returns exp(v - maximum). An element of minus infinity gives 0, for any maximum.
float exponential(std::uint16_t v, float maximum)
{
    return v == minus_infinity ? 0.0f : exp_fp32(fp16_to_fp32(v) - maximum);
}

Statistics reduce_softmax(std::uint32_t tile, std::span<const std::uint16_t> v)
{
    std::uint16_t before = minus_infinity;
    float sum = 0.0f;
    for (std::size_t i = 0; i < v.size(); i += tile) {
        const auto elements = v.subspan(i, std::min<std::size_t>(tile, v.size() - i));
        const std::uint16_t now = maximum(before, elements);
        const float largest = fp16_to_fp32(now);
        float tile_sum = 0.0f;
        for (const std::uint16_t element : elements)
            tile_sum = tile_sum + exponential(element, largest);
        const float carried = now == before ? sum : sum * exp_fp32(fp16_to_fp32(before) - largest);
        sum = carried + tile_sum;
        before = now;
    }
    return {fp16_to_fp32(before), canonical(sum)};
}

Statistics reduce_norm(std::uint32_t tile, std::span<const std::uint16_t> v)
{
    TiledSum sum(tile), squares(tile);
    for (std::size_t i = 0; i < v.size(); i += tile) {
        float tile_sum = 0.0f, tile_squares = 0.0f;
        for (const std::uint16_t bits : v.subspan(i, std::min<std::size_t>(tile, v.size() - i))) {
            const float element = fp16_to_fp32(bits);
            tile_sum = tile_sum + element;
            tile_squares = tile_squares + element * element; // The product is exact.
        }
        sum.add(tile_sum);
        squares.add(tile_squares);
    }
    return {canonical(sum.total()), canonical(squares.total())};
}

} // namespace

std::uint16_t entered(Function function, float scale, float x, float y)
{
    return fp32_to_fp16((function == Function::Softmax ? x * scale : x) + y);
}

Statistics reduce(Function function, std::uint32_t tile, std::span<const std::uint16_t> v)
{
    return function == Function::Softmax ? reduce_softmax(tile, v) : reduce_norm(tile, v);
}

Factors factors_of(Function function, const Statistics& statistics, std::uint32_t n, float epsilon)
{
    if (function == Function::Softmax)
        return {statistics.first, 1.0f / statistics.second};
    const auto count = static_cast<float>(n);
    const float mean_square = statistics.second / count;
    if (function == Function::RmsNorm)
        return {0.0f, 1.0f / std::sqrt(mean_square + epsilon)};
    const float mean = statistics.first / count;
    const float variance = mean_square - mean * mean;
    return {mean, 1.0f / std::sqrt((variance < 0.0f ? 0.0f : variance) + epsilon)};
}

std::uint16_t normalised(Function function, const Factors& factors, std::uint16_t v, float gain,
                         float bias)
{
    const float distance = fp16_to_fp32(v) - factors.shift;
    if (function == Function::Softmax)
        return fp32_to_fp16(exp_fp32(distance) * factors.scale);
    return fp32_to_fp16(distance * factors.scale * gain + bias);
}

} // namespace levee::element_serial
