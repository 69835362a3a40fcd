// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/bench.hpp"
#include "core/rtl/build/tools.hpp"
#include "platform/studies/cosim/testbench.hpp"

#include <filesystem>

namespace levee::cosim {

/// Copies the sources of a block's bench and reference to `folder`, with all files that they
/// include and with the code for a DPI library.
void write_reference(const Target& target, const ExportFacts& facts, const own_rtl::Tools& tools,
                     const std::filesystem::path& folder);

} // namespace levee::cosim
