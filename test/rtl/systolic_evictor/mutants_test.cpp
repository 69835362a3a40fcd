// SPDX-License-Identifier: Apache-2.0
// The check is checked: single faults of the evictor's RTL, each must be told by co-simulation.
#include "platform/studies/cosim/systolic_evictor.hpp"
#include "test/rtl/mutant_run.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace levee::systolic_evictor {
std::unique_ptr<Pins> make_mutants(const PinsOptions& options);
}

namespace {

using namespace levee;
using namespace levee::test;

constexpr std::uint64_t operations = 3000;

std::unique_ptr<cosim::Bench> make(unsigned mutant)
{
    return cosim::make_evictor_bench(systolic_evictor::make_mutants,
                                     {1, "+levee_mutant=" + std::to_string(mutant)});
}

bool is_told(const Mutant& mutant)
{
    return is_caught(make, mutant.number, operations);
}

} // namespace

TEST_CASE("Without a fault the design with all of them agrees")
{
    CHECK_FALSE(is_caught(make, 0, operations));
}

TEST_CASE("All rules find places in the evictor")
{
    const std::vector<Mutant> mutants = read_mutants(LEVEE_MUTANT_LIST);
    CHECK(mutants.size() >= 50);
    std::set<std::string> rules;
    for (const Mutant& mutant : mutants)
        rules.insert(mutant.rule);
    CHECK(rules ==
          std::set<std::string>{"adder", "comparison", "constant", "mux", "reset", "width"});
}

// All of them: a fault costs some ten milliseconds here.
TEST_CASE("Every fault of the evictor is caught, but those argued to change nothing")
{
    CHECK(surprises(is_told, read_mutants(LEVEE_MUTANT_LIST)) == "");
}
