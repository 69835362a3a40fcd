// SPDX-License-Identifier: Apache-2.0
// Repeats the products of a public crossbar simulator (crossbar_peers.csv) with our reference.
#pragma once

#include "ip/reram/model.hpp"

#include <map>
#include <string>
#include <vector>

namespace levee::reram::test {

/// A row of the simulator's figures: values by column name, and parameters by name.
using PeerRow = std::map<std::string, std::string>;
/// Reads the rows of the file. Returns an empty list if the file does not exist.
[[nodiscard]] std::vector<PeerRow> read_peer_rows(const std::string& path);

/// The peer's data: 128 outputs, 128 inputs, 64 vectors.
struct PeerData {
    static constexpr std::uint32_t outputs = 128, inputs = 128, vectors = 64;
    std::vector<std::int32_t> weights; ///< indexed by [output][input]
    std::vector<std::int32_t> x;       ///< indexed by [vector][input]
    std::vector<double> exact;         ///< indexed by [vector][output]
};
[[nodiscard]] PeerData peer_data(char which, bool signed_inputs);

[[nodiscard]] Crossbar peer_crossbar(const PeerRow& row);
[[nodiscard]] bool is_noisy(const PeerRow& row);

struct PeerError {
    double rms = 0;     ///< Error relative to the root mean square of the exact results.
    double largest = 0; ///< Largest error, in units of the result.
};
/// Returns the row's error by our reference with one seed. The converter's range is multiplied by
/// `range`.
[[nodiscard]] PeerError simulate(const PeerRow& row, std::uint32_t seed, double range = 1);

} // namespace levee::reram::test
