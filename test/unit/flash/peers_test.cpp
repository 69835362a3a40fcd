// SPDX-License-Identifier: Apache-2.0
// Compares read and program times with those of a public flash simulator, if a folder has its
// figures. The folder is LEVEE_FLASH_PEERS, or ../shared/data/peers next to the source tree.
#include "test/unit/flash/peer_traffic.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>

using namespace levee::flash::test;

namespace {

std::vector<PeerRow> rows_for_comparison()
{
    const char* const given = std::getenv("LEVEE_FLASH_PEERS");
    std::vector<PeerRow> rows;
    for (PeerRow& row : read_peer_rows(given != nullptr ? given : LEVEE_FLASH_PEERS_DEFAULT))
        if (row["use_for_comparison"] == "yes")
            rows.push_back(row);
    return rows;
}

/// Returns whether the row has figures for programs.
bool is_of_programs(const PeerRow& row)
{
    return row.at("traffic").rfind("page programs", 0) == 0;
}

/// Checks that two figures agree within 5 %, and within 1 us more if the peer truncates to whole
/// microseconds.
void check_close(double ours, double peers, double more)
{
    INFO("ours " << ours << ", the peer's " << peers);
    CHECK(std::abs(ours - peers) <= 0.05 * peers + more);
}

} // namespace

TEST_CASE("with the peer's configuration, every compared row agrees within 5 %")
{
    const std::vector<PeerRow> rows = rows_for_comparison();
    if (rows.empty())
        WARN("skipped: no figures of the public simulator were found (LEVEE_FLASH_PEERS)");
    for (const PeerRow& row : rows) {
        INFO(row.at("parameters") << " | " << row.at("traffic"));
        const Outcome ours = simulate(parse_peer(row));
        const bool programs = is_of_programs(row);
        const double rate = std::stod(row.at("pages_per_s"));
        const double latency = std::stod(row.at("mean_latency_us"));
        // The traffic sets the rate of an open loop. The peer draws only a few requests from it, so
        // the rate varies.
        if (row.at("traffic").find("open loop") == std::string::npos)
            check_close(programs ? ours.programs_per_second : ours.reads_per_second, rate, 0);
        check_close(programs ? ours.program_latency_us : ours.read_latency_us, latency, 1);
    }
}

TEST_CASE("with cache read, read rates are between the peer's and the ideal")
{
    for (const PeerRow& row : rows_for_comparison()) {
        const std::string& traffic = row.at("traffic");
        if (traffic.rfind("page-sized reads", 0) != 0 ||
            traffic.find("outstanding=1;") != std::string::npos)
            continue;
        INFO(row.at("parameters") << " | " << traffic);
        const double ours = simulate(with_cache_read(parse_peer(row))).reads_per_second;
        CHECK(ours > std::stod(row.at("pages_per_s")));
        CHECK(ours <= 1.001 * std::stod(row.at("ideal_pages_per_s")));
        if (traffic.find("sequential") != std::string::npos)
            CHECK(ours > 0.9 * std::stod(row.at("ideal_pages_per_s")));
    }
}
