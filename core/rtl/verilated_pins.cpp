// SPDX-License-Identifier: Apache-2.0
// A Verilated design with its block's pins. Compiled once for each design (cmake/LeveeRtl.cmake),
// with these macros:
//
//   LEVEE_DESIGN, LEVEE_DESIGN_HEADER   Verilator's class and its header
//   LEVEE_DESIGN_MODEL                  the name of the RtlModel that this file defines
//   LEVEE_DESIGN_PINS                   the block's pins.hpp, in quotes
//   LEVEE_DESIGN_NAMESPACE              the block's namespace, below levee
//   LEVEE_DESIGN_PARAMETERS             values of its DesignParameters: ".Rows=8, .Cols=4"
#include "core/rtl/verilated_pins.hpp"

#include LEVEE_DESIGN_PINS
#include LEVEE_DESIGN_HEADER

namespace levee::LEVEE_DESIGN_NAMESPACE {

namespace {

struct VerilatedTop {
    using Ports = LEVEE_DESIGN_NAMESPACE::Ports;
    using Top = LEVEE_DESIGN;
    static constexpr Ports::Size size = size_of<DesignParameters{LEVEE_DESIGN_PARAMETERS}>();
};

} // namespace

extern const RtlModel<Ports> LEVEE_DESIGN_MODEL;
constinit const RtlModel<Ports> LEVEE_DESIGN_MODEL = verilated_model<VerilatedTop>;

} // namespace levee::LEVEE_DESIGN_NAMESPACE
