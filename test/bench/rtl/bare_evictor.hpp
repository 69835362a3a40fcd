// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/systolic_evictor/pins.hpp"

#include <cstdint>
#include <span>

namespace levee {

/// Verilator's model of the evictor with 32 rows, without anything of Levee's: each cycle it gets
/// the inputs and is evaluated before the clock's edge and after it. Returns what the outputs add
/// up to.
std::uint64_t run_bare(std::span<const systolic_evictor::Inputs> inputs);

} // namespace levee
