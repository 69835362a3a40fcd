// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/mistakes/queue_watch.hpp"
#include "platform/observe/mistakes/wait_history.hpp"

#include <deque>
#include <string>

namespace levee::mistakes {

/// Report of all current waits: one line for the core and each block that is not idle, and the
/// setting of the sync unit's comparator.
[[nodiscard]] std::string wait_report(const Context& context, const std::deque<QueueWatch>& queues,
                                      const WaitHistory& history);

} // namespace levee::mistakes
