// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_observer.hpp"
#include "core/flow/flow_observer.hpp"
#include "ip/dram/model.hpp"
#include "test/dram_cycle/cycle_dram.hpp"

#include <vector>

namespace levee::dram_cycle {

/// Completion of each stream by the fast model: a flow network with `timing` alone. Streams of one
/// activity are one activity there. `observer`, if there is one, sees each start and end.
[[nodiscard]] std::vector<Picoseconds> fast_completions(dram::DramTiming& timing,
                                                        const std::vector<Stream>& streams,
                                                        FlowObserver* observer = nullptr);

} // namespace levee::dram_cycle
