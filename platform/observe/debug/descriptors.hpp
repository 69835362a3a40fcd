// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/machine_view.hpp"

#include <cstddef>
#include <string>

namespace levee::debug {

/// Descriptors of a component's queue, the running one first: opcode, tag, state, submitter, waits,
/// and fields by their declared names. A single line if the component has no queue or the queue is
/// empty.
[[nodiscard]] std::string descriptors_of(const MachineView& machine, std::size_t component);

/// The same for all components with queued descriptors.
[[nodiscard]] std::string all_descriptors(const MachineView& machine);

} // namespace levee::debug
