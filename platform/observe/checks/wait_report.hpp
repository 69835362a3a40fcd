// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/queue_watch.hpp"
#include "platform/observe/checks/wait_history.hpp"

#include <deque>
#include <string>

namespace levee::checks {

/// Describes all current waits. There is one line for the core, one for each block that is not
/// idle, and one for the sync unit's comparator.
[[nodiscard]] std::string wait_report(const Context& context, const std::deque<QueueWatch>& queues,
                                      const WaitHistory& history);

} // namespace levee::checks
