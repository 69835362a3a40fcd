// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace levee {

/// Writes the waveform of an FST file to a VCD file. Throws std::runtime_error if a file cannot be
/// read or written.
void write_vcd(const std::filesystem::path& fst, const std::filesystem::path& vcd);

/// A signal that differs between two files of the same design.
struct FstDifference {
    std::string signal;        ///< Scopes and name, separated by dots.
    std::uint64_t since = 0;   ///< Time from which the signals differ up to the end; 0: everywhere.
    std::string first, second; ///< Values of the signal at the end.
};

/// Returns the signals whose values at `end` differ between two files. Both files must have the
/// same signals, and the same times up to `end`. Aliases of a signal count once. Registers,
/// recognised by their names (..._q), come first. Throws std::runtime_error if a file cannot be
/// read.
[[nodiscard]] std::vector<FstDifference> differing_signals(const std::filesystem::path& first,
                                                           const std::filesystem::path& second,
                                                           std::uint64_t end);

/// Sorts by `since`. Signals that differ everywhere come last.
void sort_by_beginning(std::vector<FstDifference>& differences);

} // namespace levee
