#pragma once

#include "platform/reproduce/combinations.hpp"
#include "platform/reproduce/plan.hpp"

namespace levee::reproduce {

/// One row as written under its id. Whether what it names exists is for the plan to check.
[[nodiscard]] Row read_row(const config::Node::Entry& entry, const Axes& axes);

[[nodiscard]] Plot read_plot(const config::Node::Entry& entry, const Axes& axes);

} // namespace levee::reproduce
