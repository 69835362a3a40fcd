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
    std::uint64_t since = 0;   ///< Time from which the signals differ up to the end; 0: in the
                               ///< whole file.
    std::string first, second; ///< Values of the signal at the end.
};

/// Signals, each once whatever its aliases, that differ at `end` between two files which have the
/// same signals and the same times up to there. Registers by name (..._q) come first. Throws
/// std::runtime_error if a file cannot be read.
[[nodiscard]] std::vector<FstDifference> differing_signals(const std::filesystem::path& first,
                                                           const std::filesystem::path& second,
                                                           std::uint64_t end);

/// Sorts by the time of the first difference; signals that always differ come last.
void sort_by_beginning(std::vector<FstDifference>& differences);

} // namespace levee
