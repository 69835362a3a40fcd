// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/summary.hpp"

#include <catch2/catch.hpp>

TEST_CASE("Perplexity and recall are printed without prefixes")
{
    const auto text = [](double perplexity, double share) {
        levee::Results results;
        results.metrics = {{"score.perplexity", perplexity},
                           {"score.tokens", std::uint64_t{64}},
                           {"score.texts", std::uint64_t{3}},
                           {"recall.share", share},
                           {"recall.chance", 0.2}};
        return levee::summary(results, {}, "results.json");
    };
    CHECK_THAT(text(2500, 0.005), Catch::Contains(" 2500 over 64 tokens of 3 texts\n"));
    CHECK_THAT(text(2500, 0.005), Catch::Contains(" 0.5 % answered; chance 20 %\n"));
    CHECK_THAT(text(32000.4, 0), Catch::Contains(" 32000 over 64 tokens of 3 texts\n"));
    CHECK_THAT(text(12.3456, 1), Catch::Contains(" 12.35 over 64 tokens of 3 texts\n"));
    CHECK_THAT(text(12.3456, 1), Catch::Contains(" 100 % answered; chance 20 %\n"));
}
