// SPDX-License-Identifier: Apache-2.0
// The boundary of the arrays' RTL (rtl/veda/veda_pe_arrays.sv): its pins. A design with these ports
// can replace it.
#pragma once

#include "core/rtl/rtl_pins.hpp"
#include "ip/veda/beats.hpp"

#include <cstdint>
#include <span>

namespace levee::veda {

/// Inputs driven in one clock cycle. A beat stays offered until it is taken.
struct Inputs {
    const Beat* beat = nullptr; ///< offered in this cycle; null: none
    bool take_result = false;   ///< takes a result if there is one
};

struct Outputs {
    bool takes_beat = false; ///< ready: takes a beat if one is offered
    bool has_result = false;
    bool outer = false;        ///< a result in each lane; else in the first lane of an array
    std::uint32_t enabled = 0; ///< bit i: array i has results; joined arrays: only the first
                               ///< in inner mode, all in outer
    /// Results of all arrays, valid until the next edge; 0 in lanes without one.
    const std::uint32_t* lane = nullptr;
};

/// Parameters of a design, named as in the RTL.
struct DesignParameters {
    std::uint32_t rows, cols, mul_stages, tree_stages, round_stages, partial_sums;
};

/// The size of a design with these parameters.
[[nodiscard]] constexpr ArrayShape size_of(const DesignParameters& design)
{
    return {2,
            design.rows,
            design.cols,
            {design.mul_stages, design.tree_stages, design.round_stages},
            design.partial_sums};
}

struct Ports {
    using Inputs = veda::Inputs;
    using Outputs = veda::Outputs;
    using Size = ArrayShape;

    static void visit(const Outputs& out, const Size& size, const PinVisitor& pin)
    {
        const auto show = [&pin](const char* port, unsigned bits, std::uint32_t value) {
            pin(port, bits, {&value, 1});
        };
        show("ready_o", 1, out.takes_beat);
        show("valid_o", 1, out.has_result);
        show("outer_o", 1, out.outer);
        show("en_o", 2, out.enabled);
        const auto lanes = static_cast<unsigned>(size.lanes());
        pin("result_o", lanes * 32,
            out.lane == nullptr ? std::span<const std::uint32_t>() : std::span(out.lane, lanes));
    }
};
using Pins = RtlPins<Ports>;
using MakePins = MakeRtlPins<Ports>;
using Design = RtlChoice<Ports>;

/// Designs that can replace the arrays, as listed in CMakeLists.txt.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::veda
