// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/hostlink/regs.h"

#include <array>

namespace levee {

/// Names of a run's phases in figures and files, in the order of levee_phase.
inline constexpr std::array<const char*, LEVEE_PHASE_DECODE + 1> phase_names{"other", "prefill",
                                                                             "decode"};
/// The phases in the order in which tables list them.
inline constexpr std::array table_phases{LEVEE_PHASE_PREFILL, LEVEE_PHASE_DECODE,
                                         LEVEE_PHASE_OTHER};

} // namespace levee
