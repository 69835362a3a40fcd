// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/reproduce/combinations.hpp"
#include "platform/studies/reproduce/plan.hpp"

namespace levee::reproduce {

/// Reads a row. Whether its runs and figures exist is checked with the whole plan.
[[nodiscard]] Row read_row(const config::Node::Entry& entry, const Axes& axes);

[[nodiscard]] Plot read_plot(const config::Node::Entry& entry, const Axes& axes);

} // namespace levee::reproduce
