// SPDX-License-Identifier: Apache-2.0
// Text of an export's files (export.hpp).
#pragma once

#include "platform/input/rtl/build.hpp"

#include <cstdint>
#include <string>

namespace levee::cosim {

/// What the texts are about.
struct ExportFacts {
    std::string block; ///< `levee cosim BLOCK`
    std::string rtl;   ///< the user's YAML file; empty: the block's own design
    std::uint64_t operations = 0;
    std::uint32_t seed = 0;
    std::uint64_t cycles = 0;
    own_rtl::Interface boundary;
    own_rtl::Description design; ///< with files as they are named from the export's folder
    std::string sources;         ///< of the reference, separated by spaces
    bool has_reference = false;

    [[nodiscard]] unsigned input_bits() const; ///< without the clock
    [[nodiscard]] unsigned output_bits() const;
};

[[nodiscard]] std::string vector_testbench(const ExportFacts& facts);
[[nodiscard]] std::string dpi_testbench(const ExportFacts& facts);
[[nodiscard]] std::string file_list(const ExportFacts& facts);
[[nodiscard]] std::string netlist_script(const ExportFacts& facts);
[[nodiscard]] std::string make_file(const ExportFacts& facts);
[[nodiscard]] std::string read_me(const ExportFacts& facts);
/// The ports of the design as a C++ struct, for the reference.
[[nodiscard]] std::string bus_header(const ExportFacts& facts);

} // namespace levee::cosim
