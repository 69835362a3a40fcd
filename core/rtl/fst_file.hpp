// SPDX-License-Identifier: Apache-2.0
// Reading of FST files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace levee {

/// Writes the same waveform as VCD. Throws std::runtime_error if a file cannot be read or written.
void write_vcd(const std::filesystem::path& fst, const std::filesystem::path& vcd);

/// A signal that differs between two files of the same design.
struct FstDifference {
    std::string signal;        ///< scopes and name, with dots between them
    std::uint64_t since = 0;   ///< from this time to the end it differs; 0: in the whole file
    std::string first, second; ///< its values at the end
};

/// Signals, each once whatever its aliases, that differ at `end` between two files which have the
/// same signals and the same times up to there. Registers by name (..._q) come first. Throws
/// std::runtime_error if a file cannot be read.
[[nodiscard]] std::vector<FstDifference> differing_signals(const std::filesystem::path& first,
                                                           const std::filesystem::path& second,
                                                           std::uint64_t end);

/// In the order in which they began to differ; last those that did in the whole file.
void sort_by_beginning(std::vector<FstDifference>& differences);

} // namespace levee
