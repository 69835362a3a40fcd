// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee {

/// Implementation of a component, selected by `impl:`.
enum class Implementation {
    Tlm,      ///< Runs the component's reference model.
    Rtl,      ///< Runs the component's Verilated design.
    Lockstep, ///< both, compared
    RtlCycle  ///< both, the design clocked in simulated time
};

} // namespace levee
