// SPDX-License-Identifier: Apache-2.0
// Tests votes and elections by VEDA's rule on vectors worked out by hand.
#include "core/numerics/numerics.hpp"
#include "ip/voting_engine/model.hpp"

#include <catch2/catch.hpp>

#include <bit>
#include <limits>
#include <vector>

namespace {

using namespace levee;
using namespace levee::voting_engine;

using Words = std::vector<std::uint32_t>;
using Votes = std::vector<std::uint16_t>;

constexpr Factors paper{1.0f, 0.2f};

std::vector<std::uint16_t> elements(const std::vector<float>& probabilities)
{
    std::vector<std::uint16_t> result;
    for (const float p : probabilities)
        result.push_back(to_element(p));
    return result;
}

Votes votes_of(const std::vector<float>& probabilities, const Factors& factors = paper,
               const Words& positions = {})
{
    Votes votes(probabilities.size());
    vote(votes, elements(probabilities), positions, factors);
    return votes;
}

std::uint32_t threshold_bits(const std::vector<float>& probabilities, const Factors& factors)
{
    return std::bit_cast<std::uint32_t>(threshold(elements(probabilities), factors));
}

} // namespace

TEST_CASE("the threshold is computed in FP32 in the stated order")
{
    // The mean is 0.25, the sum of squares 0.34375, the variance 0.0234375 and the deviation
    // 0.15309, so the threshold is 0.25 - 0.030619. Its bits were computed in Python, with each
    // operation rounded to single precision.
    CHECK(threshold_bits({0.5f, 0.25f, 0.125f, 0.125f}, paper) == 0x3E60A583u);
    std::vector<float> falling, hyperbola;
    for (int i = 7; i > 0; --i)
        falling.push_back(static_cast<float>(i) / 28.0f);
    CHECK(threshold_bits(falling, paper) == 0x3E03AA0Fu);
    CHECK(threshold_bits({1 / 3.0f, 1 / 3.0f, 0.3333f, 1e-4f}, {1.5f, 0.7f}) == 0x3E8C51E8u);
    for (int i = 1; i <= 100; ++i)
        hyperbola.push_back(1.0f / static_cast<float>(i) / 5.2f);
    CHECK(threshold_bits(hyperbola, paper) == 0x3BB47F81u);
    // A single token has no deviation. A variance that rounds below 0 counts as 0.
    CHECK(threshold_bits({1.0f}, paper) == 0x3F800000u);
    CHECK(threshold_bits({0.0f, 0.0f}, {1.0f, 1.0f}) == 0x3F000000u);
}

TEST_CASE("a token below the threshold gets a vote, and one equal to it does not")
{
    CHECK(votes_of({0.5f, 0.25f, 0.125f, 0.125f}) == Votes{0, 0, 1, 1});
    CHECK(votes_of({0.25f, 0.25f, 0.25f, 0.25f}) == Votes{0, 0, 0, 0});
    CHECK(votes_of({1.0f}) == Votes{0});
}

TEST_CASE("a threshold below 0 gives one vote, to the smallest and earliest token")
{
    // Two standard deviations are 0.306, which exceeds the mean.
    constexpr Factors wide{1.0f, 2.0f};
    CHECK(votes_of({0.5f, 0.25f, 0.125f, 0.125f}, wide) == Votes{0, 0, 1, 0});
    CHECK(votes_of({0.5f, 0.25f, 0.125f, 0.125f}, wide, {0, 1, 9, 3}) == Votes{0, 0, 0, 1});
    CHECK(votes_of({0.125f, 0.25f, 0.5f, 0.125f}, wide, {7, 8, 9, 3}) == Votes{0, 0, 0, 1});
    // No value is below a threshold of exactly 0, not even -0.
    CHECK(votes_of({0.5f, 0.5f, 0.0f, 0.0f}, {1.0f, 1.0f}) == Votes{0, 0, 0, 0});
}

TEST_CASE("probabilities become FP16 in their valid range, and NaN becomes 0")
{
    CHECK(to_element(1.0f / 3.0f) == 0x3555);
    CHECK(to_element(-0.5f) == 0);
    CHECK(to_element(-0.0f) == 0);
    CHECK(to_element(kNan) == 0);
    CHECK(to_element(kInfinity) == 0x7BFF);
    CHECK(to_element(1e9f) == 0x7BFF);
    CHECK(to_element(65519.0f) == 0x7BFF);
    CHECK(to_element(6e-8f) == 1);
    CHECK(to_element(2e-8f) == 0);
}

