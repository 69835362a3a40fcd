// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

class VerilatedContext;

namespace levee {

/// How often each cover point of a context's designs was hit, by its name in the SystemVerilog; the
/// sum of all instances of a module.
[[nodiscard]] std::map<std::string, std::uint64_t> verilated_coverage(VerilatedContext& context);

} // namespace levee
