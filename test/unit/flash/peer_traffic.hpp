// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/timing/channel.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace levee::flash::test {

/// A row of figures of a public flash simulator (flash_peers.csv), by column name.
using PeerRow = std::map<std::string, std::string>;
[[nodiscard]] std::vector<PeerRow> read_peer_rows(const std::string& path);

/// The traffic of a row.
struct Traffic {
    bool sequential = false;
    std::uint32_t reads = 0;     ///< Reads in flight, in a closed loop.
    double reads_per_second = 0; ///< Rate of an open loop.
    std::uint32_t programs = 0;  ///< Programs in flight, in a closed loop.
    double read_share = 1;       ///< Share of reads in a mixed closed loop; `reads` is the number
                                 ///< in flight.
    double paired_share = 0;     ///< Share of the random pages that two-plane commands read.
    std::uint32_t programs_per_erase = 0; ///< Models garbage collection by erases.
    Time duration = 0;                    ///< Simulated time of the measurement.
};

struct PeerCase {
    Geometry geometry;
    /// The peer's behaviour: a page keeps the register occupied until it is sent, and data have
    /// priority over commands.
    TimingConfig config;
    Traffic traffic;
};
[[nodiscard]] PeerCase parse_peer(const PeerRow& row);

/// Returns the same case with cache read, priority of commands over data, and independent planes.
[[nodiscard]] PeerCase with_cache_read(PeerCase peer);

struct Outcome {
    double reads_per_second = 0, read_latency_us = 0;
    double programs_per_second = 0, program_latency_us = 0;
    std::uint64_t requests = 0;
};
[[nodiscard]] Outcome simulate(const PeerCase& peer);

} // namespace levee::flash::test
