// SPDX-License-Identifier: Apache-2.0
// Random tests of the element-serial unit. Each operation processes one to four vectors of one
// function, by REDUCE or NORMALISE. A vector is shorter than a tile, a number of full tiles, or
// several blocks long. All kinds of numbers occur, including infinities and NaN.
#include "core/rtl/bench.hpp"

#include "core/numerics/numerics.hpp"
#include "ip/element_serial/driver.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace levee::element_serial {

namespace {

using namespace cosim;

/// How a vector's elements are distributed.
enum class Values { Scores, Close, Rising, Falling, Equal, Corners, Masked, Any, Tiny, Zeroes };

constexpr const char* value_names[] = {"scores", "close",   "rising",         "falling",
                                       "equal",  "corners", "with -infinity", "any bits",
                                       "tiny",   "zeroes"};

std::uint32_t bits(float value)
{
    return std::bit_cast<std::uint32_t>(value);
}

/// Draws an approximately normal number with standard deviation 1.
float draw_normal(Draw& draw)
{
    float sum = -3.0f;
    for (int i = 0; i < 6; ++i)
        sum += unit_interval(draw.word());
    return sum * 1.4f;
}

std::uint16_t draw_half(Draw& draw, Values values, std::uint32_t i, float base)
{
    constexpr std::uint16_t corners[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x0400, 0x3C00,
                                         0xBC00, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0xFE01};
    constexpr std::uint16_t zeroes[] = {0x0000, 0x8000, 0x8001, 0x0001, 0x4000, 0xC000};
    switch (values) {
    case Values::Close:
        return fp32_to_fp16(base * (1.0f + 0.001f * draw_normal(draw)));
    case Values::Rising:
        return fp32_to_fp16(base + 0.1f * static_cast<float>(i));
    case Values::Falling:
        return fp32_to_fp16(base - 0.3f * static_cast<float>(i));
    case Values::Equal:
        return fp32_to_fp16(base);
    case Values::Corners: // Few infinities and NaN, usually at most one per vector.
        return corners[draw.one_in(64) ? draw.below(14) : draw.below(10)];
    case Values::Masked:
        return i < static_cast<std::uint32_t>(std::abs(base)) || draw.one_in(4)
                   ? std::uint16_t{0xFC00}
                   : fp32_to_fp16(4.0f * draw_normal(draw));
    case Values::Any:
        return static_cast<std::uint16_t>(draw.one_in(16) ? draw.word() : draw.word() & 0xBFFFu);
    case Values::Zeroes:
        return i == 0 ? zeroes[draw.below(6)] : zeroes[draw.below(draw.one_in(16) ? 6 : 2)];
    case Values::Tiny:
        return static_cast<std::uint16_t>(draw.word() & 0x87FFu);
    default:
        return fp32_to_fp16(4.0f * draw_normal(draw) + base);
    }
}

/// Draws an FP32 value that rounds, overflows or underflows when converted to FP16, or that FP16
/// represents exactly.
std::uint32_t draw_wide(Draw& draw, std::uint16_t half)
{
    const std::uint32_t exact = bits(fp16_to_fp32(half));
    switch (draw.below(8)) {
    case 0:
        return exact + (draw.word() & 0x1FFFu);
    case 1:
        return exact + 0x1000u; // a tie
    case 2:
        return draw.one_in(8) ? draw.word() : exact;
    default:
        return exact;
    }
}

std::uint32_t draw_factor(Draw& draw)
{
    constexpr std::uint32_t some[] = {0x3F800000, 0x80000000, 0x00000000, 0xBF800000, 0x7F800000,
                                      0x3DB504F3, 0x00000001, 0x7F7FFFFF, 0x37800000, 0x47800000};
    return draw.one_in(4) ? some[draw.below(std::size(some))] : bits(draw_normal(draw));
}

/// Draws a scale (sometimes 1) for a softmax, or an epsilon for a norm.
std::uint32_t draw_param(Draw& draw, bool is_softmax)
{
    if (is_softmax)
        return draw.one_in(3) ? bits(1.0f) : draw_factor(draw);
    return draw.one_in(8) ? draw_factor(draw)
                          : bits(draw.one_in(4) ? 0.0f : 1e-5f * unit_interval(draw.word()));
}

/// Draws a length around one tile or several blocks of tiles.
std::uint32_t draw_length(Draw& draw, std::uint32_t tile)
{
    switch (draw.below(8)) {
    case 0:
        return 1 + draw.below(3);
    case 1:
    case 2:
        return tile * (1 + draw.below(3)) + draw.below(3) - 1;
    case 3:
        return draw.one_in(8) ? tile * tile * (1 + draw.below(2)) + draw.below(2 * tile)
                              : 1 + draw.below(4 * tile);
    default:
        return 1 + draw.below(3 * tile);
    }
}

struct Lengths {
    std::uint32_t vectors = 0;
    std::uint32_t common = 0; ///< Elements of a vector; vectors of a softmax may have other
                              ///< lengths.
};

/// Draws lengths. With `is_long`, hundreds of vectors have the same configuration, or one vector
/// has hundreds of tiles.
Lengths draw_lengths(Draw& draw, bool is_long, std::uint32_t tile)
{
    if (!is_long) {
        const std::uint32_t vectors = 1 + draw.below(4);
        return {vectors, draw_length(draw, tile)};
    }
    const std::uint32_t stay = draw_stay(draw);
    return draw.one_in(2) ? Lengths{stay, 1 + draw.below(3)} : Lengths{1, stay * tile};
}

/// Draws statistics such as REDUCE would compute, or arbitrary ones.
Statistics draw_statistics(Draw& draw, const Shape& shape, Function function,
                           const std::vector<std::uint16_t>& halves)
{
    if (!draw.one_in(8))
        return reduce(function, shape.tile, halves);
    return {std::bit_cast<float>(draw_factor(draw)), std::bit_cast<float>(draw_factor(draw))};
}

VectorWork draw_vector(Draw& draw, const Shape& shape, const Configuration& configuration,
                       std::uint32_t length, Values values)
{
    VectorWork vector;
    std::vector<std::uint16_t> halves;
    const float base = draw.one_in(8)
                           ? 0.0f
                           : draw_normal(draw) * static_cast<float>(1u << draw.below(12)) / 16.0f;
    const bool has_y = draw.one_in(2);
    for (std::uint32_t i = 0; i < length; ++i) {
        const std::uint16_t half = draw_half(draw, values, i, base);
        halves.push_back(half);
        Element element{half, 0, 0x8000};
        if (configuration.normalise) {
            element.gain = draw_factor(draw);
            element.addend = draw_factor(draw);
        } else {
            element.x = configuration.half ? half : draw_wide(draw, half);
            element.addend = has_y ? draw_half(draw, Values::Scores, i, 0.0f) : 0x8000u;
        }
        vector.elements.push_back(element);
    }
    if (configuration.normalise)
        vector.statistics = draw_statistics(draw, shape, configuration.function, halves);
    return vector;
}

Drawn<Work> draw_work(Draw& draw, std::uint64_t index, const Shape& shape)
{
    constexpr const char* functions[] = {"softmax", "RMS norm", "layer norm"};
    Drawn<Work> drawn;
    Configuration& configuration = drawn.work.configuration;
    configuration.normalise = draw.one_in(2);
    configuration.function = static_cast<Function>(draw.below(3));
    configuration.half = configuration.normalise || draw.one_in(2);
    const bool is_softmax = configuration.function == Function::Softmax;
    configuration.param = draw_param(draw, is_softmax);
    const Lengths lengths = draw_lengths(draw, is_long_stay(index), shape.tile);
    const std::uint32_t common = lengths.common;
    configuration.count = bits(static_cast<float>(common));
    drawn.text = std::string(configuration.normalise ? "normalise " : "reduce ") +
                 functions[static_cast<int>(configuration.function)];
    for (std::uint32_t i = 0; i < lengths.vectors; ++i) {
        const bool is_free = is_softmax && !is_long_stay(index);
        const std::uint32_t length = is_free ? draw_length(draw, shape.tile) : common;
        const auto values = static_cast<Values>(draw.below(std::size(value_names)));
        drawn.work.vectors.push_back(draw_vector(draw, shape, configuration, length, values));
        if (i < 4) // The description lists only the first four vectors.
            drawn.text += (i == 0 ? ": " : ", ") + std::to_string(length) + " " +
                          value_names[static_cast<int>(values)];
    }
    if (lengths.vectors > 4)
        drawn.text += " ... " + std::to_string(lengths.vectors) + " vectors";
    drawn.draw_gates(draw);
    if (draw.one_in(8) && !is_long_stay(index)) {
        drawn.most_cycles = 1 + draw.below(4 * common + 60);
        drawn.is_seen_idle = draw.one_in(2);
    }
    return drawn;
}

} // namespace

std::unique_ptr<cosim::Bench> Ports::make_bench(MakePins make, const RtlPinsOptions& options)
{
    return std::make_unique<WorkBench<Ports, Driver, draw_work>>(make, options);
}

} // namespace levee::element_serial
