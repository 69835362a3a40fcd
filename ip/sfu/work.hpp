// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "ip/sfu/regs.h"

#include <cstdint>
#include <vector>

namespace levee::sfu {

/// Work of the lanes for `vectors` vectors of one operation, by function: the table in
/// ip/sfu/README.md. The opcode is valid.
void count_work(std::uint8_t opcode, const levee_sfu_operation& operation, std::uint64_t vectors,
                std::vector<CountedEvent>& work);

} // namespace levee::sfu
