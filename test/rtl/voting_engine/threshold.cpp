// SPDX-License-Identifier: Apache-2.0
#include "test/rtl/voting_engine/threshold.hpp"

#include "core/rtl/verilated_design.hpp"
#include "ip/voting_engine/timing.hpp"

#include LEVEE_DESIGN_HEADER

#include <algorithm>
#include <bit>
#include <iterator>
#include <string>

namespace levee::test {

struct Threshold::Design {
    VerilatedDesign<LEVEE_DESIGN> verilated;

    explicit Design(unsigned mutant) : verilated(1, "+levee_mutant=" + std::to_string(mutant))
    {
        verilated.top().start_i = verilated.top().take_i = 0;
        verilated.reset([this] { verilated.settle(); });
    }
};

Threshold::Threshold(unsigned mutant) : design_(std::make_unique<Design>(mutant)) {}
Threshold::~Threshold() = default;

Threshold::Result Threshold::operator()(const Moments& moments)
{
    constexpr std::uint32_t patience = 100;
    VerilatedDesign<LEVEE_DESIGN>& design = design_->verilated;
    LEVEE_DESIGN& top = design.top();
    const auto cycle = [&](bool start, bool take) {
        top.start_i = start;
        top.take_i = take;
        design.settle();
        design.edge();
    };
    top.length_i = moments.length;
    top.sum_i = std::bit_cast<std::uint32_t>(moments.sum);
    top.mean_factor_i = std::bit_cast<std::uint32_t>(moments.factors.mean);
    top.deviation_factor_i = std::bit_cast<std::uint32_t>(moments.factors.deviation);
    cycle(true, false);
    top.length_i = 1; // The inputs change after the start, as for the next operation.
    top.sum_i = 0x12345678;
    top.mean_factor_i = top.deviation_factor_i = 0x3F812345;
    for (std::uint32_t cycles = 1; cycles < patience; ++cycles) {
        top.start_i = top.take_i = 0;
        design.settle();
        if (top.idle_o)
            return {}; // The result was lost.
        if (top.done_o) {
            const Result result{top.threshold_o, cycles};
            cycle(false, true);
            design.settle();
            return top.idle_o ? result : Result{};
        }
        design.edge();
    }
    return {};
}

Threshold::Result reference(const Moments& moments)
{
    return {std::bit_cast<std::uint32_t>(
                voting_engine::threshold_of(moments.length, moments.sum, moments.factors)),
            static_cast<std::uint32_t>(voting_engine::threshold_stages + 1)};
}

namespace {

/// Returns a number from 2^from to 2^to with few or many set bits.
float random_positive(std::mt19937_64& random, int from, int to)
{
    const std::uint64_t bits = random();
    const auto exponent = static_cast<std::uint32_t>(
        127 + from + static_cast<int>((bits >> 32) % static_cast<std::uint64_t>(to - from)));
    auto fraction = static_cast<std::uint32_t>(bits) & 0x7FFFFFu;
    if ((bits >> 61) == 0)
        fraction = 0;
    else if ((bits >> 61) == 1)
        fraction = 0x7FFFFF;
    else if ((bits >> 61) < 4)
        fraction &= static_cast<std::uint32_t>(random()) & static_cast<std::uint32_t>(random());
    return std::bit_cast<float>(exponent << 23 | fraction);
}

float random_factor(std::mt19937_64& random)
{
    if (random() % 8 == 0)
        return 0.0f;
    return std::min(random_positive(random, -20, 20), voting_engine::greatest_factor);
}

/// Returns a factor whose product with the mean is so close to a tie that the last bits decide the
/// rounding.
float deciding_factor(std::mt19937_64& random, std::uint32_t length)
{
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(1.0f / static_cast<float>(length));
    const std::uint32_t mean = (bits & 0x7FFFFF) | 0x800000;
    const std::uint32_t ends[] = {0x400000, 0x800000, 0xC00000, 0x400001, 0x800001,
                                  0x480000, 0x880000, 0x500000, 0x900000, 0x600000};
    if (mean % 2 == 0)
        return 1.0f;
    std::uint32_t inverse =
        // Computes the inverse of the mean modulo 2^24. Each step doubles the number of right bits.
        1;
    for (int i = 0; i < 5; ++i)
        inverse *= 2 - mean * inverse;
    const std::uint32_t factor = ends[random() % std::size(ends)] * inverse & 0xFFFFFF;
    return factor < 0x800000 ? 1.0f : std::bit_cast<float>(0x3F800000 | (factor & 0x7FFFFF));
}

} // namespace

Moments random_moments(std::mt19937_64& random)
{
    Moments moments;
    moments.length = 1 + static_cast<std::uint32_t>(random() % (1u << random() % 13));
    moments.factors = {random_factor(random), random_factor(random)};
    const float even = 1.0f / static_cast<float>(moments.length);
    if (random() % 4 == 0)
        moments.factors = {deciding_factor(random, moments.length), 0.0f};
    switch (random() % 6) {
    case 5: { // This is a deviation of 1.5, times a factor that produces a tie.
        const auto bits = static_cast<std::uint32_t>(random() % 0x2AAAAA) | 0x555556u;
        return {1, 3.25f, {0.0f, std::bit_cast<float>(0x3F800000u | (bits & ~3u) | 2u)}};
    }
    case 0:
        moments.sum = 0.0f;
        break;
    case 1: // The variance is the smallest possible one, or below 0.
        moments.sum = std::bit_cast<float>(std::bit_cast<std::uint32_t>(even) +
                                           static_cast<std::uint32_t>(random() % 16) - 6);
        break;
    case 2:
        moments.sum = even * (1.0f + random_positive(random, -12, 6));
        break;
    default:
        moments.sum = random_positive(random, -48, 44);
    }
    return moments;
}

} // namespace levee::test
