// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/queue_watch.hpp"
#include "platform/observe/checks/wait_history.hpp"

#include <deque>
#include <string>

namespace levee::checks {

/// Report of all current waits: one line for the core and each block that is not idle, and the
/// setting of the sync unit's comparator.
[[nodiscard]] std::string wait_report(const Context& context, const std::deque<QueueWatch>& queues,
                                      const WaitHistory& history);

} // namespace levee::checks
