// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/machine_view.hpp"

#include <cstddef>
#include <string>

namespace levee::debug {

/// Describes the descriptors in a component's queue, beginning with the running one. The text has
/// opcode, tag, state, place of submission, waits, and fields by name. It is a single line if the
/// component has no queue or the queue is empty.
[[nodiscard]] std::string descriptors_of(const MachineView& machine, std::size_t component);

/// Describes the descriptors of all components whose queues are not empty, as descriptors_of()
/// does.
[[nodiscard]] std::string all_descriptors(const MachineView& machine);

} // namespace levee::debug
