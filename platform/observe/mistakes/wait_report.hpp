// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/mistakes/queue_watch.hpp"

#include <deque>
#include <string>

namespace levee::mistakes {

/// Who waits for what, now: a line for the core and for each block that is not idle, and what the
/// sync unit's comparator is set to.
[[nodiscard]] std::string wait_report(const Context& context, const std::deque<QueueWatch>& queues);

} // namespace levee::mistakes
