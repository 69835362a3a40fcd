// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/run/run.hpp"

namespace levee {

/// Prints the system of a scenario: blocks, memory map, registers, interrupts, model and price
/// lists. Throws as run_scenario() does.
int describe_scenario(const RunRequest& request);

/// Prints the scenario as JSON with all files and overrides applied. Throws as describe_scenario()
/// does.
int print_resolved(const RunRequest& request);

} // namespace levee
