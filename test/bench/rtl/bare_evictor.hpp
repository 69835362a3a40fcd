// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/systolic_evictor/pins.hpp"

#include <cstdint>
#include <span>

namespace levee {

/// Runs Verilator's model of the evictor with 32 rows, without any code of Levee. In each cycle,
/// the model gets the inputs and is evaluated before and after the clock's edge. Returns the sum of
/// the outputs.
std::uint64_t run_bare(std::span<const systolic_evictor::Inputs> inputs);

} // namespace levee