TEST_CASE("votes saturate")
{
    Votes votes{65534, 65535, 7};
    for (int i = 0; i < 3; ++i)
        vote(votes, elements({0.0f, 0.0f, 1.0f}), {}, {1.0f, 0.0f});
    CHECK(votes == Votes{65535, 65535, 7});
}

TEST_CASE("figure 2: a token can get votes only from its own arrival on")
{
    // Each of eight tokens attends mostly to itself and less to earlier ones. As in the paper's
    // example, position 3 can get more votes than position 7, with any scores.
    Votes votes(8);
    for (std::size_t t = 0; t < 8; ++t) {
        std::vector<float> row(t + 1, 0.5f / static_cast<float>(t + 1));
        row[t] += 0.5f;
        vote(std::span(votes).first(t + 1), elements(row), {}, paper);
    }
    // The last token is never below the threshold. Token i gets a vote in every later row, 7 - i
    // votes in all.
    CHECK(votes == Votes{7, 6, 5, 4, 3, 2, 1, 0});
    const Words positions{0, 1, 2, 3, 4, 5, 6, 7};
    CHECK(elect(votes, positions, 0) == 0);
    CHECK(elect(votes, positions, 3) == 3);
}

TEST_CASE("the token with most votes is evicted, the earliest of several, never a protected one")
{
    const Votes votes{3, 9, 9, 9, 1};
    CHECK(elect(votes, Words{0, 1, 2, 3, 4}, 0) == 1);
    CHECK(elect(votes, Words{0, 8, 6, 7, 4}, 0) == 2); // Slots are not in order of position.
    CHECK(elect(votes, Words{0, 1, 2, 3, 40}, 4) == 4);
    CHECK(elect(votes, Words{0, 1, 2, 3, 4}, 5) == none);
    CHECK(elect(Votes{0, 0}, Words{5, 4}, 0) == 1);
}

TEST_CASE("a token outside the window is evicted before any other, protected or not")
{
    const Words positions{4, 1, 0, 3, 2};
    const auto leaves = [&](std::uint32_t passed, std::uint32_t protect) {
        Votes votes{65535, 9, 0, 65535, 7};
        return elect(votes, positions, give_up_passed(votes, positions, passed, protect));
    };
    CHECK(leaves(0, 1) == 3);
    CHECK(leaves(1, 0) == 2); // The token has no votes, and two others share the maximum.
    CHECK(leaves(1, 3) == 2);
    CHECK(leaves(2, 3) == 2); // The earlier of two equal tokens is evicted.
    // The next token, at position 10, attends to 4 tokens: those at 7, 8 and 9, and itself.
    CHECK(passed_of(4, 10) == 7);
    CHECK(passed_of(11, 10) == 0);
    CHECK(passed_of(10, 10) == 1);
    CHECK(passed_of(0, 10) == 0);
    const Votes votes{0, 0, 5, 1, 9, 3};
    CHECK(select(votes, 3, 0, 1) == Words{1, 3, 5});
    CHECK(select(votes, 3, 0, 3) == Words{3, 4, 5});
    CHECK(select(votes, 3, 3, 2) == Words{2, 3, 5});
    CHECK(select(votes, 6, 0, 3) == Words{0, 1, 2, 3, 4, 5}); // All tokens fit.
}

TEST_CASE("after the prefill P - S tokens are evicted at once, those with the most votes first")
{
    const Votes votes{9, 3, 0, 3, 7, 3, 1};
    CHECK(select(votes, 7, 0) == Words{0, 1, 2, 3, 4, 5, 6});
    CHECK(select(votes, 5, 0) == Words{1, 2, 3, 5, 6});
    CHECK(select(votes, 4, 0) == Words{2, 3, 5, 6}); // The earliest of three with 3 votes.
    CHECK(select(votes, 2, 0) == Words{2, 6});
    CHECK(select(votes, 3, 2) == Words{0, 1, 2});
    CHECK(select(votes, 1, 2) == Words{0, 1}); // No further token may be evicted.
    CHECK(select(votes, 3, 9) == Words{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("factors are 0 or in the range of the engine's arithmetic")
{
    for (const float good : {0.0f, 1.0f, 0.2f, least_factor, greatest_factor})
        CHECK(is_factor(good));
    for (const float bad : {-1.0f, 1e-7f, 1048577.0f, kInfinity, kNan})
        CHECK_FALSE(is_factor(bad));
}
