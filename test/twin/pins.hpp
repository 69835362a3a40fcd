// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/rtl_pins.hpp"

#include <cstdint>
#include <span>

namespace levee::inverter {

/// Inputs driven in one clock cycle; names as in the RTL.
struct Inputs {
    bool in_valid = false;
    std::uint32_t in_data = 0;
    bool out_ready = false;
};

struct Outputs {
    bool in_ready = false;
    bool out_valid = false;
    std::uint32_t out_data = 0;
};

/// Parameters of a design, named as in the RTL.
struct DesignParameters {
    std::uint32_t width;
};

/// The size of a design with these parameters.
[[nodiscard]] constexpr std::uint32_t size_of(const DesignParameters& design)
{
    return design.width;
}

struct Ports {
    using Inputs = inverter::Inputs;
    using Outputs = inverter::Outputs;
    using Size = std::uint32_t; ///< bits of a word
};
using Pins = RtlPins<Ports>;
using MakePins = MakeRtlPins<Ports>;
using Design = RtlChoice<Ports>;

/// Designs of the inverter, as listed in CMakeLists.txt.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::inverter
