// SPDX-License-Identifier: Apache-2.0
// Against other DRAM simulators: ../shared/data/peers, where it exists. What differs by more is
// explained in ip/dram/README.md.
#include "platform/input/config/dram_parameters.hpp"
#include "test/dram_cycle/peers.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <filesystem>
#include <map>
#include <set>

using namespace levee;
using dram_cycle::PeerCase;

namespace {

const std::string folder = LEVEE_SHARED_DATA "/peers";
constexpr std::uint64_t case_bytes = std::uint64_t{1} << 19;

/// Cases of one configuration and traffic, measured by one peer or more.
using Cases = std::map<std::pair<std::string, std::string>, std::vector<PeerCase>>;

Cases cases()
{
    Cases result;
    for (const PeerCase& each : dram_cycle::read_peer_cases(folder + "/dram_peers.csv"))
        if (each.config != "dsys_lpddr4_def") // another scheduler, not ours
            result[{each.parameters_file(), each.traffic}].push_back(each);
    return result;
}

/// Largest ratio, above or below one.
double off(double a, double b)
{
    return std::max(a / b, b / a) - 1.0;
}

/// Where the README explains more than 5 %.
double allowed(const PeerCase& peer_case)
{
    const std::string at = peer_case.standard + " " + peer_case.name;
    if (at == "HBM2 dep_seq")
        return 0.07; // the clock between answer and request, one in 19
    if (at.starts_with("LPDDR4 rand64") || at == "LPDDR5 rand64_mix" || at == "LPDDR5 seq_read_8")
        return 0.12; // which of a read and a precharge goes first
    if (at == "LPDDR5 seq_read_8_same")
        return 0.19; // the same
    if (at == "LPDDR5 rand64_read" || at == "LPDDR5 mix_1r1w_same" ||
        at.starts_with("LPDDR5 seq_read_2"))
        return 0.06; // rows counted from the second part of an activate
    return 0.05;
}

} // namespace

TEST_CASE("both models agree with other simulators", "[peers]")
{
    if (!std::filesystem::exists(folder)) {
        WARN("skipped: no ../shared/data/peers");
        return;
    }
    const Cases all = cases();
    CHECK(all.size() > 60);
    for (const auto& [key, measured] : all) {
        dram::Parameters parameters =
            config::read_dram_parameters(config::load_yaml(folder + "/" + key.first), "dram");
        measured.front().complete(parameters);
        const double cycle =
            dram_cycle::cycle_bytes_per_s(measured.front(), parameters, case_bytes);
        const double fast = dram_cycle::fast_bytes_per_s(measured.front(), parameters, case_bytes);
        double nearest = 1e9;
        for (const PeerCase& each : measured)
            nearest = std::min(nearest, off(cycle, each.bytes_per_s));
        INFO(key.first << ", " << key.second << ": cycle " << cycle / 1e9 << ", fast " << fast / 1e9
                       << ", " << measured.front().peer << ' ' << measured.front().bytes_per_s / 1e9
                       << " GB/s");
        CHECK(nearest < allowed(measured.front()));
        // Streams' relative places are no part of the price where rows are hashed.
        CHECK(off(fast, cycle) < 0.08);
    }
}
