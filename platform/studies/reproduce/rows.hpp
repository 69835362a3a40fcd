// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/reproduce/combinations.hpp"
#include "platform/studies/reproduce/plan.hpp"

namespace levee::reproduce {

/// Reads the row written under its id. The plan checks that the runs and figures it names exist.
[[nodiscard]] Row read_row(const config::Node::Entry& entry, const Axes& axes);

[[nodiscard]] Plot read_plot(const config::Node::Entry& entry, const Axes& axes);

} // namespace levee::reproduce
