// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/run/run.hpp"

namespace levee {

/// Prints the system a scenario describes: blocks, memory map, registers, interrupts, model. Throws
/// as run_scenario does.
int describe_scenario(const RunRequest& request);

/// Prints the scenario as JSON, with files and overrides resolved. Throws like describe().
int print_resolved(const RunRequest& request);

} // namespace levee
