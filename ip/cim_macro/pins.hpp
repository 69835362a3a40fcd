// SPDX-License-Identifier: Apache-2.0
// The boundary of the macro's RTL (rtl/cim_macro/cim_macro.sv): its pins. A design with these ports
// can replace it.
#pragma once

#include "ip/cim_macro/model.hpp"
#include "ip/common/rtl_pins.hpp"

#include <array>
#include <cstdint>

namespace levee::cim_macro {

/// Weights of one input.
struct Row {
    std::uint8_t input = 0;
    std::array<std::int8_t, most_outputs> weights{};
};

/// Eight bits of each input.
struct Pass {
    bool is_signed = false, is_last = false;
    std::array<std::uint8_t, most_inputs> bytes{};
};

/// Inputs driven in one clock cycle. What is offered must outlive it.
struct Inputs {
    const Row* row = nullptr;   ///< load_*; null: not valid
    const Pass* pass = nullptr; ///< in_*; null: not valid
    bool out_ready = false;
};

struct Outputs {
    bool load_ready = false;
    bool in_ready = false;
    bool out_valid = false;
    std::array<std::int32_t, most_outputs> sums{};
};

struct Ports {
    using Inputs = cim_macro::Inputs;
    using Outputs = cim_macro::Outputs;
    using Size = Shape;
};
using Pins = RtlPins<Ports>;
using MakePins = MakeRtlPins<Ports>;

} // namespace levee::cim_macro
