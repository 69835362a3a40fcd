// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/queue_watch.hpp"
#include "platform/observe/checks/wait_history.hpp"

#include <deque>
#include <string>

namespace levee::checks {

/// Describes all current waits. There is a line for the core, and for each block that executes a
/// descriptor or whose queue was reset or has stopped. A sync unit's comparator that waits also has
/// a line.
[[nodiscard]] std::string wait_report(const Context& context, const std::deque<QueueWatch>& queues,
                                      const WaitHistory& history);

} // namespace levee::checks
