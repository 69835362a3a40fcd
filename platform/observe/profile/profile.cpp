// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/profile/profile.hpp"

#include <algorithm>

namespace levee::profile {

Profile::Profile(const riscv::Hart& hart, const riscv::Clock& clock, const trace::Symbols& symbols,
                 const std::vector<BlockProfile::Watched>& blocks,
                 std::map<std::string, std::string> resource_names)
    : clock_(clock), resource_names_(std::move(resource_names)), tracker_(hart, symbols, calls_),
      blocks_(blocks)
{
    calls_.on_stretch = [this](const std::string& function, std::uint64_t from, std::uint64_t to) {
        const auto time = [this](std::uint64_t cycle) {
            return std::min(end_, clock_.edge_ps(cycle).value_or(UINT64_MAX));
        };
        blocks_.core_was_in(function, time(from), time(to));
    };
}

void Profile::finish(std::uint64_t cycle, Picoseconds now)
{
    end_ = now;
    tracker_.finish(cycle);
    const Picoseconds stopped = std::min(now, clock_.edge_ps(cycle).value_or(UINT64_MAX));
    blocks_.core_was_in("[after the core had stopped]", stopped, now);
    blocks_.finish(now);
}

std::string Profile::text() const
{
    return calls_text(calls_, tracker_.sleep().name) + "\n" +
           blocks_text(blocks_.times(), end_, resource_names_);
}

} // namespace levee::profile
