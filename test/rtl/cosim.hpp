// SPDX-License-Identifier: Apache-2.0
// Co-simulation tests that all blocks' designs share.
#pragma once

#include "platform/studies/cosim/cosim.hpp"

#include <catch2/catch.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace levee::test {

template <typename Ports>
cosim::Report run_cosim(MakeRtlPins<Ports> make, const cosim::Options& options = {})
{
    return cosim::run(*Ports::make_bench(make, {options.seed, ""}), options);
}

/// Checks that a design equals its reference in values and cycles.
template <typename Ports>
cosim::Report check_equal(const RtlChoice<Ports>& design, std::uint64_t operations,
                          std::uint32_t seed = 1)
{
    INFO(design.name << ", seed " << seed);
    const cosim::Report report =
        run_cosim<Ports>(design.make_checked, {operations, seed, true, true});
    CHECK_FALSE(report.differs());
    CHECK(report.operations == operations);
    CHECK(report.comparisons > report.cycles);
    return report;
}

/// Checks a design with seeds 1, 2, ..., until at least this many cover points are hit.
template <typename Ports>
void check_covered(const RtlChoice<Ports>& design, std::uint64_t operations, std::uint32_t seeds,
                   std::size_t points)
{
    for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
        const cosim::Report report = check_equal(design, operations, seed);
        INFO(design.name << ", seed " << seed);
        CHECK(report.coverage.size() >= points);
        CHECK(report.not_covered.empty());
    }
}

/// Runs a design whose pins have a fault. Returns the first difference in values or in cycles.
template <typename Ports>
Difference found(MakeRtlPins<Ports> make, bool in_cycle = false, std::uint64_t operations = 100)
{
    const cosim::Report report = run_cosim<Ports>(make, {operations, 1, true, true});
    const std::optional<Difference>& difference = in_cycle ? report.cycle : report.value;
    REQUIRE(difference);
    return *difference;
}

/// Checks that a twin (the RTL of a block) has run and has agreed with the block's reference. The
/// twin may run in place of the reference or in lockstep with it.
template <typename Twin> void check_runs(Twin& twin)
{
    CHECK(twin.rtl_cycles() > 0);
    CHECK(twin.comparisons() == 0);
    CHECK_FALSE(twin.outstanding());
}
template <typename Twin> void check_agrees(Twin& twin)
{
    CHECK(twin.comparisons() > twin.rtl_cycles());
    CHECK_FALSE(twin.failure());
    CHECK_FALSE(twin.outstanding());
}

/// Checks that a twin that has failed repeats the failure in a waveform.
template <typename Twin> void check_waves(const Twin& twin, const std::string& name)
{
    REQUIRE(twin.failure());
    const std::filesystem::path fst =
        std::filesystem::temp_directory_path() / ("levee_" + name + "_test.fst");
    CHECK(twin.failure()->waves(fst).recurs);
    CHECK(std::filesystem::file_size(fst) > 0);
    std::filesystem::remove(fst);
}

} // namespace levee::test
