// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee {

/// Implementation of a component, selected by `impl:`.
enum class Implementation {
    Tlm,      ///< its reference
    Rtl,      ///< its Verilated design
    Lockstep, ///< both, compared
    RtlCycle  ///< both, the design clocked in simulated time
};

} // namespace levee
