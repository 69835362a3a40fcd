// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/parameters.hpp"
#include "test/dram_cycle/cycle_dram.hpp"

#include <optional>
#include <string>
#include <vector>

namespace levee::dram_cycle {

/// A measurement of another simulator, which is a line of `dram_peers.csv`. `dram_peers.md`
/// describes how it was made.
struct PeerCase {
    std::string standard, peer, config, traffic;
    std::string name; ///< Name of the traffic.
    double bytes_per_s = 0.0;

    /// Returns the name of the file with our parameters for the same configuration.
    [[nodiscard]] std::string parameters_file() const;
    /// Adds parameters that are in the CSV line but not in the file. These are the peer's precharge
    /// gap, and the two-part activate of LPDDR5 (JESD209-5: tAAD is 8 clocks).
    void complete(dram::Parameters& parameters) const;
    /// Whether each read waits for the answer to the previous one.
    [[nodiscard]] bool dependent() const { return name.starts_with("dep_"); }
    [[nodiscard]] std::string parameter(const std::string& key) const;
    /// Returns the simulator that the controller imitates, if its choices are known to differ from
    /// ours.
    [[nodiscard]] Manner manner() const;

    std::string parameters;
};

/// Returns the cases of the CSV file. Throws std::runtime_error if it cannot be read.
[[nodiscard]] std::vector<PeerCase> read_peer_cases(const std::string& path);

/// Returns the streams of a case, `bytes` in total. Throws std::runtime_error if the traffic is
/// unknown.
[[nodiscard]] std::vector<Stream> streams_of(const PeerCase& peer_case, std::uint64_t bytes);

/// Returns the bandwidth of a case of `bytes` in total. The first function uses the cycle-level
/// model, the second the fast one.
[[nodiscard]] double cycle_bytes_per_s(const PeerCase& peer_case,
                                       const dram::Parameters& parameters, std::uint64_t bytes,
                                       Manner manner = Manner::Own);
[[nodiscard]] double fast_bytes_per_s(const PeerCase& peer_case, const dram::Parameters& parameters,
                                      std::uint64_t bytes);

} // namespace levee::dram_cycle
