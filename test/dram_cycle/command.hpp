// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace levee::dram_cycle {

enum class CommandKind {
    Activate, ///< the first command of an activate that takes two
    SecondActivate,
    Precharge,
    PrechargeAll,
    Read,
    Write,
    RefreshBank,
    RefreshAll
};

/// A command on a channel's command bus at a clock edge.
struct Command {
    std::uint64_t clock = 0;
    CommandKind kind = CommandKind::Activate;
    unsigned rank = 0;
    unsigned bank = 0;     ///< Number within the rank, bank_group * banks + bank; unused in ...All.
    std::uint32_t row = 0; ///< The row, for Activate, Read and Write.
};

} // namespace levee::dram_cycle
