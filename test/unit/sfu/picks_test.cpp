// SPDX-License-Identifier: Apache-2.0
#include "ip/sfu/model.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace {

using levee::kInfinity;
using levee::kNan;
using levee::random_word;
using levee::unit_interval;
namespace sfu = levee::sfu;
using Vector = std::vector<float>;

double log_sum_exp(const Vector& x)
{
    double sum = 0.0;
    for (const double v : x)
        sum += std::exp(v);
    return std::log(sum);
}

} // namespace

TEST_CASE("argmax takes the largest element, ties to the lowest index")
{
    CHECK(sfu::argmax(Vector{3.0f}).index == 0);
    Vector x(100, -1.0f);
    x[37] = x[21] = x[90] = x[5 + 64] = 2.0f;
    const levee_sfu_pick pick = sfu::argmax(x);
    CHECK(pick.index == 21);
    CHECK(pick.value == 2.0f);
    CHECK(pick.log_sum_exp == Approx(log_sum_exp(x)).epsilon(1e-6));
    CHECK(pick.log_prob == Approx(2.0 - log_sum_exp(x)).epsilon(1e-6));
    for (std::size_t i = 0; i < 20; ++i) {
        Vector y(20, 0.0f);
        y[i] = 1.0f;
        CHECK(sfu::argmax(y).index == i);
    }
}

TEST_CASE("argmax never picks NaN")
{
    CHECK(sfu::argmax(Vector{kNan, -5.0f, kNan}).index == 1);
    CHECK(sfu::argmax(Vector{kNan, kNan}).index == 0);
    CHECK(sfu::argmax(Vector{-kInfinity, -kInfinity}).index == 0);
    const levee_sfu_pick pick = sfu::argmax(Vector{kNan, -5.0f});
    CHECK(std::bit_cast<std::uint32_t>(pick.log_prob) == levee::kCanonicalNan32);
    CHECK_THROWS_WITH(sfu::argmax(Vector{}), Catch::Contains("argmax: x has 0"));
}

TEST_CASE("log-probability of a target")
{
    const Vector x = {1.0f, 2.0f, 3.0f, -40.0f};
    for (std::uint32_t target = 0; target < 4; ++target) {
        const levee_sfu_pick pick = sfu::log_prob(x, target);
        CHECK(pick.index == 2);
        CHECK(pick.value == 3.0f);
        CHECK(pick.log_prob == Approx(x[target] - log_sum_exp(x)).margin(2e-6));
    }
    CHECK_THROWS_WITH(sfu::log_prob(x, 4), Catch::Contains("target 4 is not below 4"));
    // Far from 0, the offset must cancel before the logarithm is added.
    CHECK(sfu::log_prob(Vector{10000.0f, 9999.0f}, 1).log_prob ==
          Approx(-1.0 - std::log1p(std::exp(-1.0))).margin(1e-6));
}

TEST_CASE("sampling follows the distribution")
{
    const Vector x = {std::log(0.5f), std::log(0.25f), -kInfinity, std::log(0.25f)};
    std::array<int, 4> counts{};
    constexpr int draws = 20000;
    for (int i = 0; i < draws; ++i)
        ++counts[sfu::sample(x, 1.0f, 3, static_cast<std::uint64_t>(i)).index];
    CHECK(counts[0] / double{draws} == Approx(0.5).margin(0.015));
    CHECK(counts[1] / double{draws} == Approx(0.25).margin(0.013));
    CHECK(counts[2] == 0);
    CHECK(counts[3] / double{draws} == Approx(0.25).margin(0.013));
}

TEST_CASE("a draw is the inverse CDF in index order of the stated random word")
{
    const Vector x = {0.0f, 0.0f, 0.0f, 0.0f};
    for (std::uint64_t vector = 0; vector < 50; ++vector) {
        const float u = levee::unit_interval(levee::random_word(9, 0, vector));
        CHECK(sfu::sample(x, 0.7f, 9, vector).index == static_cast<std::uint32_t>(u * 4.0f));
    }
}

TEST_CASE("temperature sharpens the distribution, and at zero or below the largest is taken")
{
    const Vector x = {0.0f, 1.0f};
    int low = 0;
    for (std::uint64_t i = 0; i < 4000; ++i)
        low += sfu::sample(x, 0.5f, 1, i).index == 0;
    CHECK(low / 4000.0 == Approx(1.0 / (1.0 + std::exp(2.0))).margin(0.025));
    CHECK(sfu::sample(x, 0.0f, 1, 1).index == 1);
    CHECK(sfu::sample(x, -1.0f, 1, 1).index == 1);
    CHECK(sfu::sample(x, kNan, 1, 1).index == 1);
    // The reported probability is the model's own, not the sharpened one.
    const levee_sfu_pick pick = sfu::sample(x, 0.1f, 1, 1);
    CHECK(pick.index == 1);
    CHECK(pick.log_prob == Approx(-std::log1p(std::exp(-1.0))).margin(1e-6));
}

TEST_CASE("sampling is defined for NaN and infinities")
{
    for (std::uint64_t i = 0; i < 100; ++i) {
        CHECK(sfu::sample(Vector{kNan, 0.0f, kNan}, 1.0f, 2, i).index == 1);
        CHECK(sfu::sample(Vector{0.0f, kInfinity}, 1.0f, 2, i).index == 1);
        CHECK(sfu::sample(Vector{kNan, kNan}, 1.0f, 2, i).index == 0);
    }
}

TEST_CASE("weights of experts, and probabilities with a sink, follow double precision")
{
    double by_sigmoid = 0.0, by_softmax = 0.0, beside_sink = 0.0;
    for (std::uint32_t draw = 0; draw < 2000; ++draw) {
        std::vector<float> x(64), bias(64), p(64);
        double all = 0.0;
        for (std::uint32_t i = 0; i < 64; ++i) {
            x[i] = 8 * unit_interval(random_word(1, draw, i)) - 4;
            bias[i] = 0.2f * unit_interval(random_word(2, draw, i));
            all += std::exp(static_cast<double>(x[i]));
        }
        for (const bool sigmoid : {false, true}) {
            std::vector<sfu::Choice> choices(6);
            sfu::choose(x, {.among_chosen = true, .sigmoid = sigmoid, .bias = bias}, choices);
            std::vector<double> weights;
            double sum = 0.0;
            for (const sfu::Choice& choice : choices) {
                const double raw = std::exp(static_cast<double>(x[choice.index]));
                weights.push_back(sigmoid ? raw / (1.0 + raw) : raw / all);
                sum += weights.back();
            }
            double& largest = sigmoid ? by_sigmoid : by_softmax;
            for (std::size_t i = 0; i < choices.size(); ++i)
                largest = std::max(largest, std::abs(choices[i].weight / (weights[i] / sum) - 1));
        }
        const float sink = 4 * unit_interval(random_word(3, draw, 0)) - 1;
        sfu::softmax(x, 64, {}, p, sfu::running_of_sink(sink));
        const double with = all + std::exp(static_cast<double>(sink));
        for (std::size_t i = 0; i < 64; ++i)
            beside_sink = std::max(
                beside_sink, std::abs(p[i] / (std::exp(static_cast<double>(x[i])) / with) - 1));
    }
    CHECK(by_sigmoid < 7.2e-7);
    CHECK(by_softmax < 4.7e-7);
    CHECK(beside_sink < 6.6e-7);
}
