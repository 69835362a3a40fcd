// SPDX-License-Identifier: Apache-2.0
// Compares products with those of a public crossbar simulator, if a folder has its figures
// (LEVEE_CROSSBAR_PEERS, or ../shared/data/peers next to the source tree).
#include "test/unit/reram/peer_cases.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>

using namespace levee::reram::test;

namespace {

const std::vector<PeerRow>& peer_rows()
{
    static const std::vector<PeerRow> rows = [] {
        const char* const given = std::getenv("LEVEE_CROSSBAR_PEERS");
        return read_peer_rows(given != nullptr ? given : LEVEE_CROSSBAR_PEERS_DEFAULT);
    }();
    if (rows.empty())
        WARN("skipped: no figures of the public simulator were found (LEVEE_CROSSBAR_PEERS)");
    return rows;
}

/// Returns whether the row's notes mention ties.
bool has_ties(const PeerRow& row)
{
    return row.count("note") != 0 && row.at("note").find("ties") != std::string::npos;
}

} // namespace

TEST_CASE("the peer's data match its notes")
{
    const auto sum = [](const std::vector<double>& y) {
        double all = 0;
        for (const double value : y)
            all += value;
        return all;
    };
    const PeerData a = peer_data('A', true), b = peer_data('B', true);
    CHECK(a.exact.front() == -76267);
    CHECK(a.exact.back() == -102612);
    CHECK(sum(a.exact) == -3183418);
    CHECK(sum(peer_data('A', false).exact) == 31663424);
    CHECK(b.exact.front() == 78324);
    CHECK(sum(b.exact) == -905269);
}

TEST_CASE("with the peer's configuration, every noise-free row has its error, except for ties")
{
    for (const PeerRow& row : peer_rows()) {
        if (is_noisy(row))
            continue;
        INFO(row.at("parameters"));
        const double ours = simulate(row, 1).rms;
        const auto equals = [](double value, const std::string& given, double within) {
            return !given.empty() && value == Approx(std::stod(given)).epsilon(within).margin(1e-9);
        };
        const std::string& peers = row.at("rms_error_mean");
        const std::string& other = row.at("independent_rms_error");
        if (equals(ours, peers, 1e-5) || equals(ours, other, 1e-5))
            continue;
        // Some currents are exactly between two codes. In the peer, the last bit of a double or the
        // last digit of the range decides. The test moves all of them up, or all down.
        const double up = simulate(row, 1, 1 - 1e-8).rms, down = simulate(row, 1, 1 + 1e-8).rms;
        INFO(ours << ", ties up " << up << ", down " << down << ", the peer's " << peers);
        const bool all_alike = equals(up, peers, 1e-3) || equals(down, peers, 1e-3);
        CHECK((all_alike || (has_ties(row) && equals(ours, peers, 0.02))));
        CHECK(up != down); // The case has ties.
    }
}

TEST_CASE(
    "with the peer's configuration, every noisy row is within three of its standard deviations")
{
    constexpr unsigned seeds = 2;
    for (const PeerRow& row : peer_rows()) {
        if (!is_noisy(row))
            continue;
        INFO(row.at("parameters"));
        double mean = 0;
        for (unsigned seed = 1; seed <= seeds; ++seed)
            mean += simulate(row, seed).rms / seeds;
        CHECK(std::abs(mean - std::stod(row.at("rms_error_mean"))) <=
              3 * std::stod(row.at("rms_error_std")));
    }
}
