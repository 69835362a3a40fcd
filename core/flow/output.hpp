// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

namespace levee {

/// An optional output port of a module. It costs nothing if it is not bound.
template <typename T>
using Output = sc_core::sc_port<sc_core::sc_signal_inout_if<T>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

} // namespace levee
