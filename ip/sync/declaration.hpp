// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "ip/sync/keys.hpp"
#include "ip/sync/regs.h"

namespace levee::sync {

inline constexpr Declaration declaration{
    .type = "sync",
    .number = LEVEE_BLOCK_SYNC,
    .interrupts = true,
    .parameters = keys,
};

} // namespace levee::sync
