// SPDX-License-Identifier: Apache-2.0
// The boundary of the unit's RTL (rtl/element_serial/element_serial.sv): its pins. A design with
// these ports can replace it.
#pragma once

#include "core/rtl/rtl_pins.hpp"
#include "ip/element_serial/model.hpp"

#include <cstdint>
#include <span>

namespace levee::element_serial {

/// Configuration of an operation, constant from its first operand to its last result.
struct Configuration {
    bool normalise = false;
    Function function = Function::Softmax;
    bool half = false;       ///< REDUCE: x is FP16
    std::uint32_t param = 0; ///< FP32: the scale, or epsilon
    std::uint32_t count = 0; ///< NORMALISE of norms: elements of a vector, as FP32

    friend bool operator==(const Configuration&, const Configuration&) = default;
};

/// An element with what belongs to it.
struct Element {
    std::uint32_t x = 0;      ///< FP32, or FP16 in the lower half
    std::uint32_t gain = 0;   ///< FP32, NORMALISE of norms
    std::uint32_t addend = 0; ///< REDUCE: FP16, y; NORMALISE: FP32, bias
};

/// Inputs driven in one clock cycle; names as in the RTL.
struct Inputs {
    Configuration configuration;
    bool stats_valid = false;
    std::uint32_t stats_first = 0, stats_second = 0;
    bool in_valid = false;
    Element in;
    bool in_last = false;
    bool out_ready = false;
    bool result_ready = false;
};

struct Outputs {
    bool stats_ready = false;
    bool in_ready = false;
    bool out_valid = false;
    std::uint16_t out_data = 0;
    bool out_last = false;
    bool result_valid = false;
    std::uint32_t result_first = 0, result_second = 0;
};

/// A design's parameters.
struct Shape {
    std::uint32_t tile = 0;
};

/// Parameters of a design, named as in the RTL.
struct DesignParameters {
    std::uint32_t tile;
};

/// The size of a design with these parameters.
[[nodiscard]] constexpr Shape size_of(const DesignParameters& design)
{
    return {design.tile};
}

struct Ports {
    using Inputs = element_serial::Inputs;
    using Outputs = element_serial::Outputs;
    using Size = Shape;

    static void visit(const Outputs& out, const Size&, const PinVisitor& pin)
    {
        const auto show = [&pin](const char* port, unsigned bits, std::uint32_t value) {
            pin(port, bits, {&value, 1});
        };
        show("stats_ready_o", 1, out.stats_ready);
        show("in_ready_o", 1, out.in_ready);
        show("out_valid_o", 1, out.out_valid);
        show("out_data_o", 16, out.out_data);
        show("out_last_o", 1, out.out_last);
        show("result_valid_o", 1, out.result_valid);
        show("result_first_o", 32, out.result_first);
        show("result_second_o", 32, out.result_second);
    }
};
using Pins = RtlPins<Ports>;
using MakePins = MakeRtlPins<Ports>;
using Design = RtlChoice<Ports>;

/// Designs that can replace the unit, as listed in CMakeLists.txt.
[[nodiscard]] std::span<const Design> designs();

} // namespace levee::element_serial
