// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/machine_view.hpp"

#include <cstddef>
#include <string>

namespace levee::debug {

/// Descriptors of a component's queue, the one in execution first: opcode, tag, state, who
/// submitted it, what it waits for, and its fields by name, as the component declares them. A line
/// that says so if the component has no queue or its queue no descriptors.
[[nodiscard]] std::string descriptors_of(const MachineView& machine, std::size_t component);

/// The same for all components whose queues have descriptors.
[[nodiscard]] std::string all_descriptors(const MachineView& machine);

} // namespace levee::debug
