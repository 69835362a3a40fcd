// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/build/build.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace levee::cosim {

struct ExportFacts {
    std::string block; ///< BLOCK in `levee cosim BLOCK`
    std::string rtl;   ///< the user's YAML file; empty: the block's own design
    std::uint64_t operations = 0;
    std::uint32_t seed = 0;
    std::uint64_t cycles = 0;
    std::uint64_t counting_cycles = 0; ///< number of cycles in which at least one output is
                                       ///< compared
    own_rtl::Interface boundary;
    std::string parameters;      ///< the top module's size parameters: ".Rows=8,.Cols=4"
    own_rtl::Description design; ///< with file names relative to the export's folder
};

/// Replacements for `@NAME@` in the files of platform/studies/cosim/exported.
using Texts = std::map<std::string, std::string>;

[[nodiscard]] Texts texts_of(const ExportFacts& facts);

/// Copies a file of platform/studies/cosim/exported, and replaces each `@NAME@`.
void write_from_template(const own_rtl::Tools& tools, const std::string& name, const Texts& texts,
                         const std::filesystem::path& folder);

/// Returns a table with each pin's bits in the vectors: pin, file, highest and lowest bit.
[[nodiscard]] std::string bit_table(const ExportFacts& facts);

/// Returns the design's sources as a file list, which simulators read with -f.
[[nodiscard]] std::string file_list(const ExportFacts& facts);

} // namespace levee::cosim
