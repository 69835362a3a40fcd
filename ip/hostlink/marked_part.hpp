// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/hostlink/regs.h"

#include <cstdint>

namespace levee::hostlink {

struct MarkedPart {
    levee_mark kind = LEVEE_MARK_PREFILL_CHUNK;
    std::uint32_t index = 0;              ///< Index among parts of its kind.
    std::int32_t times = LEVEE_MARK_ONCE; ///< Weight of the part in a sampled run, in units of
                                          ///< 1/LEVEE_MARK_ONCE.
};

} // namespace levee::hostlink
