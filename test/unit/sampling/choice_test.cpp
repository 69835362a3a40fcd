// SPDX-License-Identifier: Apache-2.0
#include "platform/run/sampling/choice.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <numeric>

using namespace levee::sampling;

namespace {

std::vector<std::uint32_t> parts(const std::vector<Sample>& samples)
{
    std::vector<std::uint32_t> list;
    for (const Sample& sample : samples)
        list.push_back(sample.part);
    return list;
}

/// Returns twice the integral of `f` over all parts, from the samples alone.
double doubled_integral(const std::vector<Sample>& samples,
                        const std::vector<std::uint64_t>& weights,
                        const std::function<double(double)>& f)
{
    double sum = 0;
    for (std::size_t i = 0; i < samples.size(); ++i)
        sum += static_cast<double>(weights[i]) * f(samples[i].part);
    return sum;
}

double doubled_sum(std::uint32_t total, const std::function<double(double)>& f)
{
    double sum = 0;
    for (std::uint32_t part = 0; part < total; ++part)
        sum += 2 * f(part);
    return sum;
}

} // namespace

TEST_CASE("samples are the ends, the kinks and the middles of the widest gaps")
{
    const std::uint64_t kinks[] = {7, 100};
    CHECK(parts(choose(9, 5, {})) == std::vector<std::uint32_t>{0, 2, 4, 6, 8});
    CHECK(parts(choose(9, 5, kinks)) == std::vector<std::uint32_t>{0, 3, 5, 7, 8});
    CHECK(parts(choose(4, 64, {})) == std::vector<std::uint32_t>{0, 1, 2, 3});
    CHECK(parts(choose(1, 2, {})) == std::vector<std::uint32_t>{0});
    CHECK(choose(8191, 64, kinks).size() == 64);
}

TEST_CASE("weights cover every part, and are exact between samples on straight lines")
{
    const std::uint64_t kinks[] = {40, 41};
    for (const std::uint32_t total : {1u, 2u, 3u, 50u, 8191u}) {
        const std::vector<Sample> samples = choose(total, 12, kinks);
        const std::vector<std::uint64_t> weights = doubled_weights(samples);
        CHECK(std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}) == 2 * total);
        const auto line = [](double x) { return 3 + 7 * x; };
        CHECK(doubled_integral(samples, weights, line) == doubled_sum(total, line));
        // A function that grows up to the kink and is constant after it, like the cost of a limited
        // cache.
        const auto budget = [](double x) { return std::min(x, 40.0); };
        CHECK(doubled_integral(samples, weights, budget) == doubled_sum(total, budget));
    }
}
