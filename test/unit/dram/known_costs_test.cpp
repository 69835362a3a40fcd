// SPDX-License-Identifier: Apache-2.0
// Tests that processes can share computed costs of stream mixes. A shared cost equals a recomputed
// one bit for bit, and is never used for a different memory.
#include "test/unit/dram/support.hpp"

#include <catch2/catch.hpp>

using namespace levee;
using namespace levee::dram_test;

namespace {

/// Returns prices of mixes of one and two streams, computed by a memory that also counts rows.
std::vector<double> prices(const dram::Parameters& parameters, dram::KnownCosts* shared)
{
    dram::DramTiming timing("dram", parameters, shared);
    timing.count_rows();
    std::vector<FlowUse> uses;
    for (const auto& stream :
         {sequential(Direction::Read, 0, MiB), strided(Direction::Write, 0, MiB, 96, 4096),
          random(Direction::Read, 0, MiB, 64, 64 * MiB, 1)})
        uses.push_back(FlowUse{nullptr, stream.direction, stream.pattern, stream.bytes});
    std::vector<double> all;
    for (const FlowUse& first : uses)
        for (const FlowUse& second : uses) {
            const std::vector<const FlowUse*> mix{&first, &second};
            std::vector<double> price(2);
            timing.price(mix, std::vector<StreamDemand>{{0.06, 0}, {0.0005, 1}}, price);
            all.insert(all.end(), price.begin(), price.end());
            all.push_back(timing.rows_per_byte(first));
            const dram::CoreAccessCost core = timing.core_access(Direction::Read, 4, mix);
            all.push_back(static_cast<double>(core.latency));
            all.push_back(core.service_ps);
        }
    return all;
}

} // namespace

TEST_CASE(
    "a mix that another process has scheduled gets the same cost in every bit, without scheduling",
    "[known]")
{
    for (const std::string name : {"lpddr4", "hbm2"}) {
        const dram::Parameters parameters = standard(name);
        dram::KnownCosts here, there;
        const std::vector<double> anew = prices(parameters, nullptr);
        CHECK(prices(parameters, &there) == anew);
        REQUIRE_FALSE(there.added().empty());
        here.take(there.added());
        CHECK(here.of(parameters).size() == there.of(parameters).size());
        CHECK(prices(parameters, &here) == anew);
        CHECK(here.added().empty()); // The shared costs were complete.
    }
}

TEST_CASE("costs of one memory are not used for another one", "[known]")
{
    const dram::Parameters parameters = standard("lpddr4");
    dram::KnownCosts costs;
    (void)prices(parameters, &costs);
    std::vector<dram::Parameters> others(6, parameters);
    others[0].timing.rp += 1000;
    others[1].controller.batch += 1;
    others[2].mapping.bank_hash = !parameters.mapping.bank_hash;
    std::swap(others[3].mapping.low_to_high[0], others[3].mapping.low_to_high[1]);
    others[4].refresh = dram::RefreshMode::AllBank;
    others[5].command_bus.column_clocks += 1;
    for (const dram::Parameters& other : others)
        CHECK(costs.of(other).empty());
    dram::Parameters renamed = parameters;
    renamed.standard = "of another name";
    CHECK(costs.of(renamed).size() == costs.of(parameters).size());
}

TEST_CASE("from a truncated list of costs, the complete ones are used", "[known]")
{
    const dram::Parameters parameters = standard("lpddr4");
    dram::KnownCosts there;
    const std::vector<double> anew = prices(parameters, &there);
    const std::string all = there.added();
    std::size_t before = 0;
    for (std::size_t bytes = 0; bytes <= all.size(); bytes += 4) {
        dram::KnownCosts here;
        here.take(std::string_view(all).substr(0, bytes));
        const std::size_t taken = here.of(parameters).size();
        REQUIRE(taken >= before);
        before = taken;
        if (bytes % 1024 == 0) {
            REQUIRE(prices(parameters, &here) == anew);
        }
    }
    CHECK(before == there.of(parameters).size());
}
