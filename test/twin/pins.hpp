// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/ports.hpp"

namespace levee::inverter {

/// Parameters of a design, with their names in the RTL.
struct DesignParameters {
    std::uint32_t Width;
};

/// Returns the bits per word of a design with these parameters.
template <DesignParameters design> consteval std::uint32_t size_of()
{
    static_assert(design.Width >= 1 && design.Width <= 32, "Width: expected 1 to 32");
    return design.Width;
}

#define LEVEE_INVERTER_INPUTS(PORT, ...)                                                           \
    PORT(in_valid_i, bool, in_valid, 1)                                                            \
    PORT(in_data_i, std::uint32_t, in_data, size)                                                  \
    PORT(out_ready_i, bool, out_ready, 1)
#define LEVEE_INVERTER_OUTPUTS(PORT, ...)                                                          \
    PORT(in_ready_o, bool, in_ready, 1, "always")                                                  \
    PORT(out_valid_o, bool, out_valid, 1, "always")                                                \
    PORT(out_data_o, std::uint32_t, out_data, size, "out_valid_o")
LEVEE_BOUNDARY(std::uint32_t, LEVEE_INVERTER_INPUTS, LEVEE_INVERTER_OUTPUTS)

} // namespace levee::inverter
