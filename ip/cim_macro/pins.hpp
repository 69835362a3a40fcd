// SPDX-License-Identifier: Apache-2.0
// The boundary of the macro's RTL (rtl/cim_macro/cim_macro.sv): its pins. A design with these ports
// can replace it.
#pragma once

#include "core/rtl/rtl_pins.hpp"
#include "ip/cim_macro/model.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>

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

/// Parameters of a design, named as in the RTL.
struct DesignParameters {
    std::uint32_t inputs, outputs;
};

/// The size of a design with these parameters.
[[nodiscard]] constexpr Shape size_of(const DesignParameters& design)
{
    return {design.inputs, design.outputs};
}

struct Ports {
    using Inputs = cim_macro::Inputs;
    using Outputs = cim_macro::Outputs;
    using Size = Shape;

    static void visit(const Outputs& out, const Size& size, const PinVisitor& pin)
    {
        const std::uint32_t load = out.load_ready, in = out.in_ready, valid = out.out_valid;
        pin("load_ready_o", 1, {&load, 1});
        pin("in_ready_o", 1, {&in, 1});
        pin("out_valid_o", 1, {&valid, 1});
        for (std::uint32_t i = 0; i < size.outputs; ++i) {
            const auto sum = static_cast<std::uint32_t>(out.sums[i]);
            pin(("out_sums_o(" + std::to_string(i) + ")").c_str(), 32, {&sum, 1});
        }
    }
};
using Pins = RtlPins<Ports>;
using MakePins = MakeRtlPins<Ports>;
using Design = RtlChoice<Ports>;

/// Designs of the macro, as listed in CMakeLists.txt; the first is Titanus's size.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::cim_macro
