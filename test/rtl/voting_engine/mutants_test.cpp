// SPDX-License-Identifier: Apache-2.0
// Tests the check itself: co-simulation must detect every single fault of the voting engine's RTL.
#include "ip/voting_engine/driver.hpp"
#include "ip/voting_engine/pins.hpp"
#include "test/rtl/mutant_run.hpp"
#include "test/rtl/voting_engine/threshold.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace levee::voting_engine {
extern const RtlModel<Ports> mutants;
}

namespace {

using namespace levee;
using namespace levee::test;

constexpr auto make = make_mutant<voting_engine::mutants>;

/// Returns inputs of the threshold alone, with the right results.
const std::vector<std::pair<Moments, Threshold::Result>>& questions()
{
    static const std::vector<std::pair<Moments, Threshold::Result>> all = [] {
        constexpr int count = 6000;
        std::vector<std::pair<Moments, Threshold::Result>> answered;
        std::mt19937_64 random(2);
        for (int i = 0; i < count; ++i) {
            const Moments moments = random_moments(random);
            answered.emplace_back(moments, reference(moments));
        }
        return answered;
    }();
    return all;
}

bool threshold_agrees(unsigned mutant)
{
    Threshold threshold(mutant);
    return std::ranges::all_of(questions(), [&](const auto& question) {
        return threshold(question.first) == question.second;
    });
}

/// Returns whether the test of the module voting_threshold by itself detects the fault. Votes
/// depend on few bits of the threshold, so tests of the whole design can miss such a fault.
bool threshold_detects(const Mutant& mutant)
{
    static const std::vector<Mutant> faults = read_mutants(levee_voting_threshold_mutants_list);
    return std::ranges::any_of(faults, [&](const Mutant& fault) {
        return fault.text == mutant.text && !threshold_agrees(fault.number);
    });
}

/// Returns whether vote counts agree if a sequence has more vectors than a count can represent.
bool counts_agree(unsigned mutant)
{
    const auto pins = voting_engine::mutants.make({1, "+levee_mutant=" + std::to_string(mutant)});
    voting_engine::Job job;
    job.factors = {2.0f, 0.0f};
    job.vectors.assign(66'000, {0x0000});
    job.positions = {0};
    job.votes = {0};
    voting_engine::Driver driver(*pins, false);
    const std::vector<voting_engine::Job> jobs{job};
    const auto expected = voting_engine::expected_of(jobs);
    voting_engine::Driver::Options options;
    options.expected = expected;
    (void)driver.run(jobs, options);
    return !driver.value();
}

bool is_detected(const Mutant& mutant, std::uint64_t operations)
{
    return threshold_detects(mutant) || is_caught(make, mutant.number, operations) ||
           (operations == most_operations &&
            mutant.text.find("voting_pass.sv") != std::string::npos &&
            !counts_agree(mutant.number));
}

} // namespace

TEST_CASE("The design with all faults built in, but none selected, agrees")
{
    CHECK_FALSE(is_caught(make, 0, most_operations));
    CHECK(threshold_agrees(0));
    CHECK(counts_agree(0));
}

TEST_CASE("All rules apply to the voting engine, and no reason is listed for a fault that no "
          "longer exists")
{
    const std::vector<Mutant> mutants = read_mutants(levee_voting_mutants_list);
    CHECK(rules_of(mutants) == all_rules());
    CHECK(strays(mutants, LEVEE_EQUIVALENT_FAULTS) == "");
}

TEST_CASE("Every fault of the voting engine is detected, except those listed as changing nothing")
{
    CHECK(surprises(is_detected, read_mutants(levee_voting_mutants_list),
                    LEVEE_EQUIVALENT_FAULTS) == "");
}
