// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"
#include "ip/sync/regs.h"

namespace levee::sync {

inline constexpr config::Key keys[] = {
    config::count32("counters", "Counters through which queues wait and signal.",
                    {1, LEVEE_SYNC_MAX_COUNTERS}),
};

} // namespace levee::sync
