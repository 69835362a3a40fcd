// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/parameters.hpp"

#include <cstdint>

namespace levee::dram_cycle {

/// The DRAM's timing in whole clocks, as a controller is programmed. Each time is rounded
/// up.
struct WholeClocks {
    explicit WholeClocks(const dram::Parameters& p) : clock(p.timing.clock), timing(p.timing)
    {
        // Beats per second x ps per clock give the beats per clock. A burst's time is rounded up to
        // clocks.
        const auto beats = static_cast<double>(p.organisation.data_rate) *
                           static_cast<double>(clock) / 1e12; // per clock
        burst = 1;
        while (static_cast<double>(burst) * beats <
               static_cast<double>(p.organisation.burst_length) - 1e-9)
            ++burst;
        refresh_interval = timing.refi / clock;
    }
    [[nodiscard]] std::uint64_t operator()(Picoseconds time) const
    {
        return time / clock + (time % clock == 0 ? 0 : 1);
    }

    Picoseconds clock;
    dram::Timing timing;
    std::uint64_t burst = 0;
    std::uint64_t refresh_interval = 0; ///< Rounded down, because a refresh must not be late.
};

} // namespace levee::dram_cycle
