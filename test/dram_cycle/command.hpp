// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace levee::dram_cycle {

enum class CommandKind {
    Activate, ///< the first of two, if an activate is two commands
    SecondActivate,
    Precharge,
    PrechargeAll,
    Read,
    Write,
    RefreshBank,
    RefreshAll
};

/// One command on the command bus of a channel, at a clock edge.
struct Command {
    std::uint64_t clock = 0;
    CommandKind kind = CommandKind::Activate;
    unsigned rank = 0;
    unsigned bank = 0;     ///< within the rank, bank_group * banks + bank; unused in ...All
    std::uint32_t row = 0; ///< Activate, Read, Write: the row
};

} // namespace levee::dram_cycle
