// SPDX-License-Identifier: Apache-2.0
#include "platform/run/sampling/bound.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>

using namespace levee::sampling;

namespace {

using Figure = std::function<double(double)>;

double sum_of(const std::vector<Sample>& samples, const Figure& figure,
              const Variation& variation = {})
{
    const std::vector<std::uint64_t> weights = doubled_weights(samples);
    double sum = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        auto doubled = static_cast<double>(weights[i]);
        if (i >= variation.first && i < variation.first + variation.doubled.size())
            doubled += static_cast<double>(variation.doubled[i - variation.first]);
        sum += doubled / 2 * figure(samples[i].part);
    }
    return sum;
}

struct Errors {
    double truth = 0, bound = 0;
};

/// Returns the errors of the sum over all parts of a run, estimated from samples.
Errors errors_of(std::uint32_t total, const std::vector<Sample>& samples, const Figure& figure)
{
    double whole = 0;
    for (std::uint32_t part = 0; part < total; ++part)
        whole += figure(part);
    const double sum = sum_of(samples, figure);
    const std::vector<Variation> other = variations(samples);
    std::vector<double> changes;
    for (const Variation& variation : other)
        changes.push_back(sum_of(samples, figure, variation) - sum);
    return {std::abs(sum - whole), bound(samples, other, changes)};
}

constexpr double rounding = 1e-9;

} // namespace

TEST_CASE("a figure on a line, or with all parts simulated, has no error")
{
    const std::uint64_t kinks[] = {1, 40};
    const auto line = [](double x) { return 3 + 7 * x; };
    CHECK(errors_of(299, choose(299, 12, kinks), line).bound < 1e-6);
    CHECK(errors_of(20, choose(20, 20, {}), [](double x) { return std::sin(x); }).bound == 0);
}

TEST_CASE(
    "the error of a figure with one direction of curvature is within its bound, which is tight")
{
    const std::uint64_t kinks[] = {1};
    double farthest = 0;
    for (const std::uint32_t count : {6u, 8u, 13u, 16u, 24u, 48u})
        for (double at = 2; at < 299; at *= 1.2) {
            INFO(count << " samples, " << at);
            const std::vector<Sample> samples = choose(299, count, kinks);
            for (const Figure& figure : {
                     // This models a cache that becomes full.
                     Figure([&](double x) { return std::min(x, at); }),
                     // This models a quantity that saturates.
                     Figure([&](double x) { return 5 - std::exp(-x / at); }),
                     // This models a quantity that runs out.
                     Figure([&](double x) { return std::max(0.0, 1 - x / at); }),
                     Figure([&](double x) { return (x - at) * (x - at); }),
                 }) {
                const Errors errors = errors_of(299, samples, figure);
                CHECK(errors.truth <= errors.bound + rounding);
                farthest = std::max(farthest, errors.truth / (errors.bound + rounding));
            }
            const Errors square = errors_of(299, samples, [](double x) { return x * x; });
            CHECK(square.bound < 8 * square.truth);
        }
    CHECK(farthest > 0.5);
}

TEST_CASE("a jump between two samples is within the bound, at any place")
{
    const std::uint64_t kinks[] = {1};
    const std::vector<Sample> samples = choose(299, 16, kinks);
    for (double at = 1.5; at < 298; ++at) {
        INFO(at);
        const Errors flat = errors_of(299, samples, [&](double x) { return x < at ? 2.0 : 5.0; });
        CHECK(flat.truth <= flat.bound + rounding);
        if (at < samples[2].part || at > samples[samples.size() - 2].part)
            continue; // The gap at either end has samples on one side only.
        const Errors sloped = errors_of(
            299, samples, [&](double x) { return x < at ? 0.1 * (x - at) : 9 - 0.4 * (x - at); });
        CHECK(sloped.truth <= sloped.bound + rounding);
    }
}

TEST_CASE("opposite curvatures do not cancel in the bound")
{
    // The curvature is twice as large on one side of 120 as on the other. Signed errors would
    // cancel.
    const std::vector<Sample> samples = choose(241, 9, {});
    const Errors errors =
        errors_of(241, samples, [](double x) { return std::pow(x - 120, 3) / 1e4; });
    CHECK(errors.truth < 1e-6);
    CHECK(errors.bound > 100);
}

TEST_CASE("between two kinks a figure may keep the value at either kink")
{
    const std::uint64_t kinks[] = {1, 30};
    const std::vector<Sample> samples = choose(299, 4, kinks);
    const Errors errors = errors_of(299, samples, [](double x) { return x < 2 ? 9.0 : 1.0; });
    CHECK(errors.truth == Approx(28 * 8 / 2.0)); // No samples lie between 1 and 30.
    CHECK(errors.bound == Approx(errors.truth));
}

TEST_CASE("a gap's error follows from its neighbours' chords, whatever their lengths")
{
    const std::vector<Sample> samples{{0, true}, {2, false}, {12, false}, {16, true}};
    const std::vector<Variation> other = variations(samples);
    REQUIRE(other.size() == 2);
    // Without the sample at 2, the error in the 2 parts of the gap before would be 1/5 of its
    // value. The error in the 10 parts of the gap after would be 5 times its value. The sample at
    // 12 is between gaps of 10 and 4.
    CHECK(bound(samples, other, std::vector<double>{1, 4}) == Approx(0.2 + 10 + 1.6));
    CHECK(bound(samples, other, std::vector<double>{4, 1}) == Approx(0.8 + 20 + 0.4));
}

TEST_CASE("one part between two fixed samples may have the value of either sample")
{
    const std::vector<Sample> samples{{0, true}, {2, true}, {3, true}};
    const Errors jump = errors_of(4, samples, [](double x) { return x < 2 ? 0.0 : 2.0; });
    CHECK(jump.truth == 1);
    CHECK(jump.bound == 1);
}
