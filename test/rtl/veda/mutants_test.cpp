// The check is checked: single faults of the arrays' RTL, each must be told by co-simulation.
#include "platform/cosim/veda.hpp"
#include "test/rtl/mutant_run.hpp"

#include <catch2/catch.hpp>

namespace levee::veda {
std::unique_ptr<Pins> make_mutants(const PinsOptions& options);
}

namespace {

using namespace levee;
using namespace levee::test;

constexpr std::uint64_t operations = 4000;

std::unique_ptr<cosim::Bench> make(unsigned mutant)
{
    return cosim::make_veda_bench(veda::make_mutants,
                                  {1, "+levee_mutant=" + std::to_string(mutant)});
}

} // namespace

TEST_CASE("Without a fault the arrays with all of them agree")
{
    CHECK_FALSE(is_caught(make, 0, 2000));
}

// CI's share; the bench below runs all.
TEST_CASE("Sampled faults of the arrays are caught, but those argued to change nothing")
{
    const std::vector<Mutant> mutants = read_mutants(LEVEE_MUTANT_LIST);
    CHECK(mutants.size() >= 50);
    CHECK(surprises(make, sample(mutants, 100, 1), operations) == "");
}

TEST_CASE("Every fault of the arrays is caught, but those argued to change nothing", "[.bench]")
{
    CHECK(surprises(make, read_mutants(LEVEE_MUTANT_LIST), operations) == "");
}
