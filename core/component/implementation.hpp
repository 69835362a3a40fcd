// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee {

/// Implementation of a component, selected by `impl:`.
enum class Implementation {
    Tlm,      ///< Runs the component's reference model.
    Rtl,      ///< Runs the component's Verilated design.
    Lockstep, ///< Runs reference and design, and compares them in every cycle.
    RtlCycle  ///< Runs the design clocked in simulated time, and compares its results with the
              ///< reference.
};

} // namespace levee
