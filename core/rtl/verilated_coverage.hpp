// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

class VerilatedContext;

namespace levee {

/// Hits of each cover point of a context's designs, by its name in the SystemVerilog source, summed
/// over all instances of a module.
[[nodiscard]] std::map<std::string, std::uint64_t> verilated_coverage(VerilatedContext& context);

} // namespace levee
