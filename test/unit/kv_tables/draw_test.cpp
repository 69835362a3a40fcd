// SPDX-License-Identifier: Apache-2.0
// Tests random eviction, and eviction among equally important tokens.
#include "test/unit/kv_tables/decode.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

using namespace levee;
using namespace levee::kv_tables;
using namespace levee::test;

namespace {

/// Returns, for each victim of a random policy, at how many evictions it was a candidate, including
/// the last.
std::vector<double> chances_of_victims(bool redraws, std::uint32_t seed)
{
    Policy policy{30, 2, 5, LEVEE_SE_SOFTMAX, 0, true, seed};
    policy.redraws = redraws;
    Decode decode(policy, 2, 3);
    std::vector<double> chances;
    for (std::uint32_t t = 0; t < 4500; ++t) {
        const Evicted evicted = decode.next();
        for (std::size_t o1 = 0; t >= 500 && o1 < 2; ++o1) {
            const auto& positions = decode.entry.heads[o1].positions;
            chances.push_back(t - positions[evicted.heads[o1].slot] - policy.window + 1.0);
        }
    }
    return chances;
}

double mean_of(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

} // namespace

TEST_CASE("a victim drawn at each eviction is any of the candidates with the same probability")
{
    constexpr double candidates = 30 + 1 - 2 - 5;
    for (const std::uint32_t seed : {1u, 2u, 3u}) {
        INFO("seed " << seed);
        const std::vector<double> chances = chances_of_victims(true, seed);
        // The distribution is geometric: the mean is 24 with a standard error of 0.26, and a share
        // of (23/24)^n of the tokens survives n evictions.
        CHECK_THAT(mean_of(chances), Catch::Matchers::WithinAbs(candidates, 1.1));
        for (const int n : {1, 8, 24, 72}) {
            INFO("outlive " << n);
            const auto outlive = std::ranges::count_if(chances, [&](double k) { return k > n; });
            const double share = static_cast<double>(outlive) / static_cast<double>(chances.size());
            CHECK_THAT(share, Catch::Matchers::WithinAbs(std::pow(1 - 1 / candidates, n), 0.025));
        }
    }
}

TEST_CASE("with permanent ranks, the remaining tokens are an even sample of all")
{
    Policy policy{30, 2, 5, LEVEE_SE_SOFTMAX, 0, true, 4};
    std::vector<double> shares;
    for (policy.seed = 1; policy.seed <= 40; ++policy.seed) {
        Decode decode(policy, 2, 3);
        for (std::uint32_t t = 0; t < 1000; ++t)
            decode.next();
        for (const auto& [position, importance] : decode.kept(0))
            if (position >= 2 && position < 995)
                shares.push_back((position - 2) / 993.0);
    }
    CHECK_THAT(mean_of(shares), Catch::Matchers::WithinAbs(0.5, 0.05));
    // A new token rarely ranks above the best of a thousand, so almost every candidate is evicted
    // at its first chance.
    const std::vector<double> chances = chances_of_victims(false, 1);
    CHECK(std::ranges::count(chances, 1.0) > 0.95 * static_cast<double>(chances.size()));
}

TEST_CASE("among equally unimportant tokens, the lowest slot or the earliest token is evicted")
{
    // Slot 1 has the youngest of three equally important tokens. Slot 4 has the arriving token,
    // which is protected.
    for (const Ties ties : {Ties::Slot, Ties::Earliest}) {
        Policy policy{4, 0, 1, LEVEE_SE_SOFTMAX, 0, false, 0};
        policy.ties = ties;
        Entry entry;
        entry.heads.resize(1);
        entry.heads[0].importance = units({8, 3, 3, 3});
        entry.heads[0].positions = {4, 9, 5, 7};
        entry.heads[0].next = 4;
        const Evicted evicted = step(policy, entry, 10, 5, {std::vector<float>(5)});
        CHECK(evicted.heads[0].slot == (ties == Ties::Slot ? 1u : 2u));
        // A less important token is evicted before an earlier one.
        entry.heads[0].importance = units({8, 3, 3, 2});
        entry.heads[0].next = 4;
        CHECK(step(policy, entry, 10, 5, {std::vector<float>(5)}).heads[0].slot == 3u);
    }
}
