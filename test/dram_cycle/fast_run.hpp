// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_observer.hpp"
#include "core/flow/flow_observer.hpp"
#include "ip/dram/model.hpp"
#include "test/dram_cycle/cycle_dram.hpp"

#include <vector>

namespace levee::dram_cycle {

/// Returns the completion times of the streams by the fast model, a flow network whose only
/// resource is `timing`. Streams of one activity form one activity there. `observer` sees each
/// start and end, unless it is null.
[[nodiscard]] std::vector<Picoseconds> fast_completions(dram::DramTiming& timing,
                                                        const std::vector<Stream>& streams,
                                                        FlowObserver* observer = nullptr);

} // namespace levee::dram_cycle
