// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/bench.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace levee::cosim {

struct ExportRequest {
    std::filesystem::path folder;
    std::filesystem::path rtl; ///< the user's YAML file; empty: the block's own design
    std::uint64_t operations = 0;
    std::uint32_t seed = 0;
};

/// Writes everything that another simulator needs to check a design: stimulus and expected values,
/// testbenches, the reference's sources, a file list, and the commands (README.md in the folder).
/// The expected pins are those of the block's own design with the same sizes, which must equal the
/// reference. Throws std::runtime_error, also if the two differ.
void export_bench(const Target& target, const ExportRequest& request);

/// Returns the path as a word of a shell command, quoted if necessary.
[[nodiscard]] std::string shell_word(const std::filesystem::path& path);

} // namespace levee::cosim
